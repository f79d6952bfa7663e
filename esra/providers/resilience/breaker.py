"""Leaves a source alone that keeps failing, and finds out carefully whether it is well again.

The rules are resilience4j's (CircuitBreakerStateMachine), with three differences. A trial that
never comes back is a failed one after a stated time; there it holds everybody out for ever. A
call that began in an earlier state counts in none of the later ones. A trial that is cancelled, or
fails for a reason that is not the source's state, gives its permit back and says nothing.

No loop, no clock and no dice of its own: each is passed in, so that every rule can be shown.
"""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from esra.domain.resilience import BreakerCause, BreakerRules, BreakerState, Switch
from esra.providers.resilience.window import Seen, Tally, Window

JITTER = 0.2  # so that the instances of a runtime do not all come back at once

Tell = Callable[[BreakerState, BreakerState, BreakerCause], None]

_SWITCHED = {
    Switch.AUTO: BreakerState.CLOSED,
    Switch.OPEN: BreakerState.FORCED_OPEN,
    Switch.DISABLED: BreakerState.DISABLED,
}


@dataclass(frozen=True, slots=True, eq=False)
class Permit:
    """Leave to make one call, in one stay of the breaker in one state. Comes back once."""

    stay: int
    since: float


def _nobody(before: BreakerState, after: BreakerState, cause: BreakerCause) -> None:
    """Nobody is told."""


class Breaker:
    """One source's breaker; ``seconds`` is how long one of its calls may take.

    ``monotonic`` gives seconds that never run backwards; ``tell`` hears of each change.
    """

    def __init__(
        self,
        rules: BreakerRules,
        *,
        seconds: float,
        monotonic: Callable[[], float],
        dice: Random,
        tell: Tell = _nobody,
    ) -> None:
        self._rules, self._monotonic, self._dice, self._tell = rules, monotonic, dice, tell
        self.slow_after = rules.slowness * seconds
        self._patience = max(rules.patience, 2 * seconds)
        self._state = _SWITCHED[rules.switch]
        self._stay = 0
        self._tally: Tally = Window(rules)
        self._out: set[Permit] = set()  # trials under way
        self._rested_at = 0.0
        self._failed_trials = 0  # in a row: how often the rest has doubled

    @property
    def state(self) -> BreakerState:
        return self._state

    def admit(self) -> Permit | None:
        """Leave to make a call; None where the source is left alone."""
        self._look_at_the_clock()
        permit = Permit(self._stay, self._monotonic())
        match self._state:
            case BreakerState.CLOSED | BreakerState.DISABLED:
                return permit
            case BreakerState.HALF_OPEN if self._trials_left():
                self._out.add(permit)
                return permit
        return None

    def record(self, permit: Permit, *, failed: bool, took: float) -> None:
        """What became of a call; ``took`` seconds."""
        self._out.discard(permit)
        judged = self._state in (BreakerState.CLOSED, BreakerState.HALF_OPEN)
        if permit.stay != self._stay or not judged:
            return
        self._tally.add(Seen(self._monotonic(), failed, took >= self.slow_after))
        if self._state is BreakerState.CLOSED:
            self._judge_calls()
        else:
            self._judge_trials()

    def give_back(self, permit: Permit) -> None:
        """The call says nothing of the source: it was cancelled, or its own fault."""
        self._out.discard(permit)

    def reachable(self) -> None:
        """The server that was away is back: an open breaker tries it now."""
        if self._state is BreakerState.OPEN:
            self._become(BreakerState.HALF_OPEN, BreakerCause.REACHABLE)

    def switch(self, to: Switch) -> None:
        """Somebody decides; ``AUTO`` begins anew, closed."""
        self._failed_trials = 0
        self._become(_SWITCHED[to], BreakerCause.SWITCHED)

    def _look_at_the_clock(self) -> None:
        now = self._monotonic()
        if self._state is BreakerState.OPEN and now >= self._rested_at:
            self._become(BreakerState.HALF_OPEN, BreakerCause.RESTED)
        elif any(now - permit.since >= self._patience for permit in self._out):
            self._open(BreakerCause.STUCK)

    def _trials_left(self) -> bool:
        return self._tally.calls + len(self._out) < self._rules.trials

    def _judge_calls(self) -> None:
        if self._tally.calls >= self._rules.minimum:
            self._open_if_bad(self._tally.calls)

    def _judge_trials(self) -> None:
        # Of all trials, not of those that are back: the first that fails may already decide.
        if not self._open_if_bad(self._rules.trials) and self._tally.calls == self._rules.trials:
            self._failed_trials = 0
            self._become(BreakerState.CLOSED, BreakerCause.RECOVERED)

    def _open_if_bad(self, calls: int) -> bool:
        if self._tally.failed / calls >= self._rules.failures:
            self._open(BreakerCause.FAILURES)
        elif self._tally.slow / calls >= self._rules.slow:
            self._open(BreakerCause.SLOW)
        return self._state is BreakerState.OPEN

    def _open(self, cause: BreakerCause) -> None:
        if self._state is BreakerState.HALF_OPEN:
            self._failed_trials += 1
        # 2^30 rests of the shortest kind are longer than any longest one.
        rest = min(self._rules.rest * 2 ** min(self._failed_trials, 30), self._rules.longest_rest)
        self._rested_at = self._monotonic() + rest * self._dice.uniform(1 - JITTER, 1 + JITTER)
        self._become(BreakerState.OPEN, cause)

    def _become(self, state: BreakerState, cause: BreakerCause) -> None:
        before, self._state = self._state, state
        self._stay += 1
        # Trials may be far apart, and none of them is forgotten.
        trying = state is BreakerState.HALF_OPEN
        self._tally = Tally() if trying else Window(self._rules)
        self._out.clear()
        self._tell(before, state, cause)
