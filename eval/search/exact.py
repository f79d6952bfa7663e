"""An exact line search over one number of recorded traces, by the runtime's own arithmetic.

The scores at the two ends of a stretch come from the runtime's functions; what lies between is a
line, because the number enters the final score linearly (``scoring.blend``, ``scoring.weight`` and,
below the cap, ``scoring.bonus``). The shortlist is the one that each value would have: where a
record that was asked for falls out of it, its score goes, and it stands with those not asked.
"""

from dataclasses import dataclass

import numpy as np

from esra import scoring
from esra.domain.capability import Scoring
from eval import measures
from eval.bulk import GROUPS, Bulk, Labels, asked_for
from eval.columns import Floats, Mask, Whole
from eval.search.cuts import Cut, cut, uncut
from eval.search.lines import Curve, Laid, curve
from eval.search.moving import Moving, Spread, moving, some, straight, weighted
from eval.search.strips import Flat, padded
from eval.search.tunables import Tunable


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The best stretch of one number: any value strictly inside gives ``value``."""

    low: float
    high: float
    value: float

    @property
    def middle(self) -> float:
        return (self.low + self.high) / 2


def search(
    bulk: Bulk,
    labels: Labels,
    numbers: Scoring,
    one: Tunable,
    chosen: Mask | None = None,
    *,
    frozen: bool = False,
) -> tuple[Curve, Found]:
    """The whole curve of mean nDCG@k over one number, and its best stretch.

    Over the measured queries, or those of them that are ``chosen`` [Q]. ``frozen`` keeps the
    shortlist that ``numbers`` have, whatever the value: several times as fast, and no more than a
    hint. ValueError where there is no query, or where the number is no line (``Tunable.linear``).
    """
    if not one.linear:
        raise ValueError(f"{one} is not linear in the scores: it has a grid, not a line")
    wanted = labels.measured if chosen is None else labels.measured & chosen
    if not wanted.any():
        raise ValueError("a curve needs at least one query")
    move = moving(bulk, numbers, one, wanted)
    stretches = straight(move, one, wanted)
    if frozen:
        found = uncut(move, stretches, asked_for(bulk, numbers))
    else:
        found = cut(bulk, move, stretches, numbers.shortlist)
    whole = curve(
        _lines(bulk, labels, move, found, wanted), one.bounds.low, one.bounds.high, labels.k
    )
    low, high, value = whole.best()
    return whole, Found(low=low, high=high, value=value)


def _lines(bulk: Bulk, labels: Labels, move: Moving, found: Cut, wanted: Mask) -> Laid:
    """The wanted queries' final scores as lines, a strip for each group of each stretch."""
    stretches, over = found.stretches, found.over
    record = move.record[over.at]
    unseen = bulk.asked[record] & ~found.taken
    block = over.stretch * GROUPS + np.where(unseen, scoring.NOT_ASKED, bulk.group[record])
    counts = np.bincount(block, minlength=len(stretches.query) * GROUPS).reshape(-1, GROUPS)
    ahead = np.cumsum(counts, axis=1) - counts
    # What stands behind k others, whatever the number, has no say. Records are numbered in the
    # order of ties, and the sort is stable.
    kept = np.flatnonzero(ahead.ravel()[block] < labels.k)
    kept = kept[np.argsort(block[kept], kind="stable")]
    record, own = record[kept], np.flatnonzero((ahead < labels.k).ravel())
    few = some(move, over, kept)
    given = block[kept] % GROUPS == scoring.GIVEN
    low, high = (
        _final(bulk, move, few, record, given, t) for t in (stretches.begins, stretches.ends)
    )
    ideal = measures.dcg(labels.ideal, labels.k)[bulk.query[record]]
    flat = Flat(
        low=low,
        high=high,
        worth=np.maximum(labels.gain[record], 0.0) / ideal,
        sizes=counts.ravel()[own],
        ahead=ahead.ravel()[own],
        begins=stretches.begins[own // GROUPS],
        ends=stretches.ends[own // GROUPS],
    )
    return Laid(queries=int(np.count_nonzero(wanted)), batches=padded(flat))


def _final(bulk: Bulk, move: Moving, over: Spread, record: Whole, given: Mask, t: Floats) -> Floats:
    """[k] final scores of the spread records at the place ``t`` of each stretch."""
    below = weighted(move, over, t)
    share, rest = (
        move.between(name, t)[over.stretch] for name in ("semantic_weight", "lexical_weight")
    )
    blended = scoring.blend(bulk.semantic[record], below, share, rest)
    return np.where(given, blended, below)
