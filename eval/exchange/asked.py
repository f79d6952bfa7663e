"""The queries that are known already: of a file a person names, or of the folder imported into."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from eval.dataset.errors import DatasetError
from eval.dataset.reading import read_queries
from eval.dataset.records import Query
from eval.evidence import normal_form
from eval.formats.csvtable import Table, read_table
from eval.formats.findings import Findings
from eval.formats.lines import numbered_lines
from eval.formats.tabs import read_tabs

_NAMES = {
    "id": ("id", "_id", "query-id", "query_id"),
    "text": ("text", "query"),
    "need": ("need", "information_need"),
}
_TABLES = {".csv": read_table, ".tsv": read_tabs}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Queries by id, each with its line where it has one."""

    queries: Mapping[str, Query] = field(default_factory=dict)
    lines: Mapping[str, bytes] = field(default_factory=dict)

    def by_text(self) -> dict[str, tuple[str, ...]]:
        """The ids of the queries of each text."""
        found: dict[str, tuple[str, ...]] = {}
        for query in self.queries.values():
            found[query.text] = (*found.get(query.text, ()), query.id)
        return found


def read_asked(path: Path) -> Asked:
    """Queries of a JSON-lines file as in a labelled folder, or of a table with id and text.

    A table is CSV, or TSV as TREC topics are kept; either may be packed. Raises DatasetError.
    """
    findings = Findings(DatasetError)
    if path.is_dir():
        path = path / "queries.jsonl"
    named = path.with_suffix("") if path.suffix == ".gz" else path
    if read := _TABLES.get(named.suffix.lower()):
        queries = _table(path, read(path, findings), findings)
        findings.check()
        return Asked(queries=queries)
    _refuse_no_lines(path, findings)
    found = read_queries(path, findings)
    findings.check()
    return Asked(
        queries={key: query for key, (query, _) in found.items()},
        lines={key: line for key, (_, line) in found.items()},
    )


def new_query(id: str, text: str, need: str = "") -> Query:
    """A query nobody has grouped: its need, else its text, is its group."""
    group = normal_form(need) or normal_form(text) or id
    return Query(id=id, text=text, need=need, group=group)


def _refuse_no_lines(path: Path, findings: Findings) -> None:
    """One complaint about a table by another name, where each of its lines would make one."""
    _, first = next(numbered_lines(path, Findings()), (0, "{"))
    if not first.lstrip().startswith("{"):
        said = "is no JSON lines: a table of queries is named by .csv or .tsv at its end"
        findings.refuse(path, 1, said)
    findings.check()


def _table(path: Path, table: Table, findings: Findings) -> dict[str, Query]:
    places = table.places(_NAMES, path, findings)
    if not findings.refused and not {"id", "text"} <= places.keys():
        findings.refuse(path, 1, "needs the columns id and text in its first line")
    found: dict[str, Query] = {}
    for row in () if findings.refused else table.rows:
        cells = {name: row.cells[at] for name, at in places.items()}
        if not cells["id"].strip() or not cells["text"].strip():
            findings.refuse(path, row.line, "has a blank id or text: fill both cells")
            continue
        query = new_query(cells["id"], cells["text"], cells.get("need", ""))
        if found.setdefault(query.id, query) != query:
            said = f"asks {query.id!r} a second time, otherwise: keep one"
            findings.refuse(path, row.line, said)
    return found
