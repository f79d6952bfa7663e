"""Two arms beside each other: the difference, how sure it is, and where it lies.

For arms whose numbers were not chosen on these queries. Where one's were, or on labels that have
changed since, only the sealed part counts: a group is sealed by its own key, whatever else a set
holds, so it took no part in the choice (RULINGS 40). No opening is made and no ledger is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256

import numpy as np

from eval.evidence import Comparison, compare, sealed
from eval.evidence.scores import SAME
from eval.evidence.segments import MARGIN, SegmentChange, segment_changes
from eval.evidence.split import LEAST_GROUPS
from eval.measures.segments import members
from eval.runs.arm import Arm


class CannotCompare(ValueError):
    """The two arms are not about the same thing; the message says in what they differ."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mover:
    """One query that moved. right_*: rank of its first relevant document, None if not shown."""

    query: str
    before: float
    after: float
    right_before: int | None
    right_after: int | None

    @property
    def difference(self) -> float:
        return self.after - self.before


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Queries that got better, stayed and got worse; ``climbed`` and ``fell`` count those whose
    first relevant document moved up or down, coming in and going out among them.
    """

    kind: str
    value: str
    wins: int
    ties: int
    losses: int
    climbed: int
    fell: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """``after`` against ``before`` over the queries both measured.

    only_sealed: one arm's numbers were chosen on the other queries; means are over the sealed ones
    perhaps_chosen: they were chosen on other labels, of which these may be part
    movers:      the queries that moved, the largest loss first
    tallies:     over all, then by segment
    """

    measure: str
    queries: int
    comparison: Comparison
    means: Mapping[str, tuple[float, float]]
    segments: tuple[SegmentChange, ...]
    tallies: tuple[Tally, ...]
    movers: tuple[Mover, ...]
    only_sealed: bool
    perhaps_chosen: bool


def differing(before: Arm, after: Arm) -> list[str]:
    """Why the two cannot be compared, a sentence each; none where they can."""
    found = []
    if before.capability != after.capability:
        found.append(f"capability {after.capability} is not {before.capability}")
    if before.data != after.data:
        found.append("the data is another (documents, queries or judgements changed)")
    if before.k != after.k:
        found.append(f"measured at {after.k}, not at {before.k}")
    missing = sorted(before.queries.keys() - after.queries.keys())
    if missing:
        found.append(f"{len(missing)} queries are missing: {_some(missing)}")
    return found


def pair(before: Arm, after: Arm, *, margin: float = MARGIN) -> Pair:
    """Compares two arms; the same two give the same figures. CannotCompare says why not."""
    why = differing(before, after)
    if why:
        raise CannotCompare(f"{after.run} against {before.run}: {'; '.join(why)}")
    free = unseen(after, before)
    queries, measure = free.queries, after.measure
    one = {query: before.queries[query].values[measure] for query in queries}
    other = {query: after.queries[query].values[measure] for query in queries}
    groups = {query: after.queries[query].group for query in queries}
    tags = {query: after.queries[query].tags for query in queries}
    rng = np.random.default_rng(_dice(before, after))
    comparison = compare(
        np.array([one[query] for query in queries]),
        np.array([other[query] for query in queries]),
        [groups[query] for query in queries],
        rng=rng,
    )
    return Pair(
        measure=measure,
        queries=len(queries),
        comparison=comparison,
        means={name: _means(before, after, queries, name) for name in _shared(before, after)},
        segments=tuple(segment_changes(one, other, groups, tags, rng=rng, margin=margin)),
        tallies=tuple(
            _tally(kind, value, inside, before, after, measure)
            for kind, value, inside in [("all", "", list(queries)), *members(queries, tags)]
        ),
        movers=_movers(queries, before, after, measure),
        only_sealed=free.only_sealed,
        perhaps_chosen=free.perhaps_chosen,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Unseen:
    """The queries that may speak for an arm; the rest as in ``Pair``."""

    queries: list[str]
    only_sealed: bool = False
    perhaps_chosen: bool = False


def unseen(arm: Arm, *others: Arm) -> Unseen:
    """The arms' common queries that chose nobody's numbers. CannotCompare where there is none."""
    arms = (arm, *others)
    queries = sorted(set(arm.queries).intersection(*(one.queries for one in others)))
    chosen_on = {one.tuned_on for one in arms} - {""}
    if not chosen_on:
        return Unseen(queries=queries)
    groups = [arm.queries[query].group for query in queries]
    kept = [query for query, held in zip(queries, sealed(groups), strict=True) if held]
    if len(set(groups)) >= LEAST_GROUPS and kept:
        return Unseen(queries=kept, only_sealed=True)
    if arm.data not in chosen_on:
        return Unseen(queries=queries, perhaps_chosen=True)
    raise CannotCompare(
        f"{' against '.join(one.run for one in arms)}: the numbers were chosen on these very "
        f"queries, and of {len(set(groups))} groups none was sealed ({LEAST_GROUPS} are needed)"
    )


def _dice(before: Arm, after: Arm) -> int:
    """Follows from what is compared: a borderline verdict has no dice to throw again."""
    told = sha256("\n".join([before.recording, after.recording, after.data]).encode())
    for arm in (before, after):
        for query, own in sorted(arm.queries.items()):
            told.update(f"{query}\0{own.values[arm.measure]!r}\n".encode())
    return int.from_bytes(told.digest()[:8], "big")


def _shared(before: Arm, after: Arm) -> list[str]:
    first = next(iter(before.queries.values())).values
    return [name for name in next(iter(after.queries.values())).values if name in first]


def _means(before: Arm, after: Arm, queries: list[str], name: str) -> tuple[float, float]:
    one, other = (
        float(np.mean([arm.queries[query].values[name] for query in queries]))
        for arm in (before, after)
    )
    return one, other


def _movers(queries: Iterable[str], before: Arm, after: Arm, measure: str) -> tuple[Mover, ...]:
    moved = [
        Mover(
            query=query,
            before=before.queries[query].values[measure],
            after=after.queries[query].values[measure],
            right_before=before.queries[query].right,
            right_after=after.queries[query].right,
        )
        for query in queries
    ]
    kept = [one for one in moved if abs(one.difference) > SAME]
    return tuple(sorted(kept, key=lambda one: (one.difference, one.query)))


def _tally(
    kind: str, value: str, queries: list[str], before: Arm, after: Arm, measure: str
) -> Tally:
    moved = [
        after.queries[query].values[measure] - before.queries[query].values[measure]
        for query in queries
    ]
    ranks = [
        (_rank(before.queries[query].right), _rank(after.queries[query].right)) for query in queries
    ]
    wins, losses = (sum(sign * one > SAME for one in moved) for sign in (1, -1))
    return Tally(
        kind=kind,
        value=value,
        wins=wins,
        ties=len(queries) - wins - losses,
        losses=losses,
        climbed=sum(new < old for old, new in ranks),
        fell=sum(new > old for old, new in ranks),
    )


def _rank(right: int | None) -> float:
    return float("inf") if right is None else float(right)


def _some(ids: list[str], most: int = 5) -> str:
    more = f" and {len(ids) - most} more" if len(ids) > most else ""
    return ", ".join(map(repr, ids[:most])) + more
