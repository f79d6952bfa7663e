"""Runs in and out: what a system returned stands beside the labels, in ``runs/`` of the folder."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from eval.dataset.errors import DatasetError
from eval.dataset.labels import QUERIES
from eval.dataset.reading import read_documents
from eval.exchange.asked import read_asked
from eval.exchange.idmap import IdMap
from eval.exchange.incoming import CORPUS, Wish
from eval.exchange.leaving import leaving
from eval.exchange.matching import Match, match_documents
from eval.exchange.summary import Summary
from eval.exchange.target import fill, put
from eval.formats.findings import Finding, Findings, FormatError, quoted
from eval.formats.sheet import Judgement, Keys, Sheet
from eval.formats.trec import TIE_RULE, Run, read_run, write_run

RUNS = "runs"


def import_run(wish: Wish) -> Summary:
    """Puts a TREC run into ``runs/TAG.run``, under the keys of our records.

    Raises FormatError where two of its ids are one record: a list cannot hold it twice.
    """
    run = read_run(Path(wish.given))
    queries, documents = _known(wish)
    found, names = match_documents(_sheet(run), wish.mapped, documents)
    scores: dict[str, dict[str, float]] = {}
    for query, given in run.scores.items():
        mine = scores.setdefault(query, {})
        for document, score in given.items():
            key = names.get(document)
            if key is not None and mine.setdefault(key, score) != score:
                said = f"two results of {quoted(query)} are the record {quoted(key)}"
                raise FormatError([Finding(file=wish.given, line=0, message=said)])
    name = f"{RUNS}/{re.sub(r'[^A-Za-z0-9._-]+', '_', run.tag).strip('._') or 'run'}.run"

    def make(folder: Path) -> None:
        (folder / RUNS).mkdir()
        write_run(Run(tag=run.tag, scores=scores), folder / name)

    filled = fill(wish.target, make, (), wish.force)
    asked = Match(found=tuple(run.scores))
    if queries is not None:
        asked = Match(
            found=tuple(query for query in run.scores if query in queries),
            missing=tuple(query for query in run.scores if query not in queries),
        )
    return Summary(
        what=f"imported {wish.given}",
        format="trec-run",
        counts={"queries": len(scores), "results": sum(map(len, scores.values()))},
        queries=asked,
        documents=found,
        notes=(f"ordered by {TIE_RULE}",),
        findings=run.findings,
        written=tuple(str(wish.target / one) for one in filled.names),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RunWish:
    """Which run of a folder goes out; ``tag`` names it where there are several."""

    folder: Path
    target: Path
    tag: str | None = None
    mapped: IdMap | None = None
    force: bool = False


def export_run(wish: RunWish) -> Summary:
    """Writes the run. A record of several ids goes out under the first, since one more result
    would move those below it. Raises FormatError, InTheWay.
    """
    run = read_run(_wanted(wish))
    findings = Findings(FormatError)
    keys = tuple(dict.fromkeys(key for own in run.scores.values() for key in own))
    there = _records(wish.folder / CORPUS)
    ids = leaving(keys, wish.mapped, there, wish.folder, findings, one=True)
    findings.check()
    scores = {
        query: {ids.of[key][0]: score for key, score in own.items()}
        for query, own in run.scores.items()
    }
    put(wish.target, lambda path: write_run(Run(tag=run.tag, scores=scores), path), wish.force)
    return Summary(
        what=f"exported {wish.folder}",
        format="trec-run",
        counts={"queries": len(run.scores), "results": sum(map(len, run.scores.values()))},
        queries=Match(found=tuple(run.scores)),
        documents=ids.told(Match(found=keys)),
        notes=(f"ranks follow {TIE_RULE}",),
        findings=(*run.findings, *findings.tolerated()),
        written=(str(wish.target),),
    )


def _wanted(wish: RunWish) -> Path:
    runs = sorted((wish.folder / RUNS).glob("*.run"))
    wanted = [path for path in runs if wish.tag is None or path.stem == wish.tag]
    if len(wanted) == 1:
        return wanted[0]
    has = ", ".join(path.stem for path in runs) or "none"
    said = f"name one of its runs with --run ({has})" if runs else "has no run to export"
    raise FormatError([Finding(file=str(wish.folder / RUNS), line=0, message=said)])


def _known(wish: Wish) -> tuple[set[str] | None, set[str] | None]:
    """Ids of the queries and documents there are to match with, None where there are none."""
    queries, corpus = wish.target / QUERIES, wish.corpus or wish.target / CORPUS
    corpus = corpus / CORPUS if corpus.is_dir() else corpus
    asked = wish.queries or (queries if queries.exists() else None)
    return (set(read_asked(asked).queries) if asked else None), _records(corpus)


def _records(corpus: Path) -> set[str] | None:
    if not corpus.exists():
        return None
    findings = Findings(DatasetError)
    documents = set(read_documents(corpus, findings))
    findings.check()
    return documents


def _sheet(run: Run) -> Sheet:
    """The run's documents as a sheet, to be matched as judged ones are."""
    return Sheet(
        keys=Keys.ID,
        queries=tuple(run.scores),
        judgements=tuple(
            Judgement(query=query, document=document, grade=0)
            for query, given in run.scores.items()
            for document in given
        ),
    )
