"""Says before any choice what the sealed part can show: the smallest true gain found with 80 %
power.

Sign flips do not see a group that does not move, and a new setting often moves few. So the power is
that of a paired t test over the groups that move, averaged over how many of them the part may hold:
a binomial number, of which too few can show nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

import numpy as np

from eval.evidence.compare import LEVEL
from eval.evidence.scores import SAME, Floats, Scores

POWER = 0.8
# The number of moving groups is represented by its quantiles.
_QUANTILES = (np.arange(25) + 0.5) / 25
# Standard errors; a gain this large is found wherever one can be. Far above it scipy's noncentral t
# gives NaN (1.17), below it nowhere.
_LARGEST = 30.0
_HALVINGS = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Detectable:
    """Smallest detectable differences in the measure's unit, means over queries.

    value:      for the median setting other than today's: the one figure to print before a sweep
    by_setting: [S] for each setting against today's; settings far from today's move more queries
                and need a larger gain
    groups:     groups of the part it is stated for

    None for today's own, for a setting that moves fewer than two groups of the development part,
    and where no gain, however large, would be found so often.
    """

    value: float | None
    by_setting: tuple[float | None, ...]
    groups: int
    level: float
    power: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Movement:
    """How settings differ from today's over the development part's groups.

    share:  [S] part of the groups that move
    spread: [S] standard deviation, over the moving groups, of a group's summed difference
    size:   mean queries of a group
    """

    share: Floats
    spread: Floats
    size: float

    def power(self, gain: Floats, groups: int, level: float) -> Floats:
        """[S] chance that a part of `groups` groups shows these true gains [S]."""
        # scipy takes a while to import and only the power needs it.
        from scipy.special import nctdtr, stdtrit

        moving = _moving_groups(self.share, groups)
        able = (0.5**moving <= level) & (moving >= 2)
        freedom = np.where(able, moving - 1, 1)
        shift = (gain * self.size / self.share / self.spread)[:, None] * np.sqrt(moving)
        shift = np.minimum(shift, _LARGEST)
        found: Floats = 1 - nctdtr(freedom, shift, stdtrit(freedom, 1 - level))
        shown: Floats = np.where(able, found, 0.0).mean(axis=1)
        return shown

    def smallest(self, groups: int, level: float, power: float) -> Floats:
        """[S] the gain found with this power; infinite where there is none."""
        low = np.zeros_like(self.share)
        high = _LARGEST * self.spread * np.sqrt(self.share / groups) / self.size
        reachable = self.power(high, groups, level) >= power
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            found = self.power(middle, groups, level) >= power
            low, high = np.where(found, low, middle), np.where(found, middle, high)
        return np.where(reachable, high, np.inf)


def smallest_detectable(
    development: Scores, groups: int, *, level: float = LEVEL, power: float = POWER
) -> Detectable:
    """From the paired differences of the development part, for a part of `groups` such groups."""
    comparable, movement = movements(development)
    by_setting = np.full(len(development.settings), np.inf)
    if len(comparable) and groups > 0:
        by_setting[comparable] = movement.smallest(groups, level, power)
    known = by_setting[np.isfinite(by_setting)].tolist()
    return Detectable(
        value=median(known) if known else None,
        by_setting=tuple(gain if gain < np.inf else None for gain in by_setting.tolist()),
        groups=groups,
        level=level,
        power=power,
    )


def movements(scores: Scores) -> tuple[np.ndarray, Movement]:
    """Indices of the settings that move two groups or more, and how they move them."""
    sums, sizes = scores.group_sums(), scores.sizes
    differences = sums - sums[:, [scores.today]]
    moves = np.abs(differences) > SAME
    count = moves.sum(axis=0)
    comparable = np.flatnonzero(count >= 2)
    differences, moves, count = differences[:, comparable], moves[:, comparable], count[comparable]
    mean = differences.sum(axis=0) / (sizes @ moves)
    centred = np.where(moves, differences - np.outer(sizes, mean), 0.0)
    # Groups that all move alike would make any gain detectable; SAME keeps the ratio finite.
    spread = np.maximum(np.sqrt((centred**2).sum(axis=0) / (count - 1)), SAME)
    return comparable, Movement(share=count / len(sizes), spread=spread, size=float(sizes.mean()))


def _moving_groups(share: Floats, groups: int) -> Floats:
    """[S, quantiles] of the binomial number of groups that move."""
    from scipy.special import bdtr

    counts = np.arange(groups + 1)
    below = bdtr(counts, groups, share[:, None])
    at_least: Floats = (below[:, None, :] >= _QUANTILES[:, None]).argmax(axis=2).astype(np.float64)
    return at_least
