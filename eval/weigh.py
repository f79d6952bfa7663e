"""Weighted scores of laid-out traces, source by source: a record's own source alone decides it.

The same functions of ``esra.scoring`` in the same order as the stages, over all of a source's rows
at once, so that every float is the runtime's. What did not change since another setting is taken
from memory: turning one source's number costs that source.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from esra import scoring
from esra.domain.capability import Scoring, SourceScoring
from eval.columns import Bulk, Floats, Mask, Whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """What one source holds of a layout: its rows [m], its records [r], its answers [a].

    rows, records: positions in the layout; first: [r] where a record's rows begin among ``rows``
    query: [r] whose record each is
    by_answer: [m] an order of the rows, answer by answer; opens: [a] where each begins in it
    answer: [m] which of the answers
    """

    rows: Whole
    records: Whole
    first: Whole
    query: Whole
    by_answer: Whole
    opens: Whole
    answer: Whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Usable:
    """What a floor and a ceiling leave of a source: which rows, their normalised scores [m], and
    how often each record [r] was found."""

    kept: Mask
    normalised: Floats
    matches: Whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Lanes:
    """A source's records in the order that a shortlist takes them in, query by query.

    depth:  [r] how many of the query's own stand before; those that are out stand last
    counts: [Q] how many are there; head: [Q] the best one's score, NaN where there is none
    """

    depth: Whole
    counts: Whole
    head: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Joint:
    """All sources' records one source after the other: [N] where each record of the layout stands
    among them, and [N] the query x sources + source of each in that order."""

    place: Whole
    lane: Whole


def weights(bulk: Bulk, numbers: Scoring) -> Floats:
    """[N] the weighted score of every record; NaN where a floor or ceiling took all its rows."""
    parts = [weighted_of(bulk, source, numbers) for source in range(len(bulk.sources))]
    return np.concatenate([np.empty(0), *parts])[joint(bulk).place]


def joint(bulk: Bulk) -> Joint:
    """How the sources' own records make up the layout."""
    return bulk.known.once("joint", lambda: _joint(bulk))


def _joint(bulk: Bulk) -> Joint:
    order = np.argsort(bulk.source, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return Joint(place=place, lane=(bulk.query * len(bulk.sources) + bulk.source)[order])


def weighted_of(bulk: Bulk, source: int, numbers: Scoring) -> Floats:
    """[r] the same of one source's records."""
    key = ("weighted", *_key(bulk, source, numbers))
    return bulk.known.once(key, lambda: _weighted(bulk, source, numbers))


def lanes_of(bulk: Bulk, source: int, numbers: Scoring) -> Lanes:
    """One source's lanes, a query each."""
    key = ("lanes", *_key(bulk, source, numbers))
    own = share(bulk, source)
    return bulk.known.once(
        key, lambda: lanes(own.query, len(bulk.queries), weighted_of(bulk, source, numbers))
    )


def lanes(query: Whole, queries: int, weighted: Floats) -> Lanes:
    """The lanes of records [r] of one source: whose each is, rising, and its weighted score."""
    there = ~np.isnan(weighted)
    lengths = np.bincount(query, minlength=queries)
    column = np.arange(len(query)) - (np.cumsum(lengths) - lengths)[query]
    width = max(1, int(lengths.max(initial=0)))
    falling = np.full((queries, width), np.nan)
    falling[query, column] = -weighted
    # Records are numbered in the order of ties, and the sort is stable.
    order = np.argsort(falling, axis=1, kind="stable")
    depth = np.empty_like(order)
    np.put_along_axis(depth, order, np.arange(width)[None, :], axis=1)
    return Lanes(
        depth=depth[query, column],
        counts=np.bincount(query[there], minlength=queries),
        head=-np.take_along_axis(falling, order[:, :1], axis=1)[:, 0],
    )


def quotas(found: Sequence[Lanes], size: int) -> Whole:
    """[Q, sources] how many of each lane a shortlist of ``size`` takes, in turns (RULINGS 10)."""
    counts = np.stack([one.counts for one in found], axis=1)
    rounds = full_rounds(counts, size)
    taken = np.minimum(counts, rounds[:, None])
    left = size - taken.sum(axis=1)
    # The last round goes by the best heads; equal ones by source, which is their order here.
    falling = -np.stack([one.head for one in found], axis=1)
    waiting = np.where(counts > rounds[:, None], falling, np.nan)
    turn = np.argsort(np.argsort(waiting, axis=1, kind="stable"), axis=1, kind="stable")
    return taken + ((turn < left[:, None]) & ~np.isnan(waiting))


def full_rounds(counts: Whole, size: int) -> Whole:
    """[Q] how often every lane that still holds something gives one; counts [Q, sources]."""
    depth = np.arange(max(1, int(counts.max(initial=0))))
    given = np.cumsum((counts[:, :, None] > depth).sum(axis=1), axis=1)
    rounds: Whole = np.count_nonzero(given <= size, axis=1)
    return rounds


def share(bulk: Bulk, source: int) -> Share:
    return bulk.known.once(("share", source), lambda: _share(bulk, source))


def usable(bulk: Bulk, source: int, own: SourceScoring) -> Usable:
    """What counts of the rows of a source."""
    key = ("usable", source, own.native_floor, own.ceiling)
    return bulk.known.once(key, lambda: _usable(bulk, share(bulk, source), own))


def row_weights(bulk: Bulk, source: int, numbers: Scoring) -> Floats:
    """[m] of every row of a source, also of those that do not count."""
    rows, of, own = bulk.rows, share(bulk, source).rows, numbers.of(bulk.sources[source])
    life = np.nan if own.half_life is None else own.half_life
    left = bulk.known.once(
        ("halved", source, own.half_life), lambda: scoring.halved(rows.age[of], life)
    )
    fresh = scoring.demote(
        scoring.floored(left, numbers.freshness_floor), rows.stale[of], numbers.stale_weight
    )
    evident = scoring.evidence(rows.evidence[of], numbers.evidence_floor)
    normalised = usable(bulk, source, own).normalised
    return scoring.weight(normalised, own.priority, fresh, evident)


def _key(bulk: Bulk, source: int, numbers: Scoring) -> tuple[object, ...]:
    """All the numbers that a source's weighted scores depend on."""
    ours = (numbers.match_bonus, numbers.bonus_cap, numbers.freshness_floor)
    own = numbers.of(bulk.sources[source])
    return (source, own, *ours, numbers.stale_weight, numbers.evidence_floor)


def _weighted(bulk: Bulk, source: int, numbers: Scoring) -> Floats:
    found = usable(bulk, source, numbers.of(bulk.sources[source]))
    rows = np.where(found.kept, row_weights(bulk, source, numbers), -np.inf)
    first = share(bulk, source).first
    best = np.maximum.reduceat(rows, first) if len(first) else rows
    extra = scoring.bonus(found.matches, numbers.match_bonus, numbers.bonus_cap)
    return np.where(found.matches > 0, scoring.merged(best, extra), np.nan)


def _usable(bulk: Bulk, own: Share, numbers: SourceScoring) -> Usable:
    native, place = bulk.rows.native[own.rows], bulk.rows.place[own.rows]
    floor = -np.inf if numbers.native_floor is None else numbers.native_floor
    # A source's plan is cut from its end, so that a lower ceiling leaves the queries before it.
    kept = (native >= floor) & (place < numbers.ceiling)
    if not len(own.rows):
        return Usable(kept=kept, normalised=native, matches=np.zeros(0, dtype=np.int64))
    low = np.minimum.reduceat(np.where(kept, native, np.inf)[own.by_answer], own.opens)
    high = np.maximum.reduceat(np.where(kept, native, -np.inf)[own.by_answer], own.opens)
    gone = low > high
    low, high = np.where(gone, 0.0, low), np.where(gone, 0.0, high)
    return Usable(
        kept=kept,
        # What does not count may lie as far from the rest as numbers go.
        normalised=scoring.normalise(
            np.where(kept, native, low[own.answer]), low[own.answer], high[own.answer]
        ),
        matches=np.add.reduceat(kept.astype(np.int64), own.first),
    )


def _share(bulk: Bulk, source: int) -> Share:
    rows = np.flatnonzero(bulk.rows.source == source)
    records = np.flatnonzero(bulk.source == source)
    query, answer = bulk.query[records], bulk.rows.answer[rows]
    by_answer = np.argsort(answer, kind="stable")
    opens = np.flatnonzero(np.diff(answer[by_answer], prepend=-1))
    return Share(
        rows=rows,
        records=records,
        first=np.flatnonzero(np.diff(bulk.rows.record[rows], prepend=-1)),
        query=query,
        by_answer=by_answer,
        opens=opens,
        answer=np.searchsorted(answer[by_answer[opens]], answer),
    )
