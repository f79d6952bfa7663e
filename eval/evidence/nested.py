"""Estimates what the tuning *procedure* gives on queries it has not seen: nested cross-validation
by group.

Each fold is scored under the setting chosen on the other folds, so no query scores a number it
helped to choose. The mean over many draws of folds removes the luck of one draw; the spread over
draws is what was removed. (Varma and Simon 2006, "Bias in error estimation when using
cross-validation for model selection".)
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from eval.evidence.choose import choose
from eval.evidence.flips import flip_law
from eval.evidence.folds import fold_draws
from eval.evidence.scores import Floats, Scores, Setting

DRAWS = 20
LEVEL = 0.95
REPLICATES = 499


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """Held-out figures of the procedure, means over queries.

    before, after: under today's setting, and under what the procedure chose without these queries
    interval:      of `difference`, two-sided at `level`, by sign flips over groups
    spread:        standard deviation of the difference over the draws of folds
    picks:         each setting the procedure chose, with the share of folds that chose it
    """

    before: float
    after: float
    difference: float
    interval: tuple[float, float]
    level: float
    groups: int
    draws: int
    spread: float
    picks: tuple[tuple[Setting, float], ...]

    def as_json(self) -> dict[str, object]:
        return {
            "difference": self.difference,
            "interval": list(self.interval),
            "level": self.level,
            "groups": self.groups,
            "draws": self.draws,
            "spread": self.spread,
            "picks": [[float(setting), share] for setting, share in self.picks],
        }


def nested(
    scores: Scores, *, rng: np.random.Generator, draws: int = DRAWS, level: float = LEVEL
) -> Estimate:
    """Estimates the gain of choosing on such queries; with one group today's setting stays."""
    gains, picked = _held_out_gains(scores, draws, rng)
    gain = gains.mean(axis=0)
    before = float(scores.values[:, scores.today].mean())
    law = flip_law(np.bincount(scores.codes, weights=gain).astype(np.float64), scores.sizes, rng)
    total = picked.total()
    return Estimate(
        before=before,
        after=before + float(gain.mean()),
        difference=float(gain.mean()),
        interval=law.interval((1 - level) / 2),
        level=level,
        groups=scores.group_count,
        draws=len(gains),
        spread=float(gains.mean(axis=1).std()),
        picks=tuple((scores.settings[i], picked[i] / total) for i in sorted(picked)),
    )


def _held_out_gains(
    scores: Scores, draws: int, rng: np.random.Generator
) -> tuple[Floats, Counter[int]]:
    """[draws, Q] gain of each query under what was chosen without its fold; how often each was."""
    if scores.group_count < 2:
        return np.zeros((draws, len(scores.groups))), Counter({scores.today: draws})
    gains, picked = np.empty((draws, len(scores.groups))), Counter[int]()
    for row, fold in zip(gains, fold_draws(scores, draws, rng), strict=True):
        for number in range(fold.max() + 1):
            held_out = fold == number
            index = choose(scores.part(~held_out), rng=rng, replicates=REPLICATES).index
            picked[index] += 1
            row[held_out] = scores.values[held_out, index] - scores.values[held_out, scores.today]
    return gains, picked
