"""What was done to a log whose chain does not hold: which lines are genuine, and which are not.

Pure. A line is genuine if its seal fits its record and the seal of the record before, wherever the
two stand: nobody without the key makes such a pair. From where the genuine lines stand and which
are not there follows what happened.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from esra.governance.audit.chain import Keys, seal, split
from esra.governance.audit.files import Line
from esra.governance.audit.findings import Finding, Kind, at_line, runs
from esra.governance.audit.record import parsed


@dataclass(slots=True)
class _Entry:
    line: Line
    sequence: int | None
    body: bytes
    seal: bytes
    genuine: bool = False


@dataclass(slots=True)
class _Seen:
    """What the walk along the file has met so far."""

    last: int
    genuine: set[int]
    met: set[int] = field(default_factory=set)
    edited: set[int] = field(default_factory=set)
    top: int = 0


def explain(
    lines: Iterable[Line], keys: Keys, start: bytes, end: tuple[int, bytes] | None
) -> list[Finding]:
    """The findings, in the order of the log.

    ``start`` is what stands for the seal before record 1, ``end`` the sequence and seal of the last
    record that was acknowledged, None if nobody knows.
    """
    entries = [_entry(line) for line in lines]
    _judge(entries, keys, start, end)
    genuine = {e.sequence for e in entries if e.genuine and e.sequence is not None}
    last = end[0] if end else max(genuine, default=0)
    seen = _Seen(last=last, genuine=genuine)
    found = [finding for entry in entries if (finding := _met(entry, seen)) is not None]
    absent = [n for n in range(1, last + 1) if n not in seen.met and n not in seen.edited]
    return [*found, *(_absent(first, to, last) for first, to in runs(absent))]


def _entry(line: Line) -> _Entry:
    parts, record = split(line.data), parsed(line.data)
    if parts is None or record is None:
        return _Entry(line, record.sequence if record else None, line.data, b"")
    return _Entry(line, record.sequence, *parts)


def _judge(entries: list[_Entry], keys: Keys, start: bytes, end: tuple[int, bytes] | None) -> None:
    """Marks the genuine ones."""
    by: dict[int, list[_Entry]] = defaultdict(list)
    for entry in entries:
        if entry.sequence is not None:
            by[entry.sequence].append(entry)
    seals: dict[int, set[bytes]] = {0: {start}}
    bound = {end} if end else set()
    for sequence in sorted(by):
        here = seals[sequence] = set()
        for entry in by[sequence]:
            for before in seals.get(sequence - 1, ()):
                # The true seal of a line whose own was edited: the next line still hangs on it.
                here.add(true := seal(keys, before, entry.body))
                if true == entry.seal:
                    entry.genuine = True
                    bound.add((sequence - 1, before))
            here.add(entry.seal)
    for sequence in by.keys() - {n + 1 for n in by} - {1}:
        for entry in by[sequence]:
            # What stood before it is gone; what stands after it may still vouch for it.
            entry.genuine = entry.genuine or (sequence, entry.seal) in bound


def _met(entry: _Entry, seen: _Seen) -> Finding | None:
    number = entry.sequence
    if entry.genuine and number is not None:
        if number in seen.met:
            return at_line(Kind.DUPLICATED, number, entry.line, "a record stands here again")
        seen.met.add(number)
        if number < seen.top:
            return at_line(Kind.MOVED, number, entry.line, "a record stands out of its order")
        seen.top = number
        return None
    for place in (number, seen.top + 1):
        if (
            place is not None
            and 0 < place <= seen.last
            and place not in (seen.genuine | seen.edited)
        ):
            seen.edited.add(place)
            seen.top = max(seen.top, place)
            return at_line(Kind.EDITED, place, entry.line, "the record was changed")
    return at_line(Kind.INSERTED, 0, entry.line, "this line is no record of this log")


def _absent(first: int, to: int, last: int) -> Finding:
    count = to - first + 1
    if to == last:
        return Finding(
            kind=Kind.CUT_OFF, first=first, last=to, text=f"the last {count} records are missing"
        )
    return Finding(kind=Kind.DELETED, first=first, last=to, text=f"{count} records are missing")
