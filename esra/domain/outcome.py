"""Expected trouble as values. Exceptions are for bugs, cancellation and ``Refused``."""

from dataclasses import dataclass
from typing import Generic, TypeVar

from esra.domain.codes import (
    AuditEvent,
    ErrorCode,
    FailureCode,
    NoticeCode,
    RejectReason,
    WarningCode,
)
from esra.domain.usage import Asked

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """A source that did not answer. No field here can hold driver text.

    ``internal``: the engine itself is broken (SQLSTATE classes 58 and XX), beyond what ``code``
    says; a breaker counts it.
    """

    code: FailureCode
    internal: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected:
    """A planned query the validator dropped, by its number in its source's plan (from 0)."""

    source: str
    query: int
    reason: RejectReason


@dataclass(frozen=True, slots=True, kw_only=True)
class Warn:
    """A warning of the response; ``source`` and ``detail`` come from closed sets and ids."""

    code: WarningCode
    source: str | None = None
    detail: str | None = None
    count: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A notice of the response."""

    code: NoticeCode
    source: str | None = None
    detail: str | None = None
    count: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One audit record in the making: an event and its plain values."""

    event: AuditEvent
    values: tuple[tuple[str, object], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome(Generic[T]):
    """What a stage hands back: its value, and what there is to say about it.

    ``asked`` names the models it asked, and what that cost.
    """

    value: T
    warnings: tuple[Warn, ...] = ()
    notices: tuple[Note, ...] = ()
    facts: tuple[Fact, ...] = ()
    asked: tuple[Asked, ...] = ()


class Refused(Exception):
    """The invocation ends with an error code. The message is safe for the caller to read.

    ``facts`` are still audited, so that a refusal says what it was decided on.
    """

    def __init__(self, code: ErrorCode, message: str, facts: tuple[Fact, ...] = ()) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.facts = facts
