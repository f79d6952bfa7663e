"""What the comparison says now, how likely that is to last, and which pair would settle it most.

The verdict on full labels is: better or worse where the mean difference of nDCG@k is beyond 1.96 of
its standard error, else no difference shown. Before the labels are full, every unjudged pair stands
for its *expected* grade, with the spread that goes with it (multiple imputation; Rubin 1987): the
rate of grades seen so far at such ranks, drawn to the rate over all where few are seen. Which pairs
were judged was decided by rank alone and never by grade, so that those rates stay honest.

A pair is worth judging by how much its grade can move the mean: weight^2 x variance of its grade.
Idea: Carterette, Allan and Sitaraman, *Minimal test collections for retrieval evaluation*, SIGIR
2006.
"""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from eval.judge.pool import Floats, Pool

Z = 1.96  # two-sided 5 %
SURE = 0.95
BINS = 10  # pairs of ranks, each for documents of one arm and of both
PRIOR = 5.0  # so many pairs of the overall rate stand behind each bin
LEAST_IDEAL = 0.3  # of a query about which nothing relevant is known yet
LEAST_VARIANCE = 1e-6


class Verdict(StrEnum):
    BETTER = "the second arm is better"
    WORSE = "the second arm is worse"
    NONE = "no difference shown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """verdict: the likeliest one on full labels, held with probability ``sure``
    difference: expected mean difference of nDCG@k; lowest and highest: if every unjudged pair had
    the worst, the best grade for the second arm
    can_flip: some grades of the unjudged pairs would give another sign of the difference
    worth: [P] what judging each pair would settle, 0 for the judged ones
    """

    verdict: Verdict
    sure: float
    difference: float
    lowest: float
    highest: float
    judged: int
    worth: Floats

    @property
    def settled(self) -> bool:
        return self.sure >= SURE

    @property
    def can_flip(self) -> bool:
        return self.lowest < 0.0 < self.highest or not self.settled


def outlook(pool: Pool, grades: Floats, *, top: int) -> Outlook:
    """``grades`` [P], NaN where unjudged; ``top`` is the top of the grading scale.

    ValueError for fewer than two queries: nothing can be said of how the next would differ.
    """
    if len(pool.queries) < 2:
        raise ValueError("a comparison needs at least two queries")
    known = ~np.isnan(grades)
    expected, spread = _imputed(pool, grades, known, top)
    ideal = _ideal(pool, expected)
    weight = pool.weight / ideal[pool.query]
    count = len(pool.queries)
    mean_by_query = np.bincount(pool.query, weights=weight * expected, minlength=count)
    open_by_query = np.bincount(pool.query, weights=weight**2 * spread, minlength=count)
    difference = float(mean_by_query.mean())
    error = float(np.sqrt((mean_by_query.var(ddof=1) + open_by_query.mean()) / count))
    unsettled = float(np.sqrt(open_by_query.sum())) / count
    verdict, sure = _likeliest(difference, error, unsettled)
    rest = np.where(known, 0.0, weight)
    settled = np.where(known, weight * np.nan_to_num(grades), 0.0).sum() / count
    return Outlook(
        verdict=verdict,
        sure=sure,
        difference=difference,
        lowest=float(settled + top * np.minimum(rest, 0.0).sum() / count),
        highest=float(settled + top * np.maximum(rest, 0.0).sum() / count),
        judged=int(known.sum()),
        worth=np.where(known, 0.0, weight**2 * spread),
    )


def next_pairs(pool: Pool, seen: Outlook, budget: int) -> list[int]:
    """The places in the pool to judge next, the most telling first; equal ones in pool order."""
    order = np.argsort(-seen.worth, kind="stable")
    return [int(place) for place in order[:budget] if seen.worth[place] > 0]


def _imputed(
    pool: Pool, grades: Floats, known: NDArray[np.bool_], top: int
) -> tuple[Floats, Floats]:
    """([P] expected grade, [P] its variance); the judged have their grade and no variance."""
    bins = np.minimum(pool.rank // 2, BINS - 1) * 2 + pool.shared
    seen, own = bins[known], np.maximum(grades[known], 0.0)
    count, first, second = (
        np.bincount(seen, weights=own**power, minlength=2 * BINS) for power in (0, 1, 2)
    )
    # Before anything is judged one pair in eight is taken to be relevant, of the lowest grade.
    overall = (own.sum() + 0.5) / (len(own) + 4)
    overall_square = ((own**2).sum() + 0.5) / (len(own) + 4)
    mean = (first + PRIOR * overall) / (count + PRIOR)
    square = (second + PRIOR * overall_square) / (count + PRIOR)
    expected = np.where(known, np.maximum(np.nan_to_num(grades), 0.0), np.minimum(mean, top)[bins])
    variance = np.maximum(square - mean**2, LEAST_VARIANCE)[bins]
    return expected, np.where(known, 0.0, variance)


def _ideal(pool: Pool, expected: Floats) -> Floats:
    """[Q] the best DCG@k that the expected grades allow."""
    order = np.lexsort((-expected, pool.query))
    query = pool.query[order]
    rank = np.arange(len(order)) - np.searchsorted(query, query)
    shown = rank < pool.k
    gain = expected[order][shown] / np.log2(rank[shown] + 2)
    return np.maximum(
        np.bincount(query[shown], weights=gain, minlength=len(pool.queries)), LEAST_IDEAL
    )


def _likeliest(difference: float, error: float, unsettled: float) -> tuple[Verdict, float]:
    """The verdict that full labels most likely give, and how likely: their z is normal around
    today's expectation, as wide as what is not judged yet."""
    from scipy.stats import norm

    z = difference / error if error > 0 else 0.0
    wide = unsettled / error if error > 0 else 0.0
    if wide < 1e-9:
        found = Verdict.BETTER if z > Z else Verdict.WORSE if z < -Z else Verdict.NONE
        return found, 1.0
    better = float(norm.sf((Z - z) / wide))
    worse = float(norm.cdf((-Z - z) / wide))
    chances = {
        Verdict.BETTER: better,
        Verdict.WORSE: worse,
        Verdict.NONE: 1.0 - better - worse,
    }
    verdict = max(chances, key=lambda one: chances[one])
    return verdict, chances[verdict]
