"""An exact line search beside single points of a numpy grid, on the same made-up queries.

``python -m benchmarks.line_search`` prints a table in CPU seconds and in grid points. 1,000 queries
of 100 candidates; laying the arrays out is counted for neither.
"""

import time
from collections.abc import Callable

import numpy as np

from eval.search.lines import Floats, Lines, curve, lay_out

QUERIES, CANDIDATES, K, ROUNDS = 1_000, 100, 10, 7
DISCOUNT = 1.0 / np.log2(np.arange(2, K + 2))


def made(relevant: int, rng: np.random.Generator) -> list[Lines]:
    """Queries of random scores; ``relevant`` of the candidates have a grade of 1 to 3."""
    found = []
    for _ in range(QUERIES):
        gain = np.zeros(CANDIDATES)
        gain[rng.choice(CANDIDATES, relevant, replace=False)] = rng.integers(1, 4, relevant)
        best = np.sort(gain)[::-1][:K]
        found.append(
            Lines(
                at_low=rng.random(CANDIDATES),
                at_high=rng.random(CANDIDATES),
                block=np.zeros(CANDIDATES, dtype=np.int64),
                gain=gain,
                ideal=float((best * DISCOUNT).sum()),
            )
        )
    return found


def grid_point(low: Floats, high: Floats, gain: Floats, ideal: Floats, x: float) -> float:
    """Mean nDCG@10 at one x by a full sort, the usual way."""
    order = np.argsort(-((1 - x) * low + x * high), axis=1, kind="stable")[:, :K]
    return float(((np.take_along_axis(gain, order, 1) * DISCOUNT).sum(axis=1) / ideal).mean())


def quickest(work: Callable[[], object]) -> float:
    """CPU seconds of the quickest round."""
    taken = []
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    return min(taken)


def main() -> None:
    rng = np.random.default_rng(7)
    print(f"{QUERIES} queries x {CANDIDATES} candidates, nDCG@{K}, CPU ms, best of {ROUNDS}")
    print("relevant  stretches  line search  grid point  in grid points  largest difference")
    for relevant in (1, 2, 5, 10):
        queries = made(relevant, rng)
        low, high, gain = (
            np.array([getattr(query, name) for query in queries])
            for name in ("at_low", "at_high", "gain")
        )
        ideal = np.array([query.ideal for query in queries])
        laid = lay_out(queries)
        found = curve(laid, 0.0, 1.0, K)
        line = quickest(lambda laid=laid: curve(laid, 0.0, 1.0, K))
        point = quickest(
            lambda low=low, high=high, gain=gain, ideal=ideal: [
                grid_point(low, high, gain, ideal, x / 10) for x in range(11)
            ]
        )
        point /= 11
        middles = (found.edges[1:] + found.edges[:-1]) / 2
        some = rng.choice(len(middles), 100)
        apart = max(
            abs(found.values[i] - grid_point(low, high, gain, ideal, middles[i])) for i in some
        )
        print(
            f"{relevant:8}  {len(found.values):9}  {line * 1e3:11.2f}  {point * 1e3:10.2f}"
            f"  {line / point:14.2f}  {apart:18.1e}"
        )


if __name__ == "__main__":
    main()
