"""The one resampling law of this package: sign flips over groups.

If nothing changed, each group's difference is as likely to point up as down, so every pattern of
flipped groups is as likely as the one seen (Fisher 1935). Testing "the mean is m" for every m has a
closed form: flipping the groups F leaves the statistic as large as seen exactly where the mean over
F is <= m. The bounds that belong to the test are therefore order statistics of the means of random
half samples (Hartigan 1969, "Using subsample values as typical values"), the same draws answer
both, and p <= level exactly where the lower bound is above 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import floor

import numpy as np

from eval.evidence.scores import SAME, Floats

FLIPS = 19_999
# Up to here all 2^G patterns are walked and nothing is left to chance.
EXACT_GROUPS = 14
_ROWS = 2_000
# Of two measures in 0..1: all that is known where the groups are too few for a bound.
WIDEST = 1.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FlipLaw:
    """The patterns other than the one seen.

    sums, sizes: [P] what the flipped groups add up to, and how many queries they hold
    moved:       groups that differ at all
    exact:       every pattern is here
    """

    sums: Floats
    sizes: Floats
    moved: int
    exact: bool

    @property
    def patterns(self) -> int:
        return len(self.sums) + 1

    @property
    def smallest_p(self) -> float:
        """No outcome of these groups can give less."""
        return max(0.5**self.moved, 1 / self.patterns)

    @property
    def p(self) -> float:
        """One-sided, against "no gain"; the seen pattern counts, so never 0."""
        return float(1 + np.count_nonzero(self.sums <= SAME)) / self.patterns

    def interval(self, tail: float) -> tuple[float, float]:
        """Bounds of the mean difference, each missed with probability `tail`."""
        kept = floor(tail * self.patterns + 1e-9)
        if kept == 0:
            return -WIDEST, WIDEST
        empty = self.sizes == 0
        means = self.sums / np.where(empty, 1.0, self.sizes)
        low = np.partition(np.where(empty, -np.inf, means), kept - 1)[kept - 1]
        high = -np.partition(np.where(empty, -np.inf, -means), kept - 1)[kept - 1]
        return float(max(low, -WIDEST)), float(min(high, WIDEST))


def flip_law(sums: Floats, sizes: Floats, rng: np.random.Generator, flips: int = FLIPS) -> FlipLaw:
    """The law for groups with summed differences `sums` [G] over `sizes` [G] queries."""
    table = np.column_stack([sums, sizes])
    exact = len(sums) <= EXACT_GROUPS
    drawn = _all_patterns(len(sums)) @ table if exact else _random_patterns(table, rng, flips)
    moved = int(np.count_nonzero(np.abs(sums) > SAME))
    return FlipLaw(sums=drawn[:, 0], sizes=drawn[:, 1], moved=moved, exact=exact)


def _all_patterns(groups: int) -> Floats:
    counter = np.arange(1, 2**groups)[:, None]
    return ((counter >> np.arange(groups)) & 1).astype(np.float64)


def _random_patterns(table: Floats, rng: np.random.Generator, flips: int) -> Floats:
    rows = [min(_ROWS, flips - start) for start in range(0, flips, _ROWS)]
    return np.concatenate([half_samples(count, len(table), rng) @ table for count in rows])


def half_samples(rows: int, groups: int, rng: np.random.Generator) -> Floats:
    """[rows, groups] of 0 and 1, each with probability one half."""
    bits = np.frombuffer(rng.bytes(rows * -(-groups // 8)), dtype=np.uint8).reshape(rows, -1)
    return np.unpackbits(bits, axis=1, count=groups).astype(np.float64)
