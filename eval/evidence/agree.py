"""Whether live answers bear a replay out, within what the model itself varies by (RULINGS 38).

Each query was answered several times: by recordings, replayed under the new numbers, and live under
them. A model that means the same by a record in any company may still not repeat itself; then which
of its answers to a query were the live ones is a label without meaning, and every choice of as many
of them is as likely as the one seen, query by query (Pitman 1937, "Significance tests which may be
applied to samples from any populations"). Two figures are held against that law, each at half of
``LEVEL``: the mean difference, and the mean square of each query's own, since a replay may be wrong
of every query and right on average. So the share of honest models that are contradicted is
``LEVEL`` at most, however skewed or rare their noise is. The noise floor is what the mean
difference between such answers stays under with probability 1 - ``LEVEL`` / 2.

A floor that is wide lets wrong predictions through. So live answers also have to leave a gain: the
claimed one, less the most that the interval (difference +- floor) allows on the queries asked.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from itertools import combinations

import numpy as np

from eval.evidence.scores import SAME, Floats

LEVEL = 0.05
DRAWS = 9_999
_ROWS = 1_000
DETERMINISTIC = 1e-9  # what a query may differ by where the model answers the same again


class Bearing(StrEnum):
    BORNE_OUT = "borne-out"
    CONTRADICTED = "contradicted"
    UNCLEAR = "unclear"


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Means over ``queries``, in the measure's unit.

    floor:      of the mean difference; 0 where the model repeats itself
    recordings, answers: how often each query was answered before, and live
    reached:    share of the development queries of which the model is asked otherwise than recorded
    claimed:    the replayed gain on the whole development part, in sample
    """

    queries: int
    predicted: float
    live: float
    floor: float
    p: float
    recordings: int
    answers: int
    reached: float
    claimed: float

    @property
    def difference(self) -> float:
        return self.live - self.predicted

    @property
    def left(self) -> float:
        """The claimed gain, less the most that the interval of the difference allows."""
        return self.claimed + self.reached * min(0.0, self.difference - self.floor)

    @property
    def bearing(self) -> Bearing:
        if self.p <= LEVEL:
            return Bearing.CONTRADICTED
        # A model that repeats itself has no interval, and its live answers were the replayed ones.
        unclear = self.floor > 0 and self.left <= 0
        return Bearing.UNCLEAR if unclear else Bearing.BORNE_OUT

    def as_json(self) -> dict[str, object]:
        return {**asdict(self), "difference": self.difference, "bearing": str(self.bearing)}


def agreement(
    predicted: Floats,
    live: Floats,
    *,
    repeats_itself: bool,
    reached: float = 1.0,
    claimed: float = 1.0,
    rng: np.random.Generator,
    draws: int = DRAWS,
) -> Agreement:
    """Of ``predicted`` [recordings, queries] and ``live`` [answers, queries].

    ``repeats_itself``: the model said the very same each time, so that any query's difference
    contradicts
    """
    before, after = float(predicted.mean()), float(live.mean())
    if repeats_itself:
        # Query by query here too: what is wrong of two of them may well cancel in the mean.
        off = np.abs(live.mean(axis=0) - predicted.mean(axis=0)).max()
        floor, p = 0.0, float(off <= DETERMINISTIC)
    else:
        floor, p = _law(predicted, live, rng, draws)
    return Agreement(
        queries=predicted.shape[1],
        predicted=before,
        live=after,
        floor=floor,
        p=p,
        recordings=len(predicted),
        answers=len(live),
        reached=reached,
        claimed=claimed,
    )


def _law(
    predicted: Floats, live: Floats, rng: np.random.Generator, draws: int
) -> tuple[float, float]:
    """(noise floor of the mean difference, p of it and of the mean square together)."""
    whole = np.concatenate([live, predicted])
    count, asked = len(whole), len(live)
    total = whole.sum(axis=0)
    # [choices, queries] the difference if these had been the live ones; the first is what was seen.
    chosen = np.stack([whole[list(own)].sum(axis=0) for own in combinations(range(count), asked)])
    differences = chosen / asked - (total - chosen) / (count - asked)
    queries = np.arange(whole.shape[1])
    means, squares = np.empty(draws), np.empty(draws)
    for start in range(0, draws, _ROWS):
        rows = slice(start, min(draws, start + _ROWS))
        some = rng.integers(len(differences), size=(rows.stop - start, len(queries)))
        drawn = differences[some, queries]
        means[rows], squares[rows] = np.abs(drawn.mean(axis=1)), (drawn**2).mean(axis=1)
    p = min(
        _share(means, abs(float(differences[0].mean()))),
        _share(squares, float((differences[0] ** 2).mean())),
    )
    return float(np.quantile(means, 1 - LEVEL / 2, method="higher")), min(1.0, 2 * p)


def _share(drawn: Floats, seen: float) -> float:
    """How many are as large as seen; the seen one counts, so never 0 (Phipson and Smyth 2010)."""
    return float(1 + np.count_nonzero(drawn >= seen - SAME)) / (len(drawn) + 1)
