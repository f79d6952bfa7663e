"""Which segment lost: the rule by which one may block what is better on the whole.

A segment blocks when the 90 % upper bound of its difference lies below 0 and its loss exceeds the
margin. Under 30 queries it is listed and never blocks (RULINGS 40).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from eval.evidence.flips import FLIPS, flip_law
from eval.evidence.scores import Floats, normal_form
from eval.measures.segments import members

LEAST_QUERIES = 30
TAIL = 0.10
MARGIN = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentChange:
    """One segment under two arms; means over its queries, in the measure's unit.

    upper: one-sided 90 % upper bound of the difference, by sign flips over groups
    small: under 30 queries, so that it cannot block
    """

    kind: str
    value: str
    queries: int
    groups: int
    before: float
    after: float
    upper: float
    small: bool
    blocks: bool

    @property
    def difference(self) -> float:
        return self.after - self.before


def segment_changes(
    before: Mapping[str, float],
    after: Mapping[str, float],
    groups: Mapping[str, str],
    tags: Mapping[str, Sequence[str]],
    *,
    rng: np.random.Generator,
    margin: float = MARGIN,
    flips: int = FLIPS,
) -> list[SegmentChange]:
    """Every segment of the queries that both arms measured; ``groups`` has each query's need.

    ValueError for a margin below 0.
    """
    if not margin >= 0:
        raise ValueError(f"a margin of {margin} is no loss that could be borne")
    common = [query for query in before if query in after]
    return [
        _change(kind, value, inside, before, after, groups, rng, margin, flips)
        for kind, value, inside in members(common, tags)
    ]


def _change(
    kind: str,
    value: str,
    queries: Sequence[str],
    before: Mapping[str, float],
    after: Mapping[str, float],
    groups: Mapping[str, str],
    rng: np.random.Generator,
    margin: float,
    flips: int,
) -> SegmentChange:
    differences = np.array([after[query] - before[query] for query in queries])
    sums, sizes = group_sums(differences, [groups[query] for query in queries])
    _, upper = flip_law(sums, sizes, rng, flips).interval(TAIL)
    small = len(queries) < LEAST_QUERIES
    return SegmentChange(
        kind=kind,
        value=value,
        queries=len(queries),
        groups=len(sizes),
        before=float(np.mean([before[query] for query in queries])),
        after=float(np.mean([after[query] for query in queries])),
        upper=upper,
        small=small,
        blocks=not small and upper < 0 and float(differences.mean()) < -margin,
    )


def group_sums(differences: Floats, groups: Sequence[str]) -> tuple[Floats, Floats]:
    """([G] summed differences, [G] queries) of each need, needs in the order of their key."""
    keys = [normal_form(group) for group in groups]
    place = {key: number for number, key in enumerate(sorted(set(keys)))}
    codes = np.array([place[key] for key in keys], dtype=np.intp)
    sums = np.bincount(codes, weights=differences, minlength=len(place))
    return sums, np.bincount(codes, minlength=len(place)).astype(np.float64)
