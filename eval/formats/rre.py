"""Ratings of the Rated Ranking Evaluator (RRE): one JSON document, in both shapes people have.

``relevant_documents`` is ``{"id": {"gain": 3}}`` as RRE reads it, or ``{"3": ["id"]}`` as Quepid
has written it (quepid#928). Queries stand at the top, in topics or in query groups; a group's
documents are right for each of its queries. A query is named by its text, the placeholder
``$query``.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path

from eval.formats import strict
from eval.formats.columns import rating_text
from eval.formats.findings import Findings, quoted
from eval.formats.gather import OnConflict
from eval.formats.reading import Reading
from eval.formats.sheet import Grade, Judgement, Keys, Sheet
from eval.formats.walk import Walk
from eval.formats.writing import checked_cell, write_json

_ASKED = "$query"
_INNER = ("topics", "query_groups", "queries")


class RreShape(StrEnum):
    """GAIN: id to gain, which RRE reads. GRADES: grade to ids, which Quepid exports."""

    GAIN = "gain"
    GRADES = "grades"


def read_rre(path: Path, on_conflict: OnConflict = OnConflict.REFUSE) -> Sheet:
    """A sheet of either shape. Raises FormatError with every place at fault."""
    findings = Findings()
    value = strict.document(path, findings)
    findings.check()
    walk = Walk(path, findings)
    read = Reading(path, findings, on_conflict)
    if isinstance(value, dict):
        for query, document, grade in _queries(value, "the document", {}, walk):
            read.queries.setdefault(query)
            if document is not None and grade is not None:
                read.gathered.add(Judgement(query=query, document=document, grade=grade))
    return read.sheet(Keys.TEXT, "holds no queries: RRE has queries, or topics that hold them")


def write_rre(sheet: Sheet, path: Path, shape: RreShape = RreShape.GAIN, name: str = "") -> None:
    """Writes what ``read_rre`` reads back. Raises ValueError for several raters of one pair."""
    grades = sheet.grades
    queries = [
        {
            "template": "template.json",
            "placeholders": {_ASKED: checked_cell(query)},
            "relevant_documents": _documents(grades.get(query, {}), shape),
        }
        for query in sheet.queries
    ]
    head = {"id_field": "_id", "index": name, "template": "template.json"}
    write_json(path, {**head, "queries": queries})


def _documents(grades: dict[str, Grade], shape: RreShape) -> dict[str, object]:
    if shape is RreShape.GAIN:
        return {checked_cell(document): {"gain": grade} for document, grade in grades.items()}
    found: dict[str, object] = {}
    for grade in sorted(set(grades.values())):
        found[rating_text(grade)] = [key for key, given in grades.items() if given == grade]
    return found


Told = tuple[str, str | None, Grade | None]


def _queries(
    node: dict[str, object], where: str, around: dict[str, object], walk: Walk
) -> Iterator[Told]:
    """Every query below a node with its grades; ``around`` are the documents of its group."""
    own = node.get("relevant_documents", around)
    if "placeholders" in node:
        yield from _query(node, where, own, walk)
    for name in _INNER:
        for place, inner in walk.objects(node.get(name), f"{where}, {name}"):
            yield from _queries(inner, place, own, walk)  # type: ignore[arg-type]


def _query(node: dict[str, object], where: str, own: object, walk: Walk) -> Iterator[Told]:
    asked = node["placeholders"]
    text = asked.get(_ASKED) if isinstance(asked, dict) else None
    if not isinstance(text, str) or not text.strip():
        walk.refuse(where, f"has no text: its placeholders need a {_ASKED}")
        return
    for other in asked if isinstance(asked, dict) else ():
        if other != _ASKED:
            kind = "further placeholder, not read"
            walk.findings.count(kind, walk.path, 0, f"{quoted(other)} of {quoted(text)}")
    yield text, None, None
    if not isinstance(own, dict):
        walk.refuse(where, "has relevant_documents that are no object")
        return
    for key, value in own.items():
        yield from _grades(text, key, value, f"{where}, {quoted(key)}", walk)


def _grades(text: str, key: str, value: object, where: str, walk: Walk) -> Iterator[Told]:
    if isinstance(value, list):
        grade = walk.grade_of(key, where)
        for document in value:
            yield text, walk.id_of(document, where), grade
    elif isinstance(value, dict) and ("gain" in value or "rating" in value):
        gain = value.get("gain", value.get("rating"))
        yield text, walk.id_of(key, where), walk.grade_of(gain, where)
    else:
        walk.refuse(where, f"is {quoted(value)}: write a list of ids, or a gain")
