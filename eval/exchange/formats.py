"""The formats labels travel in: how each is read and written, and what it cannot carry."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from eval.exchange.losses import Aspect
from eval.exchange.names import Name
from eval.formats.clicks import read_clicks
from eval.formats.gather import OnConflict
from eval.formats.opensearch import read_opensearch, write_opensearch
from eval.formats.qrels import read_qrels, write_qrels
from eval.formats.quepid import read_quepid, write_quepid
from eval.formats.ratings import read_ratings, write_ratings
from eval.formats.rre import RreShape, read_rre, write_rre
from eval.formats.sheet import Judgement, Keys, Sheet


@dataclass(frozen=True, slots=True, kw_only=True)
class How:
    """What a person chose about one reading or writing."""

    on_conflict: OnConflict = OnConflict.REFUSE
    spreadsheet: bool = False
    deepest: int | None = None
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One file format of judgements. ``raters``: a pair may have several grades in it."""

    name: Name
    keys: Keys
    carries: frozenset[Aspect]
    read: Callable[[Path, How], Sheet]
    write: Callable[[Sheet, Path, How], None] | None = None
    raters: bool = False


def _read_trec(path: Path, how: How) -> Sheet:
    found = read_qrels(path, how.on_conflict)
    return Sheet(
        keys=Keys.ID,
        queries=tuple(found.judgements),
        judgements=tuple(
            Judgement(query=query, document=document, grade=grade)
            for query, grades in found.judgements.items()
            for document, grade in grades.items()
        ),
        findings=found.findings,
    )


def _quepid(name: Name, *, raters: bool) -> Format:
    return Format(
        name=name,
        keys=Keys.TEXT,
        carries=_BY_TEXT | {Aspect.OPEN} | ({Aspect.RATERS} if raters else set()),
        read=lambda path, how: read_quepid(
            path, how.on_conflict, raters=raters, escaped=how.spreadsheet
        ),
        write=lambda sheet, path, how: write_quepid(
            sheet, path, raters=raters, escape=how.spreadsheet
        ),
        raters=raters,
    )


def _rre(name: Name, shape: RreShape) -> Format:
    return Format(
        name=name,
        keys=Keys.TEXT,
        carries=_BY_TEXT,
        read=lambda path, how: read_rre(path, how.on_conflict),
        write=lambda sheet, path, how: write_rre(sheet, path, shape, how.title),
    )


_BY_TEXT = frozenset({Aspect.TEXTS, Aspect.UNJUDGED, Aspect.FRACTIONS})
FORMATS = {
    one.name: one
    for one in (
        Format(
            name=Name.TREC,
            keys=Keys.ID,
            carries=frozenset({Aspect.IDS}),
            read=_read_trec,
            write=lambda sheet, path, how: write_qrels(sheet.grades, path),  # type: ignore[arg-type]
        ),
        _quepid(Name.QUEPID, raters=False),
        _quepid(Name.QUEPID_RATERS, raters=True),
        Format(
            name=Name.RATINGS,
            keys=Keys.ID,
            carries=_BY_TEXT
            | {Aspect.IDS, Aspect.NEEDS, Aspect.OPEN, Aspect.RATERS}
            | {Aspect.REASONS, Aspect.FAILURES},
            read=lambda path, how: read_ratings(path, how.on_conflict, escaped=how.spreadsheet),
            write=lambda sheet, path, how: write_ratings(sheet, path, escape=how.spreadsheet),
            raters=True,
        ),
        _rre(Name.RRE, RreShape.GAIN),
        _rre(Name.RRE_GRADES, RreShape.GRADES),
        Format(
            name=Name.OPENSEARCH,
            keys=Keys.TEXT,
            carries=frozenset({Aspect.TEXTS, Aspect.FRACTIONS}),
            read=lambda path, how: read_opensearch(path, how.on_conflict),
            write=lambda sheet, path, how: write_opensearch(sheet, path, how.title),
        ),
        Format(
            name=Name.CLICKS,
            keys=Keys.TEXT,
            carries=frozenset(),
            read=lambda path, how: read_clicks(path, how.deepest),
        ),
    )
}
# A BEIR folder is a labelled folder: its queries keep every field of their lines.
BEIR_CARRIES = frozenset(
    {
        Aspect.IDS,
        Aspect.TEXTS,
        Aspect.UNJUDGED,
        Aspect.NEEDS,
        Aspect.QUERY_LABELS,
        Aspect.DOCUMENTS,
    }
)


def carries(name: Name) -> frozenset[Aspect]:
    """What a format of judgements carries."""
    return BEIR_CARRIES if name is Name.BEIR else FORMATS[name].carries
