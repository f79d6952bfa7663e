"""Time and chance in our hands, and calls that end as they are told to."""

import asyncio
from random import Random

from esra.domain.codes import FailureCode
from esra.domain.hit import Hits
from esra.domain.outcome import Failed
from esra.domain.resilience import BreakerRules
from esra.providers.resilience import PerSource
from esra.providers.resilience.breaker import Breaker
from tests.house import source

NOTHING = Hits.of([], capped=False)
DOWN = Failed(code=FailureCode.CONNECTION_REFUSED)
OPEN = Failed(code=FailureCode.CIRCUIT_OPEN)


class Hands(Random):
    """A clock that moves when it is told to, sleep that takes no time, and dice in the middle."""

    def __init__(self) -> None:
        super().__init__(0)
        self.time = 1_000.0
        self.slept: list[float] = []

    def now(self) -> float:
        return self.time

    def monotonic(self) -> float:
        return self.time

    def uniform(self, a: float, b: float) -> float:
        return (a + b) / 2

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += seconds
        await asyncio.sleep(0)


class Calls:
    """An attempt that takes ``took`` seconds and gives the results in turn, the last for ever."""

    def __init__(self, hands: Hands, *results, took: float = 0.0) -> None:
        self.hands, self.results, self.took, self.made = hands, list(results), took, 0

    async def __call__(self):
        self.made += 1
        self.hands.time += self.took
        return self.results.pop(0) if len(self.results) > 1 else self.results[0]


def breaker(hands: Hands, tell=lambda *change: None, **rules) -> Breaker:
    """Of a source whose calls may take 5 seconds: slow is 4."""
    own = BreakerRules(**rules)
    return Breaker(own, seconds=5.0, monotonic=hands.monotonic, dice=hands, tell=tell)


def per_source(hands: Hands, **more) -> PerSource:
    return PerSource(hands, dice=hands, sleep=hands.sleep, **more)


def ask(resilience: PerSource, calls: Calls, *, times: int = 1, seconds: float = 60.0, of=None):
    """The answers to so many calls, one after the other."""
    asked = of or source("a")

    async def go():
        answers = [await resilience.run(asked, calls, seconds) for _ in range(times)]
        await resilience.close()
        return answers

    return asyncio.run(go())
