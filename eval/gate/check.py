"""What a gate says: one check each, passed, failed or skipped, with a sentence and its details."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class Suite(StrEnum):
    QUALITY = "quality"
    SEGMENTS = "segments"
    GOVERNANCE = "governance"


class Status(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One question to a run. ``said`` is one sentence, ``details`` a line each.

    Both may hold ids and texts that somebody hostile wrote: whoever writes them out escapes them.
    """

    suite: Suite
    name: str
    status: Status
    said: str
    details: tuple[str, ...] = ()

    def as_json(self) -> dict[str, object]:
        return {
            "suite": str(self.suite),
            "name": self.name,
            "status": str(self.status),
            "said": self.said,
            "details": list(self.details),
        }


def verdict(held: bool) -> Status:
    return Status.PASSED if held else Status.FAILED


def failed(checks: Sequence[Check]) -> bool:
    """Whether the gate is shut. A gate that asked nothing is shut: it cannot have held anything."""
    asked = [check for check in checks if check.status is not Status.SKIPPED]
    return not asked or any(check.status is Status.FAILED for check in asked)
