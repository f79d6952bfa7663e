"""Chooses one setting from queries whose scores may be looked at. In sample: no figure from here is
a claim.

The plateau is every setting that could still be the best. With the peak p fixed, D(s) = mean(p) -
mean(s) is a mean of paired differences; s is inside while D(s) <= c se(s), where c is the `level`
quantile of the largest standardised difference over all settings at once (max-t; Romano and Wolf
2005), drawn by flipping the signs of the groups' centred contributions. One c for all settings
makes the band simultaneous: the truly best setting is inside with probability `level`, however fine
the grid.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eval.evidence.flips import WIDEST, half_samples
from eval.evidence.scores import SAME, Floats, Mask, Scores, Setting

LEVEL = 0.95
REPLICATES = 999


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What the procedure would use. All figures are in sample.

    index, setting: today's where it stays, else the middle of the plateau on the grid
    plateau:        lowest and highest setting of the unbroken stretch that holds the peak
    stays:          today's setting is itself not worse than the peak beyond the band
    curve:          [S] mean over queries under each setting
    shortfall:      [S] what each setting lies below the peak
    margin:         [S] half width of the band; of one group 1, the whole range of a measure
    """

    index: int
    setting: Setting
    peak: Setting
    plateau: tuple[Setting, Setting]
    stays: bool
    level: float
    curve: tuple[float, ...]
    shortfall: tuple[float, ...]
    margin: tuple[float, ...]

    @property
    def flat(self) -> bool:
        """No setting differs from any other on any group."""
        return not any(self.shortfall) and not any(self.margin)


def choose(
    scores: Scores, *, rng: np.random.Generator, level: float = LEVEL, replicates: int = REPLICATES
) -> Choice:
    """Chooses a setting from every query of `scores`."""
    sums, sizes = scores.group_sums(), scores.sizes
    curve = sums.sum(axis=0) / sizes.sum()
    peak = _peak(curve, scores)
    shortfall, margin = _band(sums[:, [peak]] - sums, sizes, rng, level, replicates)
    inside = shortfall <= margin + SAME
    low, high = _stretch(inside, peak)
    stays = bool(inside[scores.today])
    index = scores.today if stays else _middle(scores, low, high)
    return Choice(
        index=index,
        setting=scores.settings[index],
        peak=scores.settings[peak],
        plateau=(scores.settings[low], scores.settings[high]),
        stays=stays,
        level=level,
        curve=tuple(curve.tolist()),
        shortfall=tuple(shortfall.tolist()),
        margin=tuple(margin.tolist()),
    )


def _peak(curve: Floats, scores: Scores) -> int:
    """The highest mean; of equal ones the nearest to today's, so that a tie moves nothing."""
    today = scores.settings[scores.today]
    tied = np.flatnonzero(curve >= curve.max() - SAME)
    return min((int(i) for i in tied), key=lambda i: (abs(scores.settings[i] - today), i))


def _band(
    below: Floats, sizes: Floats, rng: np.random.Generator, level: float, replicates: int
) -> tuple[Floats, Floats]:
    """[S] shortfall and half width of the band, from [G, S] summed differences to the peak."""
    groups, queries = len(sizes), sizes.sum()
    shortfall = below.sum(axis=0) / queries
    shortfall[np.abs(shortfall) <= SAME] = 0.0
    if groups < 2:
        # One group says nothing about the next: every setting may be the best. A finite width, as
        # everything here may be written down as JSON, which has no infinity.
        return shortfall, np.full(below.shape[1], WIDEST)
    centred = (below - np.outer(sizes, shortfall)) / queries * np.sqrt(groups / (groups - 1))
    error = np.sqrt((centred**2).sum(axis=0))
    error[error <= SAME] = 0.0
    moving = error > 0
    if not moving.any():
        return shortfall, error
    signs = 2 * half_samples(replicates, groups, rng) - 1
    largest = (signs @ (centred[:, moving] / error[moving])).max(axis=1)
    return shortfall, error * max(float(np.quantile(largest, level)), 0.0)


def _stretch(inside: Mask, peak: int) -> tuple[int, int]:
    low = high = peak
    while low > 0 and inside[low - 1]:
        low -= 1
    while high + 1 < len(inside) and inside[high + 1]:
        high += 1
    return low, high


def _middle(scores: Scores, low: int, high: int) -> int:
    """The grid's setting nearest the middle of the stretch; of two, the nearer to today's."""
    settings, today = scores.settings, scores.settings[scores.today]
    doubled = settings[low] + settings[high]
    return min(
        range(low, high + 1),
        key=lambda i: (abs(2 * settings[i] - doubled), abs(settings[i] - today), i),
    )
