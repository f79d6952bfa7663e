"""What a verification says: each trouble with its kind and its place."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from esra.governance.audit.files import Line


class Kind(StrEnum):
    """What was done to a log."""

    EDITED = "edited"
    DELETED = "deleted"
    MOVED = "moved"
    DUPLICATED = "duplicated"
    INSERTED = "inserted"
    CUT_OFF = "cut off"
    HEAD = "head"  # missing, changed or older than the log
    KEY = "key"  # another key than the one the log was written with
    ANCHOR = "anchor"  # the log is not the one whose head was exported


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """``first`` to ``last`` are records, by their sequence, 0 where none can be named; ``line``
    counts from 1 in ``file``, "" and 0 for what is not there."""

    kind: Kind
    first: int = 0
    last: int = 0
    file: str = ""
    line: int = 0
    text: str


def at_line(kind: Kind, sequence: int, line: Line, text: str) -> Finding:
    return Finding(
        kind=kind, first=sequence, last=sequence, file=line.file, line=line.number, text=text
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Open:
    """An invocation with a begin record and no end: it runs, or its process was killed."""

    invocation: str
    correlation: str
    sequence: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """``records`` are those in the log; ``crash`` says what a killed process left, "" for nothing.

    ``torn`` lines were kept aside, ``setbacks`` are places where the clock ran backwards.
    """

    log: str
    records: int
    findings: tuple[Finding, ...]
    crash: str = ""
    open: tuple[Open, ...] = ()
    abandoned: int = 0
    torn: int = 0
    setbacks: int = 0
    head: str = ""

    @property
    def whole(self) -> bool:
        return not self.findings


def runs(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """Neighbours together: 1 2 3 7 gives (1, 3) (7, 7)."""
    found: list[tuple[int, int]] = []
    for number in numbers:
        if found and found[-1][1] == number - 1:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
    return found
