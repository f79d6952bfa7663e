"""From the id somebody judged to the key of a record (RULINGS 48): by a template or a table.

A template is the judged id with ``{key}`` where the key stands, as ``https://shop.example/p/{key}``.
A table is a CSV of two columns under the header ``id,key``; an id may stand in it more than once.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from eval.formats.csvtable import read_table
from eval.formats.findings import Finding, Findings, FormatError

PLACE = "{key}"
# The keys a judged id may stand for: none, one, or several between which nobody can choose.
IdMap = Callable[[str], tuple[str, ...]]


def id_map(given: str) -> IdMap:
    """The map a person named. Raises FormatError for a template or table that maps nothing."""
    return _template(given) if PLACE in given else _table(Path(given))


def _template(given: str) -> IdMap:
    if given.count(PLACE) != 1 or given == PLACE:
        said = f"--id-map {given!r} needs {PLACE} once, and something beside it"
        raise FormatError([Finding(file="--id-map", line=0, message=said)])
    before, after = given.split(PLACE)
    shape = re.compile(f"{re.escape(before)}(.+){re.escape(after)}", re.DOTALL)

    def keys(judged: str) -> tuple[str, ...]:
        match = shape.fullmatch(judged)
        return (match[1],) if match else ()

    return keys


def _table(path: Path) -> IdMap:
    findings = Findings()
    table = read_table(path, findings)
    places = table.places({"id": ("id",), "key": ("key",)})
    if len(places) < 2 and not findings.refused:
        findings.refuse(path, 1, "needs the columns id and key in its first line")
    findings.check()
    found: dict[str, dict[str, None]] = {}
    for row in table.rows:
        judged, key = row.cells[places["id"]], row.cells[places["key"]]
        if judged.strip() and key.strip():
            found.setdefault(judged, {}).setdefault(key)
        else:
            findings.refuse(path, row.line, "has a blank id or key: fill both cells")
    findings.check()
    return lambda judged: tuple(found.get(judged, ()))
