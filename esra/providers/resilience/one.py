"""One source's calls: retry, breaker, timeout, call, in this order from the outside.

Each attempt passes the breaker, so a retry counts there like any call. What the breaker refuses
is not tried again: it has made that decision already.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from esra.domain.codes import RETRYABLE, FailureCode
from esra.domain.hit import Hits
from esra.domain.outcome import Failed
from esra.domain.resilience import BreakerCause, BreakerState
from esra.domain.source import Source
from esra.ports import Attempt
from esra.providers.resilience.breaker import Breaker, Permit, Tell
from esra.providers.resilience.retry import Budget, Latency, pause, transient
from esra.providers.resilience.scout import Reachable, Scout, Sleep

# The server ends a statement at its source's own time and the provider answers a moment later;
# only where neither does is the call cut off here.
SLACK = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """Clock, dice and sleep, passed in so that time and chance can be set."""

    monotonic: Callable[[], float]
    dice: Random
    sleep: Sleep


class OneSource:
    """What is kept of one source from call to call; ``reachable`` knocks at its server."""

    def __init__(
        self, source: Source, around: Surroundings, tell: Tell, reachable: Reachable | None
    ) -> None:
        self._rules, self._seconds, self._around = source.retries, source.limits.seconds, around
        self._budget, self._latency = Budget(source.retries), Latency()
        self._last = FailureCode.UNKNOWN  # the last failure that counted
        self._tell = tell
        self.breaker = Breaker(
            source.breaker,
            seconds=self._seconds,
            monotonic=around.monotonic,
            dice=around.dice,
            tell=self._changed,
        )
        self._scout = reachable and Scout(self.breaker, reachable, around.sleep)

    async def run(self, attempt: Attempt, seconds: float) -> Hits | Failed:
        """The answer of the first attempt that needs no other, within ``seconds``."""
        started = self._around.monotonic()
        ends, own_end = started + seconds, started + self._seconds
        result = await self._try(attempt, ends, own_end)
        if _refused(result):
            return result
        self._budget.earn()
        for retry in range(1, self._rules.attempts):
            wait = pause(self._rules, retry, self._around.dice)
            if not self._again(result, wait, min(ends, own_end)):
                break
            await self._around.sleep(wait)
            another = await self._try(attempt, ends, own_end)
            if _refused(another):
                break  # what the engine said last says more than that it is now left alone
            result = another
        return result

    async def close(self) -> None:
        if self._scout:
            await self._scout.close()

    def _again(self, result: Hits | Failed, wait: float, ends: float) -> bool:
        left = ends - self._around.monotonic() - wait
        return transient(result) and left >= self._latency.typical() and self._budget.spend()

    async def _try(self, attempt: Attempt, ends: float, own_end: float) -> Hits | Failed:
        permit = self.breaker.admit()
        if permit is None:
            if self._scout:
                self._scout.send_again()
            return Failed(code=FailureCode.CIRCUIT_OPEN)
        started = self._around.monotonic()
        end = min(ends, own_end + SLACK)
        try:
            result, cut = await _timed(attempt, end - started)
        except BaseException:
            self.breaker.give_back(permit)
            raise
        took = self._around.monotonic() - started
        # A caller in a hurry shows nothing of a source that was not even slow: else anybody
        # could close it to all by asking with too little time.
        self._judge(permit, result, took, hurried=cut and ends == end)
        return result

    def _judge(self, permit: Permit, result: Hits | Failed, took: float, *, hurried: bool) -> None:
        failed = isinstance(result, Failed)
        if not isinstance(result, Failed):
            self._latency.add(took)
        elif not _counts(result) or (hurried and took < self.breaker.slow_after):
            self.breaker.give_back(permit)
            return
        else:
            self._last = result.code
        self.breaker.record(permit, failed=failed, took=took)

    def _changed(self, before: BreakerState, after: BreakerState, cause: BreakerCause) -> None:
        if after is BreakerState.OPEN and self._scout:
            # A trial that failed while the server was away says that it still is.
            still = before is BreakerState.HALF_OPEN and self._scout.away
            self._scout.send(away=still or self._last is FailureCode.CONNECTION_REFUSED)
        self._tell(before, after, cause)


def _refused(result: Hits | Failed) -> bool:
    return isinstance(result, Failed) and result.code is FailureCode.CIRCUIT_OPEN


def _counts(failed: Failed) -> bool:
    """Whether a failure is the source's state: not its configuration, our query or a caller."""
    return failed.code in RETRYABLE or failed.internal


async def _timed(attempt: Attempt, seconds: float) -> tuple[Hits | Failed, bool]:
    """The attempt's result, and whether it was cut off after ``seconds``."""
    try:
        async with asyncio.timeout(max(0.0, seconds)) as time:
            return await attempt(), False
    except TimeoutError:
        return Failed(code=FailureCode.TIMEOUT), time.expired()
