"""The calls a breaker looks back on: the last so many, or those of the last so many seconds."""

from collections import deque
from dataclasses import dataclass

from esra.domain.resilience import BreakerRules
from esra.domain.resilience import Window as Kind


@dataclass(frozen=True, slots=True)
class Seen:
    """One call that counts; ``at`` in seconds of the breaker's clock."""

    at: float
    failed: bool
    slow: bool


class Tally:
    """How many calls there were, and how many of them failed or were slow. Forgets none."""

    def __init__(self) -> None:
        self.calls = self.failed = self.slow = 0

    def add(self, seen: Seen) -> None:
        self._count(seen, 1)

    def _count(self, seen: Seen, by: int) -> None:
        self.calls += by
        self.failed += by * seen.failed
        self.slow += by * seen.slow


class Window(Tally):
    """A tally of the calls that the rules look back on."""

    def __init__(self, rules: BreakerRules) -> None:
        super().__init__()
        self._rules = rules
        self._seen: deque[Seen] = deque()

    def add(self, seen: Seen) -> None:
        super().add(seen)
        self._seen.append(seen)
        while self._stale(seen.at):
            self._count(self._seen.popleft(), -1)

    def _stale(self, now: float) -> bool:
        if self._rules.window is Kind.CALLS:
            return len(self._seen) > self._rules.calls
        return now - self._seen[0].at >= self._rules.seconds
