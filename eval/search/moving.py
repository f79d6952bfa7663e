"""Records of laid-out traces while one number moves from one end of its range to the other.

Each row's weighted score is a line in the number, for it enters it linearly (``scoring.weight``,
``scoring.floored``). What bends is put between stretches: a record's bonus where it reaches its
cap, and its best match where another one overtakes it. A stretch belongs to one query; on it
every record's weighted score is a line.
"""

from dataclasses import dataclass

import numpy as np

from esra import scoring
from esra.domain.capability import Scoring
from eval.columns import Bulk, Floats, Mask, Whole
from eval.search.tunables import Tunable, change
from eval.weigh import row_weights, share, usable


@dataclass(frozen=True, slots=True, kw_only=True)
class Moving:
    """The rows [m] and records [n] that count of the wanted queries, query by query.

    ends: the numbers at both ends; low, high: [m] weighted scores of the rows there
    first: [n] where each record's rows begin; record: [n] its position in the layout
    query: [n] whose it is; matches: [n] by how many queries it was found
    """

    ends: tuple[Scoring, Scoring]
    low: Floats
    high: Floats
    first: Whole
    record: Whole
    query: Whole
    matches: Whole

    def between(self, name: str, t: Floats) -> Floats:
        """One of the capability's own numbers, on the way."""
        low, high = (getattr(end, name) for end in self.ends)
        return _mix(low, high, t)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretches:
    """Parts [S] of the range, each of one query; those of a query in their order."""

    query: Whole
    begins: Floats
    ends: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """Every stretch with all records of its query: [k] which stretch, which record of ``Moving``,
    and [k] where its rows begin among ``rows``, positions of ``Moving``'s."""

    stretch: Whole
    at: Whole
    first: Whole
    rows: Whole
    row_stretch: Whole


def moving(bulk: Bulk, numbers: Scoring, one: Tunable, wanted: Mask) -> Moving:
    """The layout under every value of one number, for the ``wanted`` [Q] queries."""
    bounds = one.bounds
    ends = change(numbers, one, bounds.low), change(numbers, one, bounds.high)
    low, high = np.empty((2, len(bulk.rows.record)))
    kept = np.zeros(len(low), dtype=bool)
    for source, id in enumerate(bulk.sources):
        rows = share(bulk, source).rows
        low[rows], high[rows] = (row_weights(bulk, source, end) for end in ends)
        kept[rows] = usable(bulk, source, numbers.of(id)).kept
    kept &= wanted[bulk.query[bulk.rows.record]]
    owner = bulk.rows.record[kept]
    first = np.flatnonzero(np.diff(owner, prepend=-1))
    return Moving(
        ends=ends,
        low=low[kept],
        high=high[kept],
        first=first,
        record=owner[first],
        query=bulk.query[owner[first]],
        matches=np.diff(first, append=len(owner)),
    )


def straight(move: Moving, one: Tunable, wanted: Mask) -> Stretches:
    """The stretches on which every record's weighted score is a line."""
    query = np.flatnonzero(wanted)
    whole = Stretches(query=query, begins=np.zeros(len(query)), ends=np.ones(len(query)))
    owners, places = zip(_bent_bonus(move, one), _overtaken(move), strict=True)
    found = np.concatenate(owners)
    return split(whole, np.searchsorted(query, found), np.concatenate(places))[0]


def split(stretches: Stretches, which: Whole, place: Floats) -> tuple[Stretches, Whole]:
    """(the stretches cut at each ``place`` that is inside the stretch ``which``, of which each is a
    part)."""
    inside = (place > stretches.begins[which]) & (place < stretches.ends[which])
    which, place = which[inside], place[inside]
    owner = np.concatenate([np.arange(len(stretches.query)), which])
    begins = np.concatenate([stretches.begins, place])
    order = np.lexsort((begins, owner))
    owner, begins = owner[order], begins[order]
    new = (np.diff(owner, prepend=-1) != 0) | (np.diff(begins, prepend=-1.0) != 0)
    owner, begins = owner[new], begins[new]
    last = np.diff(owner, append=-1) != 0
    ends = np.where(last, stretches.ends[owner], np.append(begins[1:], 1.0))
    return Stretches(query=stretches.query[owner], begins=begins, ends=ends), owner


def spread(move: Moving, stretches: Stretches) -> Spread:
    """Every stretch with all the records of its query."""
    stretch, at = _ragged(move.query, stretches.query)
    return _with_rows(move, stretch, at)


def some(move: Moving, over: Spread, kept: Whole) -> Spread:
    """The records ``kept`` alone, in that order."""
    return _with_rows(move, over.stretch[kept], over.at[kept])


def _with_rows(move: Moving, stretch: Whole, at: Whole) -> Spread:
    sizes = move.matches[at]
    first = np.cumsum(sizes) - sizes
    rows = np.arange(int(sizes.sum())) + np.repeat(move.first[at] - first, sizes)
    return Spread(
        stretch=stretch, at=at, first=first, rows=rows, row_stretch=np.repeat(stretch, sizes)
    )


def weighted(move: Moving, over: Spread, t: Floats) -> Floats:
    """[k] every record's weighted score at the place ``t`` [S] of its stretch."""
    if not len(over.at):
        return np.empty(0)
    lines = _mix(move.low[over.rows], move.high[over.rows], t[over.row_stretch])
    best = lines if len(over.rows) == len(over.at) else np.maximum.reduceat(lines, over.first)
    each, cap = (move.between(name, t)[over.stretch] for name in ("match_bonus", "bonus_cap"))
    return scoring.merged(best, scoring.bonus(move.matches[over.at], each, cap))


def pairs(owner: Whole) -> tuple[Whole, Whole]:
    """Every two positions of one owner; ``owner`` rises."""
    end = np.searchsorted(owner, owner, side="right")
    later = end - np.arange(len(owner)) - 1
    left = np.repeat(np.arange(len(owner)), later)
    starts = np.cumsum(later) - later
    return left, np.arange(len(left)) - starts[left] + left + 1


def _mix(low: Floats | float, high: Floats | float, t: Floats) -> Floats:
    """At 0 and at 1 exactly the ends."""
    mixed: Floats = (1.0 - t) * low + t * high
    return mixed


def _bent_bonus(move: Moving, one: Tunable) -> tuple[Whole, Floats]:
    """(whose, where) each bonus reaches its cap: (matches - 1) x bonus = cap."""
    extra = move.matches - 1
    twice = np.flatnonzero(extra > 0)
    if one.name not in ("bonus", "bonus-cap") or not len(twice):
        return np.empty(0, dtype=np.int64), np.empty(0)
    most = int(extra.max()) + 1
    owner, count = np.divmod(np.unique(move.query[twice] * most + extra[twice]), most)
    start, low, high = move.ends[0], one.bounds.low, one.bounds.high
    reached = start.bonus_cap / count if one.name == "bonus" else start.match_bonus * count
    return owner, (reached - low) / (high - low)


def _overtaken(move: Moving) -> tuple[Whole, Floats]:
    """(whose, where) one row of a record crosses another of the same record."""
    many = np.flatnonzero(move.matches > 1)
    owner = np.repeat(many, move.matches[many])
    starts = np.cumsum(move.matches[many]) - move.matches[many]
    row = np.arange(len(owner)) + np.repeat(move.first[many] - starts, move.matches[many])
    left, right = pairs(owner)
    before = move.low[row[right]] - move.low[row[left]]
    after = move.high[row[right]] - move.high[row[left]]
    crossed = np.sign(before) * np.sign(after) < 0
    place = before[crossed] / (before[crossed] - after[crossed])
    return move.query[owner[left[crossed]]], place


def _ragged(owner: Whole, wanted: Whole) -> tuple[Whole, Whole]:
    """(which of ``wanted``, position) of every position whose owner is wanted; ``owner`` rises."""
    begins = np.searchsorted(owner, wanted, side="left")
    sizes = np.searchsorted(owner, wanted, side="right") - begins
    starts = np.cumsum(sizes) - sizes
    which = np.repeat(np.arange(len(wanted)), sizes)
    return which, np.arange(len(which)) + (begins - starts)[which]
