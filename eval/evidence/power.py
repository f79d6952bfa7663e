"""Says before any choice what the sealed part can show: the smallest true gain found with 80 %
power."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt
from statistics import NormalDist, median

import numpy as np

from eval.evidence.compare import LEVEL
from eval.evidence.scores import Scores

POWER = 0.8
_NORMAL = NormalDist()


@dataclass(frozen=True, slots=True, kw_only=True)
class Detectable:
    """Smallest detectable differences in the measure's unit.

    value:      for the median setting other than today's: the one figure to print before a sweep
    by_setting: [S] for each setting against today's (0 for today's own); settings far from
                today's change more queries and need a larger gain
    groups:     groups of the part it is stated for

    None where there is nothing to compare, or fewer than two groups.
    """

    value: float | None
    by_setting: tuple[float | None, ...]
    groups: int
    level: float
    power: float


def smallest_detectable(
    development: Scores, groups: int, *, level: float = LEVEL, power: float = POWER
) -> Detectable:
    """From the paired differences of the development part, for a part of `groups` such groups."""
    errors = standard_errors(development, groups)
    needed = detectable_in_errors(groups, level=level, power=power)
    by_setting = tuple(error * needed if error * needed < inf else None for error in errors)
    others = [v for i, v in enumerate(by_setting) if i != development.today and v is not None]
    return Detectable(
        value=median(others) if others else None,
        by_setting=by_setting,
        groups=groups,
        level=level,
        power=power,
    )


def standard_errors(scores: Scores, groups: int) -> list[float]:
    """[S] standard error of the mean difference to today's on `groups` groups like these.

    Infinite where there are fewer than two groups.
    """
    seen = scores.group_count
    if seen < 2 or groups < 2:
        return [0.0 if i == scores.today else inf for i in range(len(scores.settings))]
    sums, sizes = scores.group_sums(), scores.sizes
    differences = sums - sums[:, [scores.today]]
    means = differences.sum(axis=0) / sizes.sum()
    centred = (differences - np.outer(sizes, means)) / sizes.sum()
    variance = (centred**2).sum(axis=0) * seen / (seen - 1)
    errors: list[float] = np.sqrt(variance * seen / groups).tolist()
    return errors


def detectable_in_errors(groups: int, *, level: float = LEVEL, power: float = POWER) -> float:
    """The gain, in standard errors, that a paired test on `groups` groups finds so often."""
    if groups < 2:
        return inf
    bar, widening = _bar(groups, level)
    return bar + _NORMAL.inv_cdf(power) * widening


def stated_power(gain_in_errors: float, groups: int, *, level: float = LEVEL) -> float:
    """The power at a true gain; the inverse of `detectable_in_errors`."""
    if groups < 2:
        return 0.0
    bar, widening = _bar(groups, level)
    return _NORMAL.cdf((gain_in_errors - bar) / widening)


def _bar(groups: int, level: float) -> tuple[float, float]:
    """The test's bar, and the spread of its statistic (Abramowitz and Stegun 26.7.10)."""
    bar = t_quantile(1 - level, groups - 1)
    return bar, sqrt(1 + bar**2 / (2 * (groups - 1)))


def t_quantile(p: float, freedom: int) -> float:
    """Student's quantile, expanded around the normal's (Abramowitz and Stegun 26.7.5)."""
    z = _NORMAL.inv_cdf(p)
    return (
        z
        + (z**3 + z) / (4 * freedom)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * freedom**3)
    )
