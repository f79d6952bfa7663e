"""Quepid's CSV: ``query,docid,rating``, and the export of a book with a column for each rater.

Quepid names a query by its text. A blank rating, and a query on a line of its own, are unjudged and
never grade 0 (quepid#265); a cell that says ``unrateable`` is a failure (quepid#758).
"""

from __future__ import annotations

from pathlib import Path

from eval.formats.columns import rating_text
from eval.formats.csvtable import Row, read_table, write_table
from eval.formats.findings import Findings, quoted
from eval.formats.gather import OnConflict
from eval.formats.reading import Reading
from eval.formats.sheet import Failure, Keys, Sheet, by_query
from eval.formats.writing import checked_cell

_NAMES = {
    "query": ("query text", "query_text", "query"),
    "document": ("doc id", "doc_id", "docid"),
    "rating": ("user rating", "rating"),
}
# Quepid's word for a judgement of nobody it knows.
NOBODY = "Unknown"
UNRATEABLE = "unrateable"


def read_quepid(
    path: Path,
    on_conflict: OnConflict = OnConflict.REFUSE,
    *,
    raters: bool = False,
    escaped: bool = False,
) -> Sheet:
    """A sheet of either export; ``raters`` reads each further column as a rater's.

    Raises FormatError with every line at fault.
    """
    findings = Findings()
    table = read_table(path, findings, escaped=escaped)
    # A rater may be called as a column is: the first one of that name is the column.
    places = table.places(_NAMES, path, Findings() if raters else findings)
    columns = _columns(path, table.header, places, raters, findings)
    findings.check()
    read = Reading(path, findings, on_conflict)
    for row in table.rows:
        _take(row, places, columns, read)
    return read.sheet(Keys.TEXT, "names no query")


def write_quepid(sheet: Sheet, path: Path, *, raters: bool = False, escape: bool = False) -> None:
    """Writes what ``read_quepid`` reads back, given the same ``raters``, ids apart.

    Raises ValueError for what Quepid cannot hold, and without ``raters`` for several of a pair.
    """
    header = ["query", "docid"]
    names = list(dict.fromkeys(one.rater for one in (*sheet.judgements, *sheet.failures)))
    names = names or [""]  # what waits for its first judgement is listed under nobody's
    if raters and (NOBODY in names or any(name and not name.strip() for name in names)):
        raise ValueError(f"a rater is called {NOBODY!r} or a blank, Quepid's own word: rename them")
    grades = {} if raters else sheet.grades  # which raises where a pair has several
    header += [name or NOBODY for name in names] if raters else ["rating"]
    told = _told(sheet)
    rows: list[list[str]] = []
    for query in sheet.queries:
        pairs = told.get(query, {})
        rows += [] if pairs else [[checked_cell(query)]]
        for document, said in pairs.items():
            cells = (
                [said.get(name, "") for name in names]
                if raters
                else [_cell(grades.get(query, {}).get(document))]
            )
            rows.append([checked_cell(query), checked_cell(document), *cells])
    write_table(path, header, rows, escape=escape, texts=(0, 1))


def _cell(grade: int | float | None) -> str:
    return "" if grade is None else rating_text(grade)


def _told(sheet: Sheet) -> dict[str, dict[str, dict[str, str]]]:
    """``told[query][document][rater]`` is a cell; an open pair has none."""
    told: dict[str, dict[str, dict[str, str]]] = {}
    for query, given in by_query(sheet.judgements).items():
        for one in given:
            cells = told.setdefault(query, {}).setdefault(one.document, {})
            cells[one.rater] = rating_text(one.grade)
    for failed in sheet.failures:
        cells = told.setdefault(failed.query, {}).setdefault(failed.document, {})
        cells.setdefault(failed.rater, UNRATEABLE)
    for query, document in sheet.open:
        told.setdefault(query, {}).setdefault(document, {})
    return told


def _columns(
    path: Path,
    header: tuple[str, ...],
    places: dict[str, int],
    raters: bool,
    findings: Findings,
) -> dict[int, str]:
    """The rater of each column that holds ratings."""
    if findings.refused:
        return {}
    if "query" not in places or "document" not in places:
        findings.refuse(path, 1, "needs the columns query and docid in its first line")
        return {}
    rest = [at for at in range(len(header)) if at not in (places["query"], places["document"])]
    if not raters:
        if "rating" not in places:
            findings.refuse(path, 1, "has no column rating (or is it one with raters?)")
            return {}
        for at in rest:
            if at != places["rating"]:
                findings.count("column not read", path, 1, quoted(header[at]))
        return {places["rating"]: ""}
    names = ["" if header[at].strip() in ("", NOBODY) else header[at] for at in rest]
    for name in {name for name in names if names.count(name) > 1}:
        findings.refuse(path, 1, f"has two columns of the rater {quoted(name or NOBODY)}: keep one")
    if not rest:
        findings.refuse(path, 1, "has no column of a rater")
    return dict(zip(rest, names, strict=True))


def _take(row: Row, places: dict[str, int], columns: dict[int, str], read: Reading) -> None:
    query, document = (row.cells[places[name]] for name in ("query", "document"))
    given = {at: row.cells[at] for at in columns if row.cells[at].strip()}
    if not read.names(row.line, query, document, said=bool(given)):
        return
    read.queries.setdefault(query)
    if document.strip():
        read.open.setdefault((query, document))
    for at, cell in given.items():
        rater = columns[at]
        if cell.strip().casefold() == UNRATEABLE:
            failed = Failure(query=query, document=document, rater=rater, why=UNRATEABLE)
            read.fail(failed)
        else:
            read.rate(row.line, query, document, rater, cell)
