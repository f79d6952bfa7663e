"""Says before any choice what the sealed part can show: the smallest true gain found with 80 %
power."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from statistics import median

import numpy as np

from eval.evidence.compare import LEVEL
from eval.evidence.scores import Scores

POWER = 0.8


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
    """The gain, in standard errors, that a paired t test on `groups` groups finds so often."""
    if groups < 2:
        return inf
    # scipy takes a while to import and only the power needs it.
    from scipy.special import nctdtrinc

    return float(nctdtrinc(groups - 1, 1 - power, _bar(groups, level)))


def stated_power(gain_in_errors: float, groups: int, *, level: float = LEVEL) -> float:
    """The power at a true gain; the inverse of `detectable_in_errors`."""
    if groups < 2:
        return 0.0
    from scipy.special import nctdtr

    return float(1 - nctdtr(groups - 1, gain_in_errors, _bar(groups, level)))


def _bar(groups: int, level: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(groups - 1, 1 - level))
