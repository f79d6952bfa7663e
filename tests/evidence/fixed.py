"""What `compare` claims of two fixed configurations, on sets whose difference is planted.

Counts how often a gain of the stated size is found, and how far the estimates of it lie off.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eval.evidence.campaign import FLIPS
from eval.evidence.compare import compare_settings
from eval.evidence.power import POWER
from eval.evidence.simulate import PLATEAU, SETTINGS, Shape, World, detectable_gain, simulate

CANDIDATE = SETTINGS.index(sum(PLATEAU) / 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedPair:
    """planted: the true difference, which `groups` groups are said to show with `stated` power.

    power: share of the sets that showed it; mean: of the estimates; error: Monte Carlo error of it
    """

    groups: int
    shape: str
    sets: int
    planted: float
    stated: float
    power: float
    mean: float
    error: float


def run_fixed(shape: Shape, groups: int, sets: int, seed: int) -> FixedPair:
    """Simulates `sets` comparisons; the same arguments give the same figures."""
    from threadpoolctl import threadpool_limits

    rng = np.random.default_rng([seed, groups, list(Shape).index(shape)])
    planted = detectable_gain(shape, groups)
    with threadpool_limits(1):
        found = [
            compare_settings(
                simulate(World(shape=shape, gain=planted), groups, rng),
                CANDIDATE,
                rng=rng,
                flips=FLIPS,
            )
            for _ in range(sets)
        ]
    estimates = np.array([one.difference for one in found])
    return FixedPair(
        groups=groups,
        shape=str(shape),
        sets=sets,
        planted=planted,
        stated=POWER,
        power=sum(one.gained for one in found) / sets,
        mean=float(estimates.mean()),
        error=float(estimates.std(ddof=1)) / sets**0.5,
    )
