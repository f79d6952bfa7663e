"""Queries with how often each was asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from eval.dataset.reading import unaskable
from eval.exchange.keyed import query_id
from eval.formats.columns import grade_of
from eval.formats.csvtable import read_table
from eval.formats.findings import Findings, quoted

_NAMES = {
    "id": ("id", "query-id", "query_id"),
    "text": ("text", "query"),
    "traffic": ("frequency", "count", "traffic"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asks:
    """A query's text, and how often it was asked."""

    text: str
    count: int


def read_traffic(path: Path, key: Callable[[], bytes]) -> dict[str, Asks]:
    """Queries by id; those without one get it under ``key``. Raises FormatError.

    A query that stands in several rows was asked as often as all of them say.
    """
    findings = Findings()
    table = read_table(path, findings)
    places = table.places(_NAMES, path, findings)
    if not findings.refused and not {"text", "traffic"} <= places.keys():
        findings.refuse(path, 1, "needs the columns query and traffic in its first line")
    findings.check()
    secret = b"" if "id" in places else key()
    found: dict[str, Asks] = {}
    for row in table.rows:
        cells = {name: row.cells[at] for name, at in places.items()}
        count = grade_of(cells["traffic"])
        if not cells["text"].strip() or ("id" in cells and not cells["id"].strip()):
            findings.refuse(path, row.line, "has a blank query or id: fill the cells")
        elif count is None or count < 0:
            said = f"traffic {quoted(cells['traffic'])} is not a whole number from 0 to 999,999,999"
            findings.refuse(path, row.line, said)
        elif why := unaskable(cells["text"]):
            findings.refuse(path, row.line, why)
        else:
            id = cells.get("id") or query_id(cells["text"], secret)
            before = found.get(id, Asks(text=cells["text"], count=0))
            if before.text != cells["text"]:
                findings.refuse(path, row.line, f"gives {quoted(id)} another text: keep one")
            found[id] = Asks(text=before.text, count=before.count + count)
    if not found and not findings.refused:
        findings.refuse(path, 0, "holds no query")
    findings.check()
    return found
