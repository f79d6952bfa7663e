"""From the id somebody judged to the key of a record, and back (RULINGS 48): a template or a table.

A template is the judged id with ``{key}`` where the key stands, as ``https://shop.example/p/{key}``.
A table is a CSV of two columns under the header ``id,key``; an id may stand in it more than once,
and so may a key.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from eval.formats.csvtable import read_table
from eval.formats.findings import Finding, Findings, FormatError

PLACE = "{key}"
Names = Callable[[str], tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class IdMap:
    """``keys(id)``: the keys a judged id may stand for: none, one, or several between which nobody
    can choose. ``ids(key)``: the ids by which a record is judged, those that may be another's too
    left out. ``shared(key)``: whether it has only such ids. ``listed``: the map names its keys, and
    does not make an id of any.
    """

    keys: Names
    ids: Names
    shared: Callable[[str], bool]
    listed: bool


def id_map(given: str) -> IdMap:
    """The map a person named. Raises FormatError for a template or table that maps nothing."""
    if PLACE in given:
        return _template(given)
    if not Path(given).exists():
        said = f"{given!r} is no file that is there, and no template, which holds {PLACE}"
        raise FormatError([Finding(file="--id-map", line=0, message=said)])
    return _table(Path(given))


def _template(given: str) -> IdMap:
    if given.count(PLACE) != 1 or given == PLACE:
        said = f"{given!r} needs {PLACE} once, and something beside it"
        raise FormatError([Finding(file="--id-map", line=0, message=said)])
    before, after = given.split(PLACE)
    shape = re.compile(f"{re.escape(before)}(.+){re.escape(after)}", re.DOTALL)

    def keys(judged: str) -> tuple[str, ...]:
        match = shape.fullmatch(judged)
        return (match[1],) if match else ()

    return IdMap(
        keys=keys,
        ids=lambda key: (f"{before}{key}{after}",),
        shared=lambda key: False,
        listed=False,
    )


def _table(path: Path) -> IdMap:
    findings = Findings()
    table = read_table(path, findings)
    places = table.places({"id": ("id",), "key": ("key",)}, path, findings)
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
    return _of(found)


def _of(keys: Mapping[str, Mapping[str, None]]) -> IdMap:
    ids: dict[str, list[str]] = {}
    for judged, own in keys.items():
        for key in own:
            mine = ids.setdefault(key, [])
            if len(own) == 1:
                mine.append(judged)
    return IdMap(
        keys=lambda judged: tuple(keys.get(judged, ())),
        ids=lambda key: tuple(ids.get(key, ())),
        shared=lambda key: key in ids and not ids[key],
        listed=True,
    )
