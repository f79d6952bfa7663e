"""The whole curve of nDCG@k over one number, exactly: no grid, no step between two points.

Where every candidate's score is a line in a number x (semantic share, a priority, the bonus below
its cap), a ranking changes only where two lines cross, and nDCG@k only where one of the two is a
relevant document. So the curve is a staircase: every crossing that involves a relevant document
among the first k is found, sorted and added up, and the best stretch is *the* best one.

Crossings are placed to 2**-42 of the searched range. Between two of them the curve equals a direct
evaluation; on one of them a direct evaluation takes one side or the other.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from eval.evidence.scores import SAME
from eval.search.strips import STEPS, Flat, Floats, Steps, Strips, Whole, padded, walk


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    """One query's candidates, in the order that settles ties.

    at_low, at_high: [n] scores at the two ends of the range, between which they are lines
    block:           [n] 0 for what is ordered first, then 1, 2; only equals compete
    gain:            [n] the grade, 0 where unjudged
    ideal:           DCG@k of the best order of all judged documents, above 0
    """

    at_low: Floats
    at_high: Floats
    block: Whole
    gain: Floats
    ideal: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Laid:
    """Many queries as arrays, laid out once for any number of searches."""

    queries: int
    batches: tuple[Strips, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """A staircase: ``values[i]`` between ``edges[i]`` and ``edges[i + 1]``.

    edges: [B + 1] ascending, from the range's low end to its high one
    values: [B] mean nDCG@k over the queries
    """

    edges: Floats
    values: Floats

    def at(self, x: float) -> float:
        """The value on the stretch that holds ``x`` (the right one, on an edge)."""
        index = int(np.searchsorted(self.edges, x, side="right")) - 1
        return float(self.values[min(max(index, 0), len(self.values) - 1)])

    def best(self) -> tuple[float, float, float]:
        """(low, high, value) of the highest stretch; of equal ones the widest."""
        top = np.flatnonzero(self.values >= self.values.max() - SAME)
        widths = self.edges[top + 1] - self.edges[top]
        index = int(top[int(np.argmax(widths))])
        return float(self.edges[index]), float(self.edges[index + 1]), float(self.values[index])


def lay_out(queries: Sequence[Lines]) -> Laid:
    """The queries as arrays. ValueError where there is none."""
    if not queries:
        raise ValueError("a curve needs at least one query")
    lengths = [len(query.gain) for query in queries]
    query = np.repeat(np.arange(len(queries)), lengths)
    block = np.concatenate([query.block for query in queries])
    # Stable: the order of ties stays inside a block.
    order = np.lexsort((block, query))
    worth = np.concatenate([query.gain / query.ideal for query in queries])
    low = np.concatenate([query.at_low for query in queries])
    high = np.concatenate([query.at_high for query in queries])
    sizes, ahead = blocks(query[order], block[order])
    flat = Flat(
        low=low[order],
        high=high[order],
        worth=worth[order],
        sizes=sizes,
        ahead=ahead,
        begins=np.zeros(len(sizes)),
        ends=np.ones(len(sizes)),
    )
    return Laid(queries=len(queries), batches=padded(flat))


def blocks(query: Whole, block: Whole) -> tuple[Whole, Whole]:
    """[S] the size of each run of one query and block, and how many of its query stand before it.

    Both are given by candidate [N], sorted by query, then by block.
    """
    turns = np.diff(query, prepend=-1) != 0
    opens = np.flatnonzero(turns | (np.diff(block, prepend=-1) != 0))
    first = np.maximum.accumulate(np.where(turns, np.arange(len(query)), 0))
    return np.diff(opens, append=len(query)), opens - first[opens]


def curve(laid: Laid, low: float, high: float, k: int = 10) -> Curve:
    """Mean nDCG@k over every x from ``low`` to ``high``, the ends that the lines were laid for."""
    if not low < high:
        raise ValueError(f"a range runs from low to high, not from {low} to {high}")
    discount = np.concatenate([[0.0], 1.0 / np.log2(np.arange(2, k + 2)), [0.0]])
    steps = [_added(step) for strips in laid.batches for step in walk(strips, discount)]
    place = np.concatenate([[0], *(step.place for step in steps)])
    change = np.concatenate([[0.0], *(step.change for step in steps)])
    order = np.argsort(place)
    place, change = place[order], change[order]
    first = np.flatnonzero(np.diff(place, prepend=-1))
    place, heights = place[first], np.cumsum(np.add.reduceat(change, first))
    inside = place < STEPS
    edges = low + (high - low) * (place[inside] / STEPS)
    return joined(np.append(edges, high), heights[inside] / laid.queries)


def _added(steps: Steps) -> Steps:
    """Steps that are all at one place as a single one: most strips begin and end together."""
    if len(steps.place) and (steps.place == steps.place[0]).all():
        return Steps(steps.strip[:1], steps.place[:1], np.array([steps.change.sum()]))
    return steps


def joined(edges: Floats, values: Floats) -> Curve:
    """A curve without the edges on which nothing changes."""
    kept = np.concatenate([[True], np.abs(np.diff(values)) > SAME])
    return Curve(edges=np.concatenate([edges[:-1][kept], edges[-1:]]), values=values[kept])
