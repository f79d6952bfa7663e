"""When a query is worth another try, and after which pause.

Only the three codes of ``RETRYABLE``, only out of a budget, only while there is time for it.
Retries without a budget multiply the load on a source that is already struggling (Google, Site
Reliability Engineering, chapter 22); the pause is random in full, so that those who failed
together do not come back together (Brooker, Exponential Backoff and Jitter, 2015).
"""

from collections import deque
from random import Random
from statistics import median

from esra.domain.codes import RETRYABLE
from esra.domain.hit import Hits
from esra.domain.outcome import Failed
from esra.domain.resilience import Retries

# Retries saved up in good times: enough for a bad minute of a quiet source, no storm of a busy one.
MOST_SAVED = 10
LONGEST_PAUSE = 1.0  # seconds
REMEMBERED = 64  # answered calls; their median is the time another try needs


class Budget:
    """Each call earns ``share`` of a retry, ``reserve`` are there from the start."""

    def __init__(self, rules: Retries) -> None:
        self._share = rules.share
        self._saved = float(rules.reserve)
        self._most = float(max(rules.reserve, MOST_SAVED))

    def earn(self) -> None:
        """For a call that was made."""
        self._saved = min(self._most, self._saved + self._share)

    def spend(self) -> bool:
        """Takes one retry out; False where none is left."""
        # Ten calls at a tenth each are a whole retry, whatever their sum of floats.
        if self._saved < 1 - 1e-9:
            return False
        self._saved -= 1
        return True


class Latency:
    """How long a source takes to answer."""

    def __init__(self) -> None:
        self._last: deque[float] = deque(maxlen=REMEMBERED)

    def add(self, seconds: float) -> None:
        self._last.append(seconds)

    def typical(self) -> float:
        """The median in seconds; 0 of a source that has not answered yet."""
        return median(self._last) if self._last else 0.0


def transient(result: Hits | Failed) -> bool:
    """Whether the same query may succeed a moment later."""
    return isinstance(result, Failed) and result.code in RETRYABLE


def pause(rules: Retries, retry: int, dice: Random) -> float:
    """Seconds before the ``retry``-th retry (from 1)."""
    return dice.uniform(0, min(rules.backoff * 2 ** (retry - 1), LONGEST_PAUSE))
