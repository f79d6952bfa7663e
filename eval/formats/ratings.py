"""Every rating on a row of its own, with rater and reason: a CSV of ours that people can edit.

Columns: ``query_id, query, information_need, docid, rater, rating, reason, failure``. A row with
neither rating nor failure is a pair that waits for a judgement; one without a document is a query
that has none.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from eval.formats.columns import rating_text
from eval.formats.csvtable import Row, read_table, write_table
from eval.formats.findings import Findings, quoted
from eval.formats.gather import OnConflict
from eval.formats.reading import Reading
from eval.formats.sheet import Failure, Keys, Sheet
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

Told = dict[str, dict[str, str]]  # column to query id to its cell
TEXTS = tuple(place for place, name in enumerate(HEADER) if name != "rating")


def read_ratings(
    path: Path, on_conflict: OnConflict = OnConflict.REFUSE, *, escaped: bool = False
) -> Sheet:
    """The sheet of a file. Raises FormatError with every line at fault."""
    findings = Findings()
    table = read_table(path, findings, escaped=escaped)
    places = table.places({name: (name,) for name in HEADER}, path, findings)
    lacking = [name for name in ("query_id", "docid", "rating") if name not in places]
    if lacking and not findings.refused:
        findings.refuse(path, 1, f"has no column {', '.join(lacking)}")
    findings.check()
    read = Reading(path, findings, on_conflict)
    told: Told = {"query": {}, "information_need": {}}
    for row in table.rows:
        _take(row, {name: row.cells[at] for name, at in places.items()}, read, told)
    return read.sheet(
        Keys.ID, "names no query", texts=told["query"], needs=told["information_need"]
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


def _take(row: Row, cells: dict[str, str], read: Reading, told: Told) -> None:
    query, document, rating = cells["query_id"], cells["docid"], cells["rating"]
    rater, failure = cells.get("rater", ""), cells.get("failure", "")
    said = bool(rating.strip() or failure.strip())
    if not read.names(row.line, query, document, said=said):
        return
    read.queries.setdefault(query)
    _ask(row, query, cells, read, told)
    if not document.strip():
        return
    read.open.setdefault((query, document))
    if failure.strip():
        read.fail(Failure(query=query, document=document, rater=rater, why=failure))
    if rating.strip():
        read.rate(row.line, query, document, rater, rating, cells.get("reason", ""))


def _ask(row: Row, query: str, cells: dict[str, str], read: Reading, told: Told) -> None:
    for name, known in told.items():
        given = cells.get(name, "")
        if not given:
            continue
        if (first := known.setdefault(query, given)) != given:
            said = f"{name} of {quoted(query)} is {quoted(given)} here, {quoted(first)} before"
            read.findings.refuse(read.path, row.line, f"{said}: keep one")
