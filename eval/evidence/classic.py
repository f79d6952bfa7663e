"""The tests a reader expects beside the randomisation test: paired t, Wilcoxon, and a bootstrap.

All of them look at one mean difference per group, so that ten wordings of one need are one witness.
None of them decides anything here; the sign flips of `compare` do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from eval.evidence.scores import SAME, Floats
from eval.evidence.segments import group_sums

# Percentile intervals of fewer clusters are too short (RULINGS 40).
LEAST_CLUSTERS = 30
REPLICATES = 4_999


@dataclass(frozen=True, slots=True, kw_only=True)
class Classic:
    """One-sided p values against "no gain"; None where the test has nothing to work on.

    t:        Student's paired t over group means
    wilcoxon: signed ranks of group means, zeros left out (Wilcoxon 1945)
    effect:   mean over standard deviation of the group means (Cohen's d_z); None without spread
    """

    groups: int
    t: float | None
    wilcoxon: float | None
    effect: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Bootstrap:
    """Percentile intervals at 95 %, groups drawn with replacement; means are over queries.

    interval, effect_interval: None where ``why_not`` says why there is none
    """

    difference: float
    interval: tuple[float, float] | None
    effect_interval: tuple[float, float] | None
    clusters: int
    why_not: str = ""


def classic(before: Floats, after: Floats, groups: Sequence[str]) -> Classic:
    """Paired t and Wilcoxon of two arms [Q]."""
    from scipy import stats

    means = _group_means(before, after, groups)
    moved = means[np.abs(means) > SAME]
    spread = float(means.std(ddof=1)) if len(means) > 1 else 0.0
    if spread <= SAME:
        return Classic(groups=len(means), t=None, wilcoxon=_signed(moved), effect=None)
    return Classic(
        groups=len(means),
        t=float(stats.ttest_1samp(means, 0.0, alternative="greater").pvalue),
        wilcoxon=_signed(moved),
        effect=float(means.mean()) / spread,
    )


def bootstrap(
    before: Floats,
    after: Floats,
    groups: Sequence[str],
    *,
    rng: np.random.Generator,
    replicates: int = REPLICATES,
) -> Bootstrap:
    """Resamples whole groups of two paired arms [Q]."""
    difference = np.asarray(after, dtype=np.float64) - np.asarray(before, dtype=np.float64)
    sums, sizes = group_sums(difference, groups)
    clusters = len(sums)
    seen = float(difference.mean())
    if clusters < LEAST_CLUSTERS:
        return Bootstrap(
            difference=seen,
            interval=None,
            effect_interval=None,
            clusters=clusters,
            why_not=f"{clusters} groups are too few for percentiles ({LEAST_CLUSTERS} are needed)",
        )
    drawn = rng.multinomial(clusters, np.full(clusters, 1 / clusters), size=replicates)
    means = (drawn @ sums) / (drawn @ sizes)
    each = sums / sizes
    centre = (drawn @ each) / clusters
    spread = np.sqrt(np.maximum(drawn @ each**2 / clusters - centre**2, 0.0))
    effects = centre[spread > SAME] / spread[spread > SAME]
    return Bootstrap(
        difference=seen,
        interval=_middle(means),
        effect_interval=_middle(effects) if len(effects) else None,
        clusters=clusters,
    )


def _signed(moved: Floats) -> float | None:
    from scipy import stats

    if not len(moved):
        return None
    return float(stats.wilcoxon(moved, alternative="greater").pvalue)


def _group_means(before: Floats, after: Floats, groups: Sequence[str]) -> Floats:
    difference = np.asarray(after, dtype=np.float64) - np.asarray(before, dtype=np.float64)
    sums, sizes = group_sums(difference, groups)
    return sums / sizes


def _middle(values: Floats) -> tuple[float, float]:
    low, high = np.quantile(values, [0.025, 0.975])
    return float(low), float(high)
