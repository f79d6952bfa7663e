"""Reads and writes lines that are chained by hash, and tells a torn line from an edited one.

Each record holds the hash of the record before it. A command killed while it wrote leaves a line
that is not JSON and that nothing was chained to: it is skipped with a note. A record that was
edited, moved or removed breaks the chain of its successor: that is an error.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

START = "start"

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
        record = _parsed(line)
        if record is None:
            notes.append(
                f"{name}, line {number}: torn by a command that was killed while it wrote; "
                "skipped, its verdict was never shown"
            )
            continue
        head = _follows(record, head, f"{name}, line {number}")
        records.append(record)
    torn = bool(content) and not content.endswith(b"\n")
    return Chain(records=tuple(records), head=head, torn=torn, notes=tuple(notes))


def _follows(record: Record, head: str, place: str) -> str:
    body = {key: value for key, value in record.items() if key != "hash"}
    if record.get("previous") != head or record.get("hash") != _digest(body):
        raise BrokenLedger(
            f"{place}: this opening, or the one before it, was edited, moved or removed; "
            "restore the file from a copy (promoted configurations name its head)"
        )
    return str(record["hash"])


def _parsed(line: bytes) -> Record | None:
    try:
        record = json.loads(line)
    except ValueError:
        # The note about a torn line is the caller's.
        return None
    return record if isinstance(record, dict) else None


def _digest(body: Record) -> str:
    return sha256(_canonical(body).encode()).hexdigest()


def _canonical(body: Record) -> str:
    return json.dumps(
        body, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False
    )
