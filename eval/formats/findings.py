"""What is to be said about files: findings that stop the reading, and findings that are counted.

All errors of a reading are gathered and raised together, so that a file is mended in one go. What
leaves the data sound is counted by kind: one finding a kind, with the first ten lines.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

KEPT = 20
NAMED = 10
LONGEST_QUOTE = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing about a file, as given; ``line`` counts from 1, 0 is the file as a whole."""

    file: str
    line: int
    message: str
    count: int = 1

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{place}: {self.message}"


class FormatError(ValueError):
    """Files that cannot be used. ``findings`` are the first errors, ``more`` counts the others."""

    def __init__(self, findings: Iterable[Finding], more: int = 0) -> None:
        self.findings = tuple(findings)
        self.more = more
        rest = (f"and {more} more",) if more else ()
        super().__init__("\n".join((*map(str, self.findings), *rest)))


@dataclass(slots=True)
class _Counted:
    line: int
    count: int = 0
    named: list[str] = field(default_factory=list)

    def told(self, kind: str) -> str:
        rest = ", ..." if self.count > len(self.named) else ""
        return f"{kind}: {self.count}, namely {', '.join(self.named)}{rest}"


@dataclass(slots=True)
class Findings:
    """Gathers what one reading finds; ``error`` is what ``check`` raises."""

    error: type[FormatError] = FormatError
    refused: list[Finding] = field(default_factory=list)
    more: int = 0
    counted: dict[tuple[str, str], _Counted] = field(default_factory=dict)

    def refuse(self, file: Path, line: int, message: str) -> None:
        """Notes an error; what follows is still read."""
        if len(self.refused) < KEPT:
            self.refused.append(Finding(file=str(file), line=line, message=message))
        else:
            self.more += 1

    def count(self, kind: str, file: Path, line: int, what: str) -> None:
        """Notes one more case of ``kind``, which leaves the data sound."""
        counted = self.counted.setdefault((str(file), kind), _Counted(line=line))
        counted.count += 1
        if len(counted.named) < NAMED:
            counted.named.append(f"{what} (line {line})" if line else what)

    def absorb(self, error: FormatError) -> None:
        """Takes over what another reading could not go on with."""
        room = KEPT - len(self.refused)
        self.refused.extend(error.findings[:room])
        self.more += error.more + len(error.findings[room:])

    def check(self) -> None:
        """Raises all errors together, if there are any."""
        if self.refused:
            raise self.error(self.refused, self.more)

    def tolerated(self) -> tuple[Finding, ...]:
        """One finding a file and kind, with its count, at the line of the first case."""
        return tuple(
            Finding(file=file, line=seen.line, message=seen.told(kind), count=seen.count)
            for (file, kind), seen in self.counted.items()
        )


def quoted(value: object) -> str:
    """A value as an error shows it: escaped, and not longer than a line can bear."""
    text = repr(value)
    return text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]}..."
