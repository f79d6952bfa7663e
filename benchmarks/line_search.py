"""An exact line search beside single points of a numpy grid, on the same made-up queries.

``python -m benchmarks.line_search`` prints a table in CPU seconds and in grid points. 1,000 queries
of 100 candidates; laying the arrays out is counted for neither. A grid point sorts stably, as ties
need it; what numpy's quickest sort would cost stands beside it.
"""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from eval.search.lines import Curve, Laid, Lines, curve, lay_out
from eval.search.strips import Floats

QUERIES, CANDIDATES, K, ROUNDS = 1_000, 100, 10, 9
DISCOUNT = 1.0 / np.log2(np.arange(2, K + 2))
RELEVANT = (1, 2, 5, 10, 20, 50)


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """The same queries as a search takes them and as plain arrays [queries, candidates]."""

    laid: Laid
    low: Floats
    high: Floats
    gain: Floats
    ideal: Floats

    def search(self) -> Curve:
        return curve(self.laid, 0.0, 1.0, K)

    def grid_point(self, x: float, kind: str = "stable") -> float:
        """Mean nDCG@10 at one x by a full sort, the usual way."""
        order = np.argsort(-((1 - x) * self.low + x * self.high), axis=1, kind=kind)[:, :K]
        gained = (np.take_along_axis(self.gain, order, 1) * DISCOUNT).sum(axis=1)
        return float((gained / self.ideal).mean())


def made(relevant: int, rng: np.random.Generator, queries: int = QUERIES) -> Made:
    """Queries of random scores; ``relevant`` of the candidates have a grade of 1 to 3."""
    low, high = rng.random((2, queries, CANDIDATES))
    gain = np.zeros((queries, CANDIDATES))
    for row in gain:
        row[rng.choice(CANDIDATES, relevant, replace=False)] = rng.integers(1, 4, relevant)
    ideal = (np.sort(gain, axis=1)[:, ::-1][:, :K] * DISCOUNT).sum(axis=1)
    block = np.zeros(CANDIDATES, dtype=np.int64)
    lines = [
        Lines(at_low=a, at_high=b, block=block, gain=g, ideal=float(best))
        for a, b, g, best in zip(low, high, gain, ideal, strict=True)
    ]
    return Made(laid=lay_out(lines), low=low, high=high, gain=gain, ideal=ideal)


def cpu(*work: Callable[[], object], rounds: int = ROUNDS) -> list[float]:
    """CPU seconds of each, the median of its rounds; they take turns."""
    taken: list[list[float]] = [[] for _ in work]
    for _ in range(rounds):
        for own, times in zip(work, taken, strict=True):
            start = time.process_time()
            own()
            times.append(time.process_time() - start)
    return [statistics.median(times) for times in taken]


def apart(queries: Made, found: Curve, rng: np.random.Generator) -> float:
    """The largest difference between the curve and a grid point, on a hundred stretches."""
    middles = (found.edges[1:] + found.edges[:-1]) / 2
    some = rng.choice(len(middles), min(100, len(middles)), replace=False)
    return max(abs(float(found.values[i]) - queries.grid_point(middles[i])) for i in some)


def main() -> None:
    rng = np.random.default_rng(7)
    print(f"{QUERIES} queries x {CANDIDATES} candidates, nDCG@{K}, CPU ms, median of {ROUNDS}")
    print("relevant  stretches  search  grid point  unstable  in points  of these  difference")
    for relevant in RELEVANT:
        queries = made(relevant, rng)
        found = queries.search()
        search, stable, unstable = cpu(
            queries.search,
            lambda made=queries: made.grid_point(0.37),
            lambda made=queries: made.grid_point(0.37, "quicksort"),
        )
        print(
            f"{relevant:8}  {len(found.values):9}  {search * 1e3:6.2f}  {stable * 1e3:10.2f}"
            f"  {unstable * 1e3:8.2f}  {search / stable:9.2f}  {search / unstable:8.2f}"
            f"  {apart(queries, found, rng):10.1e}"
        )


if __name__ == "__main__":
    main()
