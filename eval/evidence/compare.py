"""Compares two arms on the same queries: a one-sided paired test and the interval that belongs to
it.

Valid only where neither arm was chosen on these queries; who may call it for what stands in
`promote`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from eval.evidence.flips import FLIPS, flip_law
from eval.evidence.scores import Floats, Scores

LEVEL = 0.025


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """`after` against `before`, in the measure's own unit, means over queries.

    interval holds the difference; each of its ends is missed with probability `level` at most.
    smallest_p is the least p these groups could have given; above `level` no gain can be shown.
    moved counts the groups that differ at all.
    """

    before: float
    after: float
    difference: float
    interval: tuple[float, float]
    level: float
    p: float
    smallest_p: float
    groups: int
    moved: int
    exact: bool

    @property
    def gained(self) -> bool:
        return self.p <= self.level

    @property
    def can_show(self) -> bool:
        return self.smallest_p <= self.level


def compare(
    before: Floats,
    after: Floats,
    groups: Sequence[str],
    *,
    rng: np.random.Generator,
    level: float = LEVEL,
    flips: int = FLIPS,
) -> Comparison:
    """Compares two arms [Q] by sign flips over groups.

    Raises UnfitScores for unequal lengths and for NaN.
    """
    pair = np.column_stack(
        [np.asarray(before, dtype=np.float64), np.asarray(after, dtype=np.float64)]
    )
    table = Scores(
        measure="the measure", settings=(0, 1), values=pair, groups=tuple(groups), today=0
    )
    return compare_settings(table, 1, rng=rng, level=level, flips=flips)


def compare_settings(
    scores: Scores,
    candidate: int,
    *,
    rng: np.random.Generator,
    level: float = LEVEL,
    flips: int = FLIPS,
) -> Comparison:
    """Compares the setting at index `candidate` with today's."""
    sums, sizes = scores.group_sums(), scores.sizes
    difference = sums[:, candidate] - sums[:, scores.today]
    law = flip_law(difference, sizes, rng, flips)
    before, after = (float(scores.values[:, arm].mean()) for arm in (scores.today, candidate))
    return Comparison(
        before=before,
        after=after,
        difference=after - before,
        interval=law.interval(level),
        level=level,
        p=law.p,
        smallest_p=law.smallest_p,
        groups=scores.group_count,
        moved=law.moved,
        exact=law.exact,
    )
