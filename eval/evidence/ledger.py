"""Keeps the openings of sealed parts: one append-only file, one JSON line each, chained by hash.

An opening is (data lineage, candidate, measure). The same three again give the stored verdict and
open nothing. A set that shares more than a tenth of its sealed groups with an opened lineage
continues it, and each further opening of a lineage is tested at half the level. A group is the
same where any of its questions is, so that naming needs makes no new set of old ones. A verdict is
returned only after its line is on the disk, under one lock, so that two commands at once cannot
both be first. Hashes notice edits inside the file; a cut-off tail is noticed by `Ledger.require`
with the heads that the evidence of earlier decisions names. Against the owner of the file there is
no defence.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from math import log2
from os import O_APPEND, O_CREAT, O_RDWR, close, fstat, fsync, pread
from os import open as open_file
from os import write as write_some
from pathlib import Path
from types import MappingProxyType

from eval.evidence.chain import BrokenLedger, Chain, Record, read_chain, seal_line
from eval.evidence.compare import LEVEL

SHARED = 0.1
NEW = "no ledger found: this is the first opening of a new one"
# What evidence names as its head where there was no ledger.
NO_LEDGER = "no ledger found"

Verdict = Record
# The test to run when an opening is due: (number of the opening in its lineage, level) -> verdict.
Test = Callable[[int, float], Verdict]
# Of a sealed group by its mark: further marks it is known by, of what its questions say.
Known = Mapping[str, Iterable[str]]
NOTHING: Known = MappingProxyType({})

__all__ = ["BrokenLedger", "Ledger", "Opening"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """One opening as it stands in the ledger.

    number: 1 for the first of its lineage; level: the one-sided level of its test
    inputs: what was kept beside the verdict
    fresh:  this call made it; otherwise it is the stored one
    """

    lineage: str
    candidate: str
    measure: str
    number: int
    level: float
    date: str
    verdict: Verdict
    inputs: Mapping[str, str]
    head: str
    fresh: bool
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ledger:
    """The ledger at `path`; reading never makes the file."""

    path: Path

    def read(self) -> Chain:
        """Every opening in order; raises BrokenLedger where a line was edited, moved or removed."""
        return read_chain(self.path.read_bytes() if self.path.exists() else b"", str(self.path))

    @property
    def head(self) -> str | None:
        """Hash of the last line, None where no ledger is found."""
        chain = self.read()
        return chain.head if chain.records else None

    def require(self, heads: Iterable[str]) -> None:
        """Raises BrokenLedger where an opening is missing that earlier evidence names as its head.

        heads: "ledger" of the evidence in tuned and candidate files; NO_LEDGER among them names
        none and requires none
        """
        known = {record["hash"] for record in self.read().records}
        missing = sorted(set(heads) - known - {NO_LEDGER})
        if missing:
            raise BrokenLedger(
                f"{self.path}: opening {missing[0]} is missing, which an earlier decision names as "
                "its ledger's head; restore the file from a copy that holds it, or take that "
                "decision's file away if it belongs to another ledger"
            )

    def due(self, marks: Sequence[str], known: Known = NOTHING) -> float:
        """The level at which a further candidate would be tested; opens nothing."""
        return level_of(len(_touched(self.read().records, marks, known)) + 1)

    def open(
        self,
        *,
        marks: Sequence[str],
        known: Known = NOTHING,
        candidate: str,
        measure: str,
        now: datetime,
        inputs: Mapping[str, str],
        test: Test,
    ) -> Opening:
        """Returns the stored verdict of these three, or runs `test` and stores what it says.

        marks:  one mark for each sealed group (`split.seal_mark`)
        known:  what else its groups are known by
        inputs: fingerprints of the data, and together with what it is claimed (``family``), kept
                beside the verdict
        """
        with _locked(self.path) as file:
            chain = read_chain(_whole(file), str(self.path))
            touched = _touched(chain.records, marks, known)
            for record in touched:
                if (record["candidate"], record["measure"]) == (candidate, measure):
                    return _opening(record, fresh=False, notes=chain.notes)
            number = len(touched) + 1
            level = level_of(number)
            record = {
                "lineage": touched[0]["lineage"] if touched else _name(marks),
                "candidate": candidate,
                "measure": measure,
                "opening": number,
                "level": level,
                "date": now.isoformat(timespec="seconds"),
                "inputs": dict(inputs),
                "sealed": sorted(set(marks).union(*known.values())),
                "verdict": dict(test(number, level)),
            }
            line = seal_line(record, chain.head)
            _append(file, line, fresh_line=chain.torn)
            stored = json.loads(line)
        notes = chain.notes if chain.records else (NEW, *chain.notes)
        return _opening(stored, fresh=True, notes=notes)


def level_of(number: int) -> float:
    """The one-sided level of a lineage's opening; all of them add up to under twice the first."""
    return float(LEVEL / 2 ** (number - 1))


def at_level(level: float) -> str:
    """Said of a figure that holds at the level of a further opening; "" at that of a first."""
    return "" if level == LEVEL else f" at the level {level:.3g} of opening {_number(level)}"


def _number(level: float) -> int:
    return 1 + round(log2(LEVEL / level))


def _touched(records: Sequence[Record], marks: Sequence[str], known: Known) -> list[Record]:
    """The openings of every lineage that these sealed groups continue."""
    opened: dict[str, set[str]] = {}
    for record in records:
        opened.setdefault(record["lineage"], set()).update(record["sealed"])
    groups = [{mark, *known.get(mark, ())} for mark in set(marks)]
    continued = {
        name
        for name, seen in opened.items()
        if sum(not seen.isdisjoint(group) for group in groups) > SHARED * len(groups)
    }
    return [record for record in records if record["lineage"] in continued]


def _name(marks: Sequence[str]) -> str:
    return sha256("\n".join(sorted(set(marks))).encode()).hexdigest()[:16]


def _opening(record: Record, *, fresh: bool, notes: tuple[str, ...]) -> Opening:
    return Opening(
        lineage=record["lineage"],
        candidate=record["candidate"],
        measure=record["measure"],
        number=record["opening"],
        level=record["level"],
        date=record["date"],
        verdict=record["verdict"],
        inputs=record["inputs"],
        head=record["hash"],
        fresh=fresh,
        notes=notes,
    )


@contextmanager
def _locked(path: Path) -> Iterator[int]:
    # POSIX only, like the embedded server; imported here so that reading works anywhere.
    from fcntl import LOCK_EX, flock

    path.parent.mkdir(parents=True, exist_ok=True)
    file = open_file(path, O_RDWR | O_CREAT | O_APPEND, 0o644)
    try:
        flock(file, LOCK_EX)
        yield file
    finally:
        close(file)


def _whole(file: int) -> bytes:
    return pread(file, fstat(file).st_size, 0)


def _append(file: int, line: bytes, *, fresh_line: bool) -> None:
    """Writes one line and waits for the disk; a torn line before it is closed off and stays."""
    rest = (b"\n" if fresh_line else b"") + line
    while rest:
        rest = rest[write_some(file, rest) :]
    fsync(file)
