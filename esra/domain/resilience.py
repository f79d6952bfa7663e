"""How often a source is asked again, and how much trouble it may make before it is left alone.

Only numbers and names; what they do stands in ``providers/resilience``.
"""

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True, kw_only=True)
class Retries:
    """``attempts`` of a query in all, the first included.

    Retries are at most ``share`` of a source's calls beyond ``reserve``, which it starts with.
    Before the n-th retry passes a random part of ``backoff`` * 2^(n-1) seconds.
    """

    attempts: int = 3
    share: float = 0.1
    reserve: int = 3
    backoff: float = 0.05


class Window(StrEnum):
    """What a breaker looks back on: its last ``calls``, or the calls of the last ``seconds``."""

    CALLS = "calls"
    SECONDS = "seconds"


class Switch(StrEnum):
    """Who decides whether a source is called: the breaker, or somebody who said never or always."""

    AUTO = "auto"
    OPEN = "open"
    DISABLED = "disabled"


class BreakerState(StrEnum):
    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"
    FORCED_OPEN = "forced_open"
    DISABLED = "disabled"


class BreakerCause(StrEnum):
    """Why a breaker changed its state."""

    FAILURES = "failures"  # too large a share of the calls failed
    SLOW = "slow"  # too large a share of the calls was slow
    RESTED = "rested"  # the open interval is over
    REACHABLE = "reachable"  # the server can be reached again
    RECOVERED = "recovered"  # the trial calls went well
    STUCK = "stuck"  # a trial call did not come back
    SWITCHED = "switched"  # somebody said so


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakerRules:
    """When a source is left alone, for how long, and how it is tried again.

    From ``minimum`` calls in the window on, the breaker opens where the share of failed calls is
    ``failures`` or that of slow ones ``slow``; a call is slow from ``slowness`` of its source's
    own time on. It stays open for ``rest`` seconds, twice as long each time a trial fails, at
    most ``longest_rest``, each 20 % more or less by chance. Then ``trials`` calls at a time are
    let through; one that is not back after ``patience`` seconds (or twice its source's own time, if
    that is longer) has failed.
    """

    switch: Switch = Switch.AUTO
    window: Window = Window.CALLS
    calls: int = 20
    seconds: float = 30.0
    minimum: int = 10
    failures: float = 0.5
    slow: float = 0.8
    slowness: float = 0.8
    rest: float = 10.0
    longest_rest: float = 120.0
    trials: int = 2
    patience: float = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakerChange:
    """One change of a source's breaker; ``time`` in seconds since the epoch."""

    source: str
    before: BreakerState
    after: BreakerState
    cause: BreakerCause
    time: float
