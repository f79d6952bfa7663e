"""What leaves: bounded, masked results with honest warnings."""

from dataclasses import dataclass
from enum import StrEnum

from esra.domain.capability import Revision
from esra.domain.codes import WarningCode
from esra.domain.outcome import Note, Warn
from esra.domain.ranking import OrderedBy


class Status(StrEnum):
    COMPLETE = "complete"
    DEGRADED = "degraded"


@dataclass(frozen=True, slots=True, kw_only=True)
class Factors:
    """Every factor of a result's place; only ``explain`` carries it."""

    matches: tuple[tuple[tuple[str, object], ...], ...]
    bonus: float
    weighted: float
    semantic: float | None
    semantic_state: str
    final: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One result. ``id`` is opaque and fresh for each invocation."""

    id: str
    source: str
    title: str
    fragment: str
    score: float
    fields: tuple[tuple[str, object], ...] = ()
    factors: Factors | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    invocation: str
    results: tuple[Result, ...]
    warnings: tuple[Warn, ...]
    notices: tuple[Note, ...]
    ordered_by: OrderedBy
    configuration: Revision

    @property
    def status(self) -> Status:
        """Derived, never set: degraded exactly when there is a warning."""
        return Status.DEGRADED if self.warnings else Status.COMPLETE

    def warned(self, code: WarningCode) -> bool:
        return any(warning.code is code for warning in self.warnings)
