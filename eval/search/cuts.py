"""Where a number that moves changes which records a shortlist takes, exactly.

A shortlist takes its sources in turns, so that how many of a source it takes depends on nothing
but how many there are, and for the last turn on whose best is ahead. So a record comes in or falls
out only where it crosses another of its own source at that depth, or where two sources' best ones
cross.
"""

from dataclasses import dataclass

import numpy as np

from eval.columns import Bulk, Floats, Mask, Whole
from eval.search.moving import Moving, Spread, Stretches, pairs, split, spread, weighted
from eval.search.strips import STEPS, Flat, padded, walk
from eval.weigh import full_rounds, lanes, quotas

IN_EACH_TURN, IN_THE_LAST = 2.0, 1.0
WORTH = 1 << 36  # of a record at most: sums of them are exact


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """Stretches on which the shortlist stays the same, their records, and which of them [k] it
    takes."""

    stretches: Stretches
    over: Spread
    taken: Mask


@dataclass(frozen=True, slots=True, kw_only=True)
class _Lines:
    """Weighted scores [k] at both ends of their stretch, lane after lane, and who was asked for.

    counts: [S, sources] how many each lane holds; rounds: [S] how often each gives one
    """

    low: Floats
    high: Floats
    asked: Mask
    counts: Whole
    rounds: Whole


def cut(bulk: Bulk, move: Moving, stretches: Stretches, size: int) -> Cut:
    """The stretches, cut where an asked record comes into the shortlist or falls out of it."""
    over = spread(move, stretches)
    which, place = _events(bulk, move, stretches, over, size)
    fine, coarse = split(stretches, which, place)
    over = spread(move, fine)
    taken = _taken(bulk, move, fine, over, size)
    return _merged(bulk, move, coarse, Cut(stretches=fine, over=over, taken=taken))


def uncut(move: Moving, stretches: Stretches, taken: Mask) -> Cut:
    """The stretches as they are, with one shortlist [N] for all of them."""
    over = spread(move, stretches)
    return Cut(stretches=stretches, over=over, taken=taken[move.record[over.at]])


def _events(
    bulk: Bulk, move: Moving, stretches: Stretches, over: Spread, size: int
) -> tuple[Whole, Floats]:
    """(stretch, where in the range) of whatever may change a shortlist there, and of some more."""
    nothing = np.empty(0, dtype=np.int64), np.empty(0)
    low, high = (weighted(move, over, t) for t in (stretches.begins, stretches.ends))
    if np.array_equal(low, high):
        return nothing
    lane = over.stretch * len(bulk.sources) + bulk.source[move.record[over.at]]
    order = np.argsort(lane, kind="stable")
    sizes = np.bincount(lane, minlength=len(stretches.query) * len(bulk.sources))
    counts = sizes.reshape(-1, len(bulk.sources))
    rounds = full_rounds(counts, size)
    full = counts.sum(axis=1) > size
    if not full.any():
        return nothing
    low, high, asked = low[order], high[order], _asked(bulk, move, over)[order]
    left = full & (np.minimum(counts, rounds[:, None]).sum(axis=1) < size)
    sources = len(bulk.sources)
    lines = _Lines(low=low, high=high, asked=asked, counts=counts, rounds=rounds)
    found = [
        _deep(lines, stretches, full & ~left, (IN_EACH_TURN,)),
        _deep(lines, stretches, left, (IN_EACH_TURN, IN_THE_LAST)),
        _heads(lines, stretches, np.repeat(left, sources) & (sizes > 0)),
    ]
    return np.concatenate([one[0] for one in found]), np.concatenate([one[1] for one in found])


def _deep(
    lines: _Lines, stretches: Stretches, some: Mask, values: tuple[float, ...]
) -> tuple[Whole, Floats]:
    """Where an asked record of ``some`` [S] stretches passes the last place of its lane that is
    sure, or that may be."""
    if not some.any():
        return np.empty(0, dtype=np.int64), np.empty(0)
    sources = lines.counts.shape[1]
    sizes = lines.counts.ravel()
    most = int(lines.rounds[some].max())
    asked = lines.asked & np.repeat(np.repeat(some, sources), sizes)
    flat = Flat(
        low=lines.low,
        high=lines.high,
        # Drawn, and each another one: where two parts of a walk meet, only the sum is compared, and
        # a record that comes in as another falls out must not make up for it.
        worth=np.where(asked, np.random.default_rng(0).integers(1, WORTH, size=len(asked)), 0.0),
        sizes=sizes,
        # A lane that gives less often than another starts so much later.
        ahead=np.repeat(most - lines.rounds, sources),
        begins=np.repeat(stretches.begins, sources),
        ends=np.repeat(stretches.ends, sources),
    )
    value = np.array([0.0, *[values[0]] * most, *values[1:], 0.0])
    steps = [one for strips in padded(flat) for one in walk(strips, value)]
    strip = np.concatenate([np.empty(0, dtype=np.int64), *(one.strip for one in steps)])
    place = np.concatenate([np.empty(0, dtype=np.int64), *(one.place for one in steps)])
    change = np.concatenate([np.empty(0), *(one.change for one in steps)])
    return strip[change != 0] // sources, place[change != 0] / STEPS


def _heads(lines: _Lines, stretches: Stretches, some: Mask) -> tuple[Whole, Floats]:
    """Where what may be the best of one lane crosses what may be the best of another."""
    lane = np.repeat(np.arange(len(some)), lines.counts.ravel())
    inside = some[lane]
    lane, low, high = lane[inside], lines.low[inside], lines.high[inside]
    if not len(lane):
        return np.empty(0, dtype=np.int64), np.empty(0)
    opens = np.flatnonzero(np.diff(lane, prepend=-1))
    own = np.cumsum(np.diff(lane, prepend=-1) != 0) - 1
    # Whoever lies below one other at both ends is never the best. Scores are taken against the
    # line through the best ones of the ends, so that what moves all alike hides nothing.
    below = [line - np.maximum.reduceat(line, opens)[own] for line in (low, high)]
    least = np.maximum.reduceat(np.minimum(*below), opens)
    heads = np.flatnonzero(np.maximum(*below) >= least[own])
    lane, low, high = lane[heads], low[heads], high[heads]
    stretch = lane // lines.counts.shape[1]
    left, right = pairs(stretch)
    before, after = low[right] - low[left], high[right] - high[left]
    crossed = (np.sign(before) * np.sign(after) < 0) & (lane[left] != lane[right])
    before, after = before[crossed], after[crossed]
    which = stretch[left[crossed]]
    begins, ends = stretches.begins[which], stretches.ends[which]
    return which, begins + (ends - begins) * (before / (before - after))


def _asked(bulk: Bulk, move: Moving, over: Spread) -> Mask:
    asked: Mask = bulk.asked[move.record[over.at]]
    return asked


def _taken(bulk: Bulk, move: Moving, stretches: Stretches, over: Spread, size: int) -> Mask:
    """[k] whether the shortlist takes a record, in the middle of its stretch."""
    middle = weighted(move, over, (stretches.begins + stretches.ends) / 2)
    source = bulk.source[move.record[over.at]]
    own = [np.flatnonzero(source == number) for number in range(len(bulk.sources))]
    found = [lanes(over.stretch[one], len(stretches.query), middle[one]) for one in own]
    quota = quotas(found, size)
    taken = np.zeros(len(middle), dtype=bool)
    for number, (one, lane) in enumerate(zip(own, found, strict=True)):
        taken[one] = lane.depth < quota[over.stretch[one], number]
    return taken


def _merged(bulk: Bulk, move: Moving, coarse: Whole, found: Cut) -> Cut:
    """Neighbours of one ``coarse`` stretch together where the same asked records are taken."""
    fine, over = found.stretches, found.over
    count = np.bincount(over.stretch, minlength=len(fine.query))
    shown = found.taken & _asked(bulk, move, over)
    # The stretches of one query hold the same records in the same order.
    before = np.maximum(np.arange(len(shown)) - count[over.stretch], 0)
    other = np.bincount(over.stretch, weights=shown != shown[before], minlength=len(count))
    begun = (np.diff(coarse, prepend=-1) != 0) | (other > 0)
    if begun.all():
        return found
    opens = np.flatnonzero(begun)
    kept = Stretches(
        query=fine.query[opens],
        begins=fine.begins[opens],
        ends=fine.ends[np.append(opens[1:], len(begun)) - 1],
    )
    taken = found.taken[begun[over.stretch]]
    return Cut(stretches=kept, over=spread(move, kept), taken=taken)
