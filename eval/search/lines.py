"""The whole curve of nDCG@k over one number, exactly: no grid, no step between two points.

Where every candidate's score is a line in a number x (semantic share, a priority, the bonus below
its cap), a ranking changes only where two lines cross, and nDCG@k only where one of the two is a
relevant document. So the curve is a staircase: every crossing that involves a relevant document is
found, sorted and added up, and the best stretch is *the* best one. Idea: Och, *Minimum error rate
training in statistical machine translation*, ACL 2003.

Crossings are placed to 2**-42 of the searched range. Between two of them the curve equals a direct
evaluation; on one of them a direct evaluation takes one side or the other.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eval.evidence.scores import SAME

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]

STEPS = 1 << 40  # how finely a crossing is placed inside a part of the range
PARTS = 4  # of the range: in each, what cannot come among the first k is left out
CELLS = 4_000_000  # pairs of (relevant, any) candidate that are looked at together


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
class Rivals:
    """Each relevant candidate (a row) against every candidate of its query (a column).

    low, high: [R, n] by how much the other's score lies above, at the ends; 0 out of its block
    earlier:   [R, n] the other comes first where the two are equal
    ahead:     [R] candidates of earlier blocks
    worth:     [R] gain over the query's ideal DCG@k
    """

    low: Floats
    high: Floats
    earlier: NDArray[np.bool_]
    ahead: Whole
    worth: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Laid:
    """Many queries as arrays, laid out once for any number of searches."""

    queries: int
    batches: tuple[Rivals, ...]


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
    return Laid(queries=len(queries), batches=tuple(_rivals(batch) for batch in _batches(queries)))


def curve(laid: Laid, low: float, high: float, k: int = 10) -> Curve:
    """Mean nDCG@k over every x from ``low`` to ``high``, the ends that the lines were laid for."""
    if not low < high:
        raise ValueError(f"a range runs from low to high, not from {low} to {high}")
    discount = np.concatenate([[0.0], 1.0 / np.log2(np.arange(2, k + 2)), [0.0]])
    batches = [_within_reach(rivals, k) for rivals in laid.batches]
    edges, values = [], []
    for part in range(PARTS):
        ends = (part / PARTS, (part + 1) / PARTS)
        places, heights = _stairs(batches, ends, discount, k)
        first, last = (low + (high - low) * end for end in ends)
        edges += [np.array([first]), first + (last - first) * places]
        values.append(heights / laid.queries)
    return joined(np.concatenate([*edges, [high]]), np.concatenate(values))


def joined(edges: Floats, values: Floats) -> Curve:
    """A curve without the edges on which nothing changes."""
    kept = np.concatenate([[True], np.abs(np.diff(values)) > SAME])
    return Curve(edges=np.concatenate([edges[:-1][kept], edges[-1:]]), values=values[kept])


def _stairs(
    batches: Sequence[Rivals], ends: tuple[float, float], discount: Floats, k: int
) -> tuple[Floats, Floats]:
    """([B] where the sum of nDCG@k changes, in 0..1 of this part; [B + 1] its heights)."""
    start, places, changes = 0.0, [], []
    for rivals in batches:
        height, place, change = _walk(rivals, ends, discount, k)
        start += height
        places.append(place)
        changes.append(change)
    place, change = np.concatenate(places), np.concatenate(changes)
    order = np.argsort(place, kind="stable")
    steps, first = np.unique(place[order], return_index=True)
    jumps = np.add.reduceat(change[order], first) if len(first) else np.empty(0)
    return steps / STEPS, start + np.concatenate([[0.0], np.cumsum(jumps)])


def _walk(
    rivals: Rivals, ends: tuple[float, float], discount: Floats, k: int
) -> tuple[float, Whole, Floats]:
    """(summed nDCG@k at the part's low end, where it changes, by how much)."""
    low, high = (_between(rivals, end) for end in ends)
    # Just right of the low end a tie is settled by the steeper line, then by the order of ties.
    above = (low > 0) | ((low == 0) & ((high > 0) | ((high == 0) & rivals.earlier)))
    rank = rivals.ahead + 1 + np.count_nonzero(above, axis=1)
    start = float((rivals.worth * discount[np.minimum(rank, k + 1)]).sum())
    live = rivals.ahead + np.count_nonzero(above & (high >= 0), axis=1) < k
    place, change = _crossings(low[live], high[live], rank[live], rivals.worth[live], discount)
    return start, place, change


def _within_reach(rivals: Rivals, k: int) -> Rivals:
    """Without the rows that ``k`` others beat at both ends, and so everywhere between them."""
    beaten = np.count_nonzero((rivals.low > 0) & (rivals.high > 0), axis=1)
    kept = rivals.ahead + beaten < k
    return Rivals(
        low=rivals.low[kept],
        high=rivals.high[kept],
        earlier=rivals.earlier[kept],
        ahead=rivals.ahead[kept],
        worth=rivals.worth[kept],
    )


def _between(rivals: Rivals, end: float) -> Floats:
    if end in (0.0, 1.0):
        return rivals.high if end else rivals.low
    return rivals.low + (rivals.high - rivals.low) * end


def _crossings(
    low: Floats, high: Floats, rank: Whole, worth: Floats, discount: Floats
) -> tuple[Whole, Floats]:
    """([C] places of 0..STEPS where a relevant candidate's gain changes, [C] by how much)."""
    rising = (low < 0) & (high > 0)
    row, column = np.nonzero(rising | ((low > 0) & (high < 0)))
    if not len(row):
        return np.empty(0, dtype=np.int64), np.empty(0)
    before, after = low[row, column], high[row, column]
    place = np.rint(STEPS * (before / (before - after))).astype(np.int64)
    # Row, place and direction in one whole number: sorting it sorts by all three at once.
    key = np.sort((row << 42) | (place << 1) | rising[row, column])
    row, place = key >> 42, (key >> 1) & ((1 << 41) - 1)
    step = np.where(key & 1, 1, -1)
    climbed = np.cumsum(step)
    # The sum runs on over the rows: each row's own starts at what the rows before it added up to.
    opens = np.flatnonzero(np.diff(row, prepend=-1))
    carried = np.repeat(climbed[opens] - step[opens], np.diff(opens, append=len(row)))
    now = rank[row] + climbed - carried
    last = len(discount) - 1
    change = worth[row] * (discount[np.minimum(now, last)] - discount[np.minimum(now - step, last)])
    moved = change != 0.0
    return place[moved], change[moved]


def _batches(queries: Sequence[Lines]) -> Iterator[list[Lines]]:
    """Queries together while their pairs fit, so that memory does not grow with their number."""
    batch: list[Lines] = []
    rows, widest = 0, 0
    for query in queries:
        rows += int(np.count_nonzero(query.gain > 0))
        widest = max(widest, len(query.gain))
        if batch and rows * widest > CELLS:
            yield batch
            batch, rows, widest = [], int(np.count_nonzero(query.gain > 0)), len(query.gain)
        batch.append(query)
    yield batch


def _rivals(queries: list[Lines]) -> Rivals:
    widest = max(len(query.gain) for query in queries)
    shape = (len(queries), widest)
    low, high = np.zeros(shape), np.zeros(shape)
    block = np.full(shape, np.iinfo(np.int64).max)
    gain, ideal = np.zeros(shape), np.array([query.ideal for query in queries])
    for index, query in enumerate(queries):
        size = len(query.gain)
        low[index, :size], high[index, :size] = query.at_low, query.at_high
        block[index, :size], gain[index, :size] = query.block, query.gain
    row, column = np.nonzero(gain > 0)
    own = block[row, column][:, None]
    competes = block[row] == own
    return Rivals(
        low=np.where(competes, low[row] - low[row, column][:, None], 0.0),
        high=np.where(competes, high[row] - high[row, column][:, None], 0.0),
        earlier=competes & (np.arange(widest) < column[:, None]),
        ahead=np.count_nonzero(block[row] < own, axis=1),
        worth=gain[row, column] / ideal[row],
    )
