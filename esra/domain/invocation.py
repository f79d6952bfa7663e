"""Who calls, and what for. Times are seconds since the epoch (UTC), as floats."""

from dataclasses import dataclass
from enum import StrEnum

from esra.domain.source import Limits


class Identity(StrEnum):
    """How the caller became known; it stands in every audit record."""

    LOCAL = "local"
    TOKEN = "token"


class Mode(StrEnum):
    """How much a response shows. ``explain`` shows native scores, so it needs permission."""

    BRIEF = "brief"
    FULL = "full"
    EXPLAIN = "explain"


# Names and values of a token, every value as text; a claim that is a list has several.
Claims = tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """Who calls, as authentication established it. What he may do is not decided yet."""

    tenant: str
    subject: str
    identity: Identity
    groups: tuple[str, ...] = ()
    scopes: frozenset[str] = frozenset()
    claims: Claims = ()
    expires: float | None = None  # seconds since the epoch; None: for as long as the process lives


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """A principal authorized for one exposure; ``sources`` and ``modes`` are what runtime
    authorization grants, and ``limits`` what it bounds."""

    tenant: str
    subject: str
    identity: Identity
    groups: tuple[str, ...] = ()
    claims: Claims = ()
    sources: frozenset[str] | None = None  # None: no restriction at this level
    modes: frozenset[str] | None = None  # None: no restriction at this level
    limits: Limits = Limits()


class Retention(StrEnum):
    """What may be kept of a prompt (RULINGS 18)."""

    FULL = "full"
    KEYED_HASH = "keyed_hash"
    REDACTED = "redacted"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a door received, before anybody looked at it."""

    exposure: str
    prompt: str
    caller: Caller
    limit: int = 10
    mode: Mode = Mode.BRIEF
    seconds: float = 10.0
    now: float | None = None  # None: the clock's; a labelled query's own date otherwise
    correlation: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One invocation of one exposure."""

    id: str
    exposure: str
    prompt: str
    caller: Caller
    now: float
    seconds: float = 10.0  # the whole invocation's time
    limit: int = 10
    mode: Mode = Mode.BRIEF
    correlation: str = ""
    salt: str = ""  # makes result ids opaque; never leaves
