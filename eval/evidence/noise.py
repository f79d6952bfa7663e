"""The noise floor of an arm that does not answer twice alike: no claim may be smaller.

Two recordings of one arm differ by luck alone. The floor is the difference of their means that such
luck stays below in 95 % of pairs, from the variance between repeats of each query, or the largest
that was seen, whichever is more.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import sqrt

import numpy as np

from eval.evidence.scores import Floats

NORMAL_95 = 1.959963984540054
LEAST_REPEATS = 2


class UnderTheNoise(ValueError):
    """A difference that two recordings of one and the same arm could show."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """floor: in the measure's unit; seen: largest difference of two repeats' means."""

    floor: float
    seen: float
    repeats: int
    queries: int


def noise_floor(repeats: Floats) -> Noise:
    """The floor from [R, Q] values of one arm's repeats. ValueError with fewer than two."""
    values = np.asarray(repeats, dtype=np.float64)
    if values.ndim != 2 or len(values) < LEAST_REPEATS or not values.shape[1]:
        raise ValueError(f"a noise floor needs {LEAST_REPEATS} repeats of the same queries")
    means = values.mean(axis=1)
    seen = max(abs(one - other) for one, other in combinations(means.tolist(), 2))
    between = values.var(axis=0, ddof=1).sum()
    queries = values.shape[1]
    return Noise(
        floor=max(seen, NORMAL_95 * sqrt(2 * between) / queries),
        seen=seen,
        repeats=len(values),
        queries=queries,
    )


def above_the_noise(difference: float, noise: Noise) -> float:
    """The difference itself; UnderTheNoise where it may be luck."""
    if abs(difference) <= noise.floor:
        raise UnderTheNoise(
            f"a difference of {difference:+.4f} lies under the noise floor {noise.floor:.4f} of "
            f"{noise.repeats} repeats over {noise.queries} queries; record more queries to claim it"
        )
    return difference
