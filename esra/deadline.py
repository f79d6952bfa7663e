"""An invocation's time, split over its stages: a slow one costs itself and not the answer."""

from collections.abc import Callable

# Of what is left when a stage begins. A model that chooses or plans has a fallback that costs
# nothing, so it may not eat the time of the search; the search leaves some for the reranker.
SELECT, PLAN, EXECUTE, RERANK = 0.25, 0.35, 0.6, 0.95


class Deadline:
    """Counts down ``seconds`` from now, on a clock that never runs backwards."""

    def __init__(self, monotonic: Callable[[], float], seconds: float) -> None:
        self._monotonic = monotonic
        self._end = monotonic() + seconds

    def part(self, share: float) -> float:
        """Seconds that a stage may take: a share of what is left, never below 0."""
        return max(0.0, (self._end - self._monotonic()) * share)
