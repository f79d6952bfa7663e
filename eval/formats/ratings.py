"""Every rating on a row of its own, with rater and reason: a CSV of ours that people can edit.

Columns: ``query_id, query, information_need, docid, rater, rating, reason, failure``. A row with
neither rating nor failure is a pair that waits for a judgement; one without a document is a query
that has none.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from eval.formats.columns import rating_of, rating_text
from eval.formats.csvtable import Row, read_table, write_table
from eval.formats.findings import Findings, quoted
from eval.formats.gather import Gathered, OnConflict
from eval.formats.sheet import Failure, Judgement, Keys, Pair, Sheet
from eval.formats.writing import checked_cell

HEADER = (
    "query_id",
    "query",
    "information_need",
    "docid",
    "rater",
    "rating",
    "reason",
    "failure",
)

TEXTS = tuple(place for place, name in enumerate(HEADER) if name != "rating")


def read_ratings(
    path: Path, on_conflict: OnConflict = OnConflict.REFUSE, *, escaped: bool = False
) -> Sheet:
    """The sheet of a file. Raises FormatError with every line at fault."""
    findings = Findings()
    table = read_table(path, findings, escaped=escaped)
    places = table.places({name: (name,) for name in HEADER})
    lacking = [name for name in ("query_id", "docid", "rating") if name not in places]
    if lacking and not findings.refused:
        findings.refuse(path, 1, f"has no column {', '.join(lacking)}")
    findings.check()
    read = _Reading(path, findings, on_conflict)
    for row in table.rows:
        read.take(row, {name: row.cells[at] for name, at in places.items()})
    if not read.texts and not findings.refused:
        findings.refuse(path, 0, "names no query")
    findings.check()
    return Sheet(
        keys=Keys.ID,
        queries=tuple(read.texts),
        judgements=read.gathered.judgements,
        open=tuple(pair for pair in read.open if pair not in read.rated),
        failures=tuple(read.failures),
        texts={query: text for query, text in read.texts.items() if text},
        needs={query: need for query, need in read.needs.items() if need},
        findings=findings.tolerated(),
    )


def write_ratings(sheet: Sheet, path: Path, *, escape: bool = False) -> None:
    """Writes what ``read_ratings`` reads back. Raises ValueError for a NUL or a blank id."""
    write_table(path, HEADER, _rows(sheet), escape=escape, texts=TEXTS)


def _rows(sheet: Sheet) -> Iterator[list[str]]:
    told: dict[str, list[list[str]]] = {}
    for one in sheet.judgements:
        cells = [checked_cell(one.document), one.rater, rating_text(one.grade), one.reason, ""]
        told.setdefault(one.query, []).append(cells)
    for failed in sheet.failures:
        cells = [checked_cell(failed.document), failed.rater, "", "", checked_cell(failed.why)]
        told.setdefault(failed.query, []).append(cells)
    for query, document in sheet.open:
        told.setdefault(query, []).append([checked_cell(document), "", "", "", ""])
    for query in sheet.queries:
        asked = [checked_cell(query), sheet.texts.get(query, ""), sheet.needs.get(query, "")]
        for cells in told.get(query, [[""] * 5]):
            yield [*asked, *cells]


class _Reading:
    """What the rows read so far have said."""

    def __init__(self, path: Path, findings: Findings, on_conflict: OnConflict) -> None:
        self.path, self.findings = path, findings
        self.gathered = Gathered(path, findings, on_conflict)
        self.texts: dict[str, str] = {}
        self.needs: dict[str, str] = {}
        self.open: dict[Pair, None] = {}
        self.rated: set[Pair] = set()
        self.failures: dict[Failure, None] = {}

    def take(self, row: Row, cells: dict[str, str]) -> None:
        query, document, rating = cells["query_id"], cells["docid"], cells["rating"]
        rater, failure = cells.get("rater", ""), cells.get("failure", "")
        said = rating.strip() or failure.strip()
        if not query.strip() or (said and not document.strip()):
            lacks = "document" if query.strip() else "query"
            self.findings.refuse(self.path, row.line, f"names no {lacks}: fill the cell")
            return
        self._ask(row, query, cells)
        if not document.strip():
            return
        self.open.setdefault((query, document))
        if not said:
            return
        self.rated.add((query, document))
        if failure.strip():
            failed = Failure(query=query, document=document, rater=rater, why=failure)
            self.failures.setdefault(failed)
        if rating.strip():
            self._rate(row, query, document, rater, rating, cells.get("reason", ""))

    def _ask(self, row: Row, query: str, cells: dict[str, str]) -> None:
        for name, known in (("query", self.texts), ("information_need", self.needs)):
            given = cells.get(name, "")
            if given and (first := known.get(query) or given) != given:
                said = f"{name} of {quoted(query)} is {quoted(given)} here, {quoted(first)} before"
                self.findings.refuse(self.path, row.line, f"{said}: keep one")
            known[query] = known.get(query) or given

    def _rate(
        self, row: Row, query: str, document: str, rater: str, rating: str, reason: str
    ) -> None:
        grade = rating_of(rating)
        if grade is None:
            said = f"rating {quoted(rating)} is not a finite number"
            self.findings.refuse(self.path, row.line, said)
            return
        self.gathered.add(
            Judgement(
                query=query,
                document=document,
                grade=grade,
                rater=rater,
                reason=reason,
                line=row.line,
            )
        )
