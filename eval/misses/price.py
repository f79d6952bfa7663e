"""What a cause costs: nDCG@k to be won at most if its stage alone were perfect, all else as it is.

What was cut off, and what is masked, has its place already: let through, it stands there, and the
gain is exact. Where a document lost earlier would stand nobody knows, so that it is put where it
gains most: what is sent keeps its order, and the lost ones go between it in the best of all ways,
which is found by dynamic programming (putting one after the other at its own best place misses it:
two weak documents may pay for a shift that one of them does not).

The prices of two causes do not add up: both may fill the same place.
"""

from collections.abc import Mapping, Sequence, Set

import numpy as np

from eval.measures import dcg, ideal
from eval.misses.causes import Cause, Trace, ranking, sent
from eval.misses.known import Known, Record

PLACED = frozenset({Cause.CUT_BY_LIMIT, Cause.CUT_BY_SIZE, Cause.MASKED})


def won(
    trace: Trace,
    lost: Sequence[Record],
    cause: Cause,
    marks: Mapping[Record, int],
    k: int,
    known: Known,
) -> float:
    """nDCG@k of the answer with ``lost`` let through, less that of the answer as it is read."""
    order = ranking(trace)
    masked = {one for one, row in order.items() if (row[0], row[1]) in known.masked}
    read = set(sent(trace)) - masked
    before = _gained(order, read, marks, k)
    if cause in PLACED:
        after = _gained(order, read | set(lost), marks, k)
    else:
        # A lost one that was sent stands at k or below, and nothing comes nearer by this.
        kept = [_gain(one, read, marks) for one in sent(trace)]
        after = best_between(kept, sorted((marks[one] for one in lost), reverse=True), k)
    return (after - before) / float(dcg(np.array(ideal(marks, k), dtype=np.float64), k))


def best_between(kept: Sequence[float], lost: Sequence[float], k: int) -> float:
    """The most DCG@k of ``kept`` in its order with ``lost``, best first, anywhere between."""
    few = list(lost[:k])
    places = min(k, len(kept) + len(few))
    discount = 1.0 / np.log2(np.arange(places) + 2.0)
    # best[i]: the first places hold i of the lost ones, and of the kept ones all the others.
    best = np.full(len(few) + 1, -np.inf)
    best[0] = 0.0
    for place in range(places):
        number = np.arange(len(few) + 1)
        left = place - number
        there = (left >= 0) & (left < len(kept))
        gains = np.array([kept[at] if ok else 0.0 for at, ok in zip(left, there, strict=True)])
        with_kept = np.where(there, best + gains * discount[place], -np.inf)
        with_lost = np.full_like(best, -np.inf)
        with_lost[1:] = best[:-1] + np.array(few) * discount[place]
        best = np.maximum(with_kept, with_lost)
    return float(best.max())


def _gained(
    order: Mapping[Record, object], read: Set[Record], marks: Mapping[Record, int], k: int
) -> float:
    gains = [_gain(one, read, marks) for one in order]
    return float(dcg(np.array(gains, dtype=np.float64), k))


def _gain(record: Record, read: Set[Record], marks: Mapping[Record, int]) -> float:
    return float(max(0, marks.get(record, 0))) if record in read else 0.0
