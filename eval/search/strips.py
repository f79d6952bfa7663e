"""Candidates whose scores are lines, walked from one end of a range to the other.

A strip is what competes with each other over a stretch of the range: the candidates of one query,
or of one of its blocks, or of one source. Its sum of worth x discount(rank) changes only where two
lines cross, one of which has a worth, and only while that one is among the first ``k``: every such
crossing is found. Idea: Och, *Minimum error rate training in statistical machine translation*, ACL
2003.

What at no point of a part can be among the first ``k`` is left out of it before lines are compared.
That look is taken in 32 bits, with a margin wider than their rounding, so that it errs on one side.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Narrow = NDArray[np.float32]
Whole = NDArray[np.int64]
Mask = NDArray[np.bool_]

STEPS = 1 << 42  # how finely a crossing is placed in the range
BITS = 40  # of a place inside a part of a strip
CELLS = 4_000_000  # pairs of (worthy, any) candidate that are laid beside each other
PARTS = 4  # of a strip: narrower ones leave more out
MANY = 3  # candidates with a worth in a strip, from which on so many parts pay
MARGIN = 2.0**-18  # of the largest score: eight roundings of 32 bits, and twice that


@dataclass(frozen=True, slots=True, kw_only=True)
class Strips:
    """Strips of one width, each row's candidates in the order that settles ties.

    low, high:   [S, n] scores at the strip's own ends; beyond its candidates below all of them
    worth:       [S, n] what the first rank would add, 0 for most
    ahead:       [S] how many stand before all of the strip, wherever
    begins, ends: [S] the strip's stretch, in 0..1 of the range
    number:      [S] which of the strips that were laid out
    """

    low: Floats
    high: Floats
    worth: Floats
    ahead: Whole
    begins: Floats
    ends: Floats
    number: Whole


class Steps(NamedTuple):
    """Where sums change: which strip [C], its place in 0..STEPS of the range, by how much."""

    strip: Whole
    place: Whole
    change: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Flat:
    """Strips before they are padded: candidates [N] strip after strip, strips [S]."""

    low: Floats
    high: Floats
    worth: Floats
    sizes: Whole
    ahead: Whole
    begins: Floats
    ends: Floats


def padded(flat: Flat) -> tuple[Strips, ...]:
    """Strips of alike width together, as many as memory should hold; those of no worth left out."""
    starts = np.cumsum(flat.sizes) - flat.sizes
    worthy = np.bincount(
        np.repeat(np.arange(len(flat.sizes)), flat.sizes),
        weights=flat.worth > 0,
        minlength=len(flat.sizes),
    )
    strips = np.flatnonzero(worthy)
    strips = strips[np.argsort(flat.sizes[strips], kind="stable")]
    cost = (worthy[strips] + 4 * PARTS) * flat.sizes[strips]
    batch = (np.cumsum(cost) // CELLS).astype(np.int64)
    return tuple(
        _rows(flat, starts, strips[batch == number]) for number in np.unique(batch).tolist()
    )


def _rows(flat: Flat, starts: Whole, strips: Whole) -> Strips:
    columns = np.arange(int(flat.sizes[strips].max()))
    there = columns < flat.sizes[strips][:, None]
    at = np.where(there, starts[strips][:, None] + columns, 0)
    low, high = flat.low[at], flat.high[at]
    below = min(float(low.min()), float(high.min())) - 1.0
    return Strips(
        low=np.where(there, low, below),
        high=np.where(there, high, below),
        worth=np.where(there, flat.worth[at], 0.0),
        ahead=flat.ahead[strips],
        begins=flat.begins[strips],
        ends=flat.ends[strips],
        number=strips,
    )


def walk(strips: Strips, discount: Floats) -> Iterator[Steps]:
    """Every change of every strip's sum, its first value at its begin and back to 0 at its end.

    discount: [k + 2] of the ranks 0 (which there is none of) to k + 1, which stands for all beyond
    """
    worthy = strips.worth > 0
    height = np.zeros(len(strips.low))
    parts = PARTS if np.count_nonzero(worthy) > MANY * len(worthy) else PARTS // 2
    for number, kept in enumerate(_within_reach(strips, len(discount) - 2, parts)):
        ends = (number / parts, (number + 1) / parts)
        strip, place, change, opening = _part(strips, worthy, kept, ends, discount)
        yield _jump(strips, ends[0], opening - height)
        yield Steps(strips.number[strip], _placed(strips, strip, place, ends), change)
        height = opening + np.bincount(strip, weights=change, minlength=len(height))
    yield _jump(strips, 1.0, -height)


def _within_reach(strips: Strips, k: int, parts: int) -> Iterator[Mask]:
    """[S, n] of each part: what may be among the first ``k`` somewhere in it.

    Whoever at both of its ends lies below k others does so everywhere between. Scores are taken
    against the line through the k-th best ones of the strip's ends, so that what moves all scores
    alike hides nothing.
    """
    size = strips.low.shape[1]
    if size <= k:
        yield from (np.ones(strips.low.shape, dtype=bool) for _ in range(parts))
        return
    low, high = strips.low.astype(np.float32), strips.high.astype(np.float32)
    margin = np.float32(MARGIN * max(np.abs(low).max(), np.abs(high).max()))
    low -= _best(low, k)
    high -= _best(high, k)
    rise, here = high - low, low
    for number in range(1, parts + 1):
        there = low + rise * np.float32(number / parts)
        least = _best(np.minimum(here, there), k) - margin
        yield np.maximum(here, there) >= least
        here = there


def _best(scores: Narrow, k: int) -> Narrow:
    """[S, 1] the k-th highest of each row."""
    at = scores.shape[1] - k
    return np.partition(scores, at, axis=1)[:, at, None]


def _part(
    strips: Strips, worthy: Mask, kept: Mask, ends: tuple[float, float], discount: Floats
) -> tuple[Whole, Whole, Floats, Floats]:
    """(strip, place in 0..2**BITS of the part, change) of each step, and [S] sums at its begin."""
    width = kept.shape[1]
    kept = kept & (kept & worthy).any(axis=1, keepdims=True)
    cell = np.flatnonzero(kept)
    own = np.flatnonzero(worthy.ravel()[cell])
    if not len(own):
        nothing = np.empty(0, dtype=np.int64)
        return nothing, nothing, np.empty(0), np.zeros(len(kept))
    counts = np.count_nonzero(kept, axis=1)
    strip = cell[own] // width
    # Each worthy candidate (a rival's ``row``) beside all of its strip, itself included.
    sizes = counts[strip]
    offsets = np.cumsum(sizes) - sizes
    row = np.repeat(np.arange(len(own)), sizes)
    other = np.arange(len(row)) + (np.cumsum(counts)[strip] - sizes - offsets)[row]
    low, high = strips.low.ravel()[cell], strips.high.ravel()[cell]
    before, after = (
        scores[other] - scores[own][row]
        for scores in ((1.0 - end) * low + end * high for end in ends)
    )
    worth = strips.worth.ravel()[cell[own]]
    rank = strips.ahead[strip] + 1 + _above(before, after, other, own, row, offsets)
    opening = worth * discount[np.minimum(rank, len(discount) - 1)]
    row, place, change = _crossings(before, after, row, rank, discount)
    sums = np.bincount(strip, weights=opening, minlength=len(kept))
    return strip[row], place, change * worth[row], sums


def _above(
    before: Floats, after: Floats, other: Whole, own: Whole, row: Whole, offsets: Whole
) -> Whole:
    """[R] how many rivals stand before each worthy candidate, just right of the low end.

    There a tie is settled by the steeper line, then by the order of ties.
    """
    above = before > 0
    tied = np.flatnonzero(before == 0)
    if len(tied) > len(own):  # more than each with itself
        first = other[tied] < own[row[tied]]
        above[tied] = (after[tied] > 0) | ((after[tied] == 0) & first)
    return np.add.reduceat(above, offsets, dtype=np.int64)


def _crossings(
    before: Floats, after: Floats, row: Whole, rank: Whole, discount: Floats
) -> tuple[Whole, Whole, Floats]:
    """(row, place in 0..2**BITS, by how much its discount changes) in the order of rows, places."""
    rising = after > 0
    crossed = np.flatnonzero((rising != (before > 0)) & (before != 0) & (after != 0))
    start, end = before[crossed], after[crossed]
    place = ((1 << BITS) * (start / (start - end)) + 0.5).astype(np.int64)
    # Row, place and direction in one whole number: sorting it sorts by all three at once.
    key = (row[crossed] << (BITS + 2)) | (place << 1) | rising[crossed]
    key.sort()
    row, step = key >> (BITS + 2), ((key & 1) << 1) - 1
    climbed = np.cumsum(step)
    # The sum runs on over the rows: each row's own starts at what the rows before it added up to.
    opens = np.flatnonzero(np.diff(row, prepend=-1))
    rank = rank.copy()
    rank[row[opens]] -= climbed[opens] - step[opens]
    now, last = rank[row] + climbed, len(discount) - 1
    within = np.flatnonzero((now < last) | ((now == last) & (step > 0)))
    now = now[within]
    change = discount[now] - discount[now - step[within]]
    return row[within], (key[within] >> 1) & ((1 << (BITS + 1)) - 1), change


def _jump(strips: Strips, end: float, change: Floats) -> Steps:
    """What changes at one place of each strip."""
    place = np.rint(STEPS * _along(strips, end)).astype(np.int64)
    return Steps(strips.number, place, change)


def _placed(strips: Strips, strip: Whole, place: Whole, ends: tuple[float, float]) -> Whole:
    """Places of a part as places of the range."""
    start, end = (_along(strips, end) for end in ends)
    share = STEPS * (end - start) / (1 << BITS)
    placed: Whole = np.rint(STEPS * start[strip] + share[strip] * place).astype(np.int64)
    return placed


def _along(strips: Strips, end: float) -> Floats:
    along: Floats = (1.0 - end) * strips.begins + end * strips.ends
    return along
