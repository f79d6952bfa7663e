"""Reads and writes lines that are chained by hash, and tells a torn line from an edited one.

Each record holds the hash of the record before it. A command killed while it wrote leaves the
beginning of a line, which nothing was chained to: it is skipped with a note. A line that is not
even the beginning of a record, and a record that was edited, moved or removed, are errors.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

START = "start"
# The keys of a line in the order they are written: what a torn one must have begun with.
FIELDS = (
    "candidate",
    "date",
    "hash",
    "inputs",
    "level",
    "lineage",
    "measure",
    "opening",
    "previous",
    "sealed",
    "verdict",
)
_FIRST = f'{{"{FIELDS[0]}":"'.encode()

Record = Mapping[str, Any]


class BrokenLedger(ValueError):
    """The chain does not hold; the message names the line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """records in order; head: hash of the last; torn: the file ends inside a line."""

    records: tuple[Record, ...]
    head: str
    torn: bool
    notes: tuple[str, ...]


def seal_line(record: Record, previous: str) -> bytes:
    """One line that follows the record with hash `previous`."""
    body = {**record, "previous": previous}
    return (_canonical({**body, "hash": _digest(body)}) + "\n").encode()


def read_chain(content: bytes, name: str) -> Chain:
    """Reads a whole file; `name` stands in the messages."""
    records: list[Record] = []
    notes: list[str] = []
    head = START
    for number, line in enumerate(content.split(b"\n"), start=1):
        if not line:
            continue
        place = f"{name}, line {number}"
        record = _parsed(line)
        if record is None:
            notes.append(_torn(line, place))
            continue
        head = _follows(record, head, place)
        records.append(record)
    torn = bool(content) and not content.endswith(b"\n")
    return Chain(records=tuple(records), head=head, torn=torn, notes=tuple(notes))


def _follows(record: Record, head: str, place: str) -> str:
    body = {key: value for key, value in record.items() if key != "hash"}
    if record.get("previous") != head or record.get("hash") != _digest(body):
        raise _broken(place)
    return str(record["hash"])


def _torn(line: bytes, place: str) -> str:
    """The note about a line that a kill cut short; BrokenLedger where no kill leaves such a one."""
    if not _begins(line):
        raise _broken(place)
    return (
        f"{place}: torn by a command that was killed while it wrote; "
        "skipped, its verdict was never shown"
    )


def _begins(line: bytes) -> bool:
    """Whether `line` can be what `seal_line` had written when it was stopped."""
    from pydantic_core import from_json

    if not line.startswith(_FIRST[: len(line)]):
        return False
    try:
        from_json(line)
    except ValueError as error:
        # Of all that is not JSON only what was cut short ends too early.
        if not str(error).startswith("EOF while parsing"):
            return False
    keys = tuple(from_json(line, allow_partial="trailing-strings"))
    return keys == FIELDS[: len(keys)]


def _broken(place: str) -> BrokenLedger:
    return BrokenLedger(
        f"{place}: this opening, or the one before it, was edited, moved or removed; "
        "restore the file from a copy (promoted configurations name its head)"
    )


def _parsed(line: bytes) -> Record | None:
    try:
        record = json.loads(line)
    except ValueError:
        # Whether it is a torn line or a broken ledger is the caller's to say.
        return None
    return record if isinstance(record, dict) else None


def _digest(body: Record) -> str:
    return sha256(_canonical(body).encode()).hexdigest()


def _canonical(body: Record) -> str:
    return json.dumps(
        body, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False
    )
