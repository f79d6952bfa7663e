"""Judgement lists of OpenSearch's Search Relevance Workbench: one JSON document.

Read are the body of ``PUT _plugins/_search_relevance/judgments``, the answer to its GET, and the
older shape that maps a query to its ratings. Written is the body of that PUT, with ratings as the
texts its manual shows ("3.000"). A query is named by its text. A rating that is absent or null is
refused: it has been read as nothing and scored (search-relevance#110).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from eval.formats import strict
from eval.formats.columns import rating_text
from eval.formats.findings import Findings, quoted
from eval.formats.gather import OnConflict
from eval.formats.reading import Reading
from eval.formats.sheet import Grade, Judgement, Keys, Sheet
from eval.formats.walk import Walk
from eval.formats.writing import checked_cell, write_json

_RATINGS = "judgmentRatings"
COMPLETED = "COMPLETED"


def read_opensearch(path: Path, on_conflict: OnConflict = OnConflict.REFUSE) -> Sheet:
    """The sheet of a judgement list. Raises FormatError with every place at fault."""
    findings = Findings()
    value = strict.document(path, findings)
    findings.check()
    walk = Walk(path, findings)
    held = _unwrapped(value)
    if held is None:
        several = isinstance(value, dict) and "hits" in value
        said = f"holds no {_RATINGS}" + " of one list: export a list by itself" * several
        findings.refuse(path, 0, said)
        findings.check()
    assert held is not None
    if held.get("status", COMPLETED) != COMPLETED:
        findings.count("list that is not complete", path, 0, f"status {quoted(held['status'])}")
    read = Reading(path, findings, on_conflict)
    for text, where, ratings in _queries(held[_RATINGS], walk):
        read.queries.setdefault(text)
        for place, rating in walk.objects(ratings, where):
            judgement = _judgement(text, rating, place, walk)
            if judgement is not None:
                read.gathered.add(judgement)
    return read.sheet(Keys.TEXT, "holds no query")


def write_opensearch(sheet: Sheet, path: Path, name: str = "") -> None:
    """Writes the body to import. A query without a judgement has no place in it.

    Raises ValueError for several raters of one pair.
    """
    ratings = [
        {
            "query": checked_cell(query),
            "ratings": [
                {"docId": checked_cell(document), "rating": _written(grade)}
                for document, grade in given.items()
            ],
        }
        for query, given in sheet.grades.items()
    ]
    head = {"name": name, "description": "", "type": "IMPORT_JUDGMENT"}
    write_json(path, {**head, _RATINGS: ratings})


def _written(grade: Grade) -> str:
    return f"{grade:d}.000" if isinstance(grade, int) else rating_text(grade)


def _unwrapped(value: object) -> dict[str, object] | None:
    """The object with the ratings: the document itself, or the one hit of a GET's answer."""
    if not isinstance(value, dict):
        return None
    if _RATINGS in value:
        return value
    hits = value.get("hits")
    inner = hits.get("hits") if isinstance(hits, dict) else None
    if isinstance(inner, list) and len(inner) == 1 and isinstance(inner[0], dict):
        return _unwrapped(inner[0].get("_source"))
    return None


def _queries(value: object, walk: Walk) -> Iterator[tuple[str, str, object]]:
    """(text, place, list of ratings) of each query."""
    if isinstance(value, dict):
        for text, ratings in value.items():
            yield text, f"{_RATINGS} {quoted(text)}", ratings
        return
    for place, one in walk.objects(value, _RATINGS):
        text = one.get("query")
        if isinstance(text, str) and text.strip():
            yield text, place, one.get("ratings")
        else:
            walk.refuse(place, f"has the query {quoted(text)}: write its text")


def _judgement(text: str, rating: dict[str, object], where: str, walk: Walk) -> Judgement | None:
    for name in ("docId", "rating"):
        if rating.get(name) is None:
            walk.refuse(
                where, f"has no {name}, it has {', '.join(map(quoted, rating)) or 'nothing'}"
            )
            return None
    document, grade = walk.id_of(rating["docId"], where), walk.grade_of(rating["rating"], where)
    if document is None or grade is None:
        return None
    return Judgement(query=text, document=document, grade=grade)
