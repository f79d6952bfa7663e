"""How sure a mean is: the percentile bootstrap over groups, whole groups drawn together.

Questions of one need are one witness, so the group is what is drawn (Efron and Tibshirani, *An
Introduction to the Bootstrap*, 1993, chapter 13). The draws are the same in every run, and groups
are taken in the order of their names, so that no order of input can show.
"""

from collections.abc import Mapping
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

DRAWS = 2000
LEVEL = 0.95
SEED = 20_260_101

Interval = tuple[float, float]


def of_mean(values: Mapping[str, float], groups: Mapping[str, str]) -> Interval | None:
    """Of the mean over queries; None from fewer than two groups. A query alone is its own group."""
    return of_ratio({query: (value, 1.0) for query, value in values.items()}, groups)


def of_ratio(
    parts: Mapping[str, tuple[float, float]], groups: Mapping[str, str]
) -> Interval | None:
    """Of sum(numerator) / sum(denominator) over queries; draws that divide by 0 are left out.

    None from fewer than two groups, or where every draw is.
    """
    names = sorted({groups.get(query, query) for query in parts})
    if len(names) < 2:
        return None
    place = {name: number for number, name in enumerate(names)}
    sums = np.zeros((len(names), 2))
    for query in sorted(parts):
        sums[place[groups.get(query, query)]] += parts[query]
    over, under = (_drawn(len(names)) @ sums).T
    ratios = over[under != 0] / under[under != 0]
    if not len(ratios):
        return None
    low, high = np.quantile(ratios, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


@lru_cache(maxsize=2)
def _drawn(groups: int) -> NDArray[np.float64]:
    """[DRAWS, groups] how often each group is in each draw."""
    even = np.full(groups, 1 / groups)
    return np.random.default_rng(SEED).multinomial(groups, even, size=DRAWS).astype(np.float64)
