"""Writes the labels of a folder for another tool, and says what that tool cannot be told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from eval.dataset.errors import DatasetError
from eval.dataset.labels import QUERIES, Labels, load_labels
from eval.dataset.reading import read_documents
from eval.exchange.beir import write_beir
from eval.exchange.formats import FORMATS, How, carries
from eval.exchange.idmap import IdMap
from eval.exchange.incoming import CORPUS, rated
from eval.exchange.leaving import leaving
from eval.exchange.losses import losses, shared_texts
from eval.exchange.matching import Match, documents_of, match_documents, renamed
from eval.exchange.names import Name
from eval.exchange.summary import Summary
from eval.exchange.target import put
from eval.formats.findings import Findings, FormatError
from eval.formats.sheet import Grade, Judgement, Keys, Sheet
from eval.labels.agreement import agreements
from eval.labels.settle import by_pair


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What a person asked to export."""

    folder: Path
    name: Name
    target: Path
    how: How
    mapped: IdMap | None = None
    force: bool = False


def export_labels(wish: Wish) -> Summary:
    """Writes the file or BEIR folder. Raises FormatError, InTheWay, ValueError."""
    labels = load_labels(wish.folder)
    keys = _keys(wish.folder)
    findings = Findings(FormatError)
    sheet = _sheet(labels, wish.name)
    judged = documents_of(sheet)
    ids = leaving(judged, wish.mapped, keys, wish.folder, findings)
    findings.check()
    out = ids.sheet(sheet)
    written = [wish.target]
    if wish.name is Name.BEIR:
        written = write_beir(wish.folder, labels, out, wish.target, wish.mapped, wish.force)
    else:
        form = FORMATS[wish.name]
        told = _named(out, labels, form.keys, wish, findings)
        findings.check()
        write = form.write
        assert write is not None
        put(wish.target, lambda path: write(told, path, wish.how), wish.force)
    found, _ = match_documents(sheet, None, keys)
    asked = {query.id for query in labels.queries}
    return Summary(
        what=f"exported {wish.folder}",
        format=wish.name.value,
        counts={"queries": len(labels.queries), "judgements": len(sheet.judgements)},
        queries=Match(
            found=tuple(asked),
            missing=tuple(query for query in labels.grades if query not in asked),
        ),
        documents=ids.told(found),
        lost=losses(labels, carries(wish.name), len(keys or ())),
        notes=_notes(labels, out, wish, keys is None),
        findings=(*labels.findings, *findings.tolerated()),
        agreement=agreements(labels.judgements),
        written=tuple(map(str, written)),
        fingerprint=labels.fingerprint,
    )


def _keys(folder: Path) -> Mapping[str, object] | None:
    if not (folder / CORPUS).exists():
        return None
    findings = Findings(DatasetError)
    found = read_documents(folder / CORPUS, findings)
    findings.check()
    return found


def _sheet(labels: Labels, name: Name) -> Sheet:
    if name in (Name.BEIR, Name.TREC):
        return _graded(labels, exact=False)
    return _full(labels) if FORMATS[name].raters else _graded(labels, exact=True)


def _graded(labels: Labels, *, exact: bool) -> Sheet:
    """One grade a pair: the settled one, or where ``exact`` that of its only rater."""
    given = by_pair(labels.judgements) if exact else {}

    def grade(query: str, document: str, settled: int) -> Grade:
        ratings = [one.grade for one in given.get((query, document), ())]
        # Of one rater, unless somebody changed the grade by hand since: then that is what counts.
        alone = len(ratings) == 1 and labels.settling.whole(ratings[0]) == settled
        return ratings[0] if alone else settled

    return Sheet(
        keys=Keys.ID,
        queries=tuple(dict.fromkeys([*(one.id for one in labels.queries), *labels.grades])),
        judgements=tuple(
            Judgement(query=query, document=document, grade=grade(query, document, settled))
            for query, own in labels.grades.items()
            for document, settled in own.items()
        ),
        open=labels.open,
    )


def _full(labels: Labels) -> Sheet:
    """Every rating, and the grades nobody is named for, carried ones among them."""
    return rated(replace(labels, origins={}))


def _named(sheet: Sheet, labels: Labels, keys: Keys, wish: Wish, findings: Findings) -> Sheet:
    """The sheet as its format names queries; a query of unknown text cannot be named by it."""
    if keys is Keys.ID:
        return sheet
    texts = {query.id: query.text for query in labels.queries}
    for query in sheet.queries:
        if query not in texts:
            findings.count("judged query without a text, left out", wish.folder / QUERIES, 0, query)
    told = renamed(sheet, texts.get, lambda key: key, wish.how.on_conflict, wish.folder, findings)
    return replace(told, keys=Keys.TEXT)


def _notes(labels: Labels, out: Sheet, wish: Wish, bare: bool) -> tuple[str, ...]:
    notes = []
    if bare:
        notes.append(f"no {CORPUS} in the folder: no id was matched")
    keys = FORMATS[wish.name].keys if wish.name in FORMATS else Keys.ID
    if keys is Keys.TEXT and (merged := shared_texts(labels)):
        notes.append(f"queries of one text become one: {merged:,} fewer")
    if wish.name is Name.TREC:
        spaced = {id for one in out.judgements for id in (one.query, one.document) if " " in id}
        if spaced:
            notes.append(f"{len(spaced):,} ids hold blanks, at which trec_eval splits a line")
    if wish.how.spreadsheet:
        notes.append(
            "cells that a spreadsheet would run have an apostrophe in front: read the "
            "file back with --from-spreadsheet"
        )
    return tuple(notes)
