"""What the comparison says now, how likely that is to last, and which pair would settle it most.

The verdict on full labels is: better or worse where the mean difference of nDCG@k is beyond 1.96 of
its standard error, else no difference shown. Before the labels are full, every unjudged pair stands
for its *expected* grade, with the spread that goes with it (multiple imputation; Rubin 1987): the
rate of grades seen so far at such ranks, of documents that the same arm ranks higher, drawn to the
rate of both arms and over all where few are seen. That one arm finds the better documents is the
very question, so each rate is itself unknown, and one error of it moves every open pair alike.

A pair is worth judging by how much its grade can settle of the mean: weight^2 x variance of its
grade, and what it tells of the rate that the open pairs like it stand for.
Idea: Carterette, Allan and Sitaraman, *Minimal test collections for retrieval evaluation*, SIGIR
2006.
"""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from eval.judge.pool import Floats, Pool

Mask = NDArray[np.bool_]

Z = 1.96  # two-sided 5 %
SURE = 0.95
BINS = 10  # pairs of ranks, each for documents of one arm and of both
PRIOR = 5.0  # so many pairs of the overall rate stand behind each bin
PRIOR_OF_ARM = 100.0  # so many of both arms' rate behind that of one arm
LEAST_IDEAL = 0.3  # of a query about which nothing relevant is known yet
LEAST_VARIANCE = 1e-6


class Verdict(StrEnum):
    BETTER = "the second arm is better"
    WORSE = "the second arm is worse"
    NONE = "no difference shown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """verdict: the likeliest one on full labels, held with probability ``sure``, which takes the
    ideal lists as they are expected now
    difference: expected mean difference of nDCG@k; lowest and highest: between what it lies
    whatever grades the unjudged pairs get, those that move an ideal list alone among them
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
    guess = _imputed(pool, grades, known, top)
    expected, spread = guess.expected, guess.variance
    ideal = _ideal(pool, expected)
    weight = pool.weight / ideal[pool.query]
    count = len(pool.queries)
    mean_by_query = np.bincount(pool.query, weights=weight * expected, minlength=count)
    open_by_query = np.bincount(pool.query, weights=weight**2 * spread, minlength=count)
    difference = float(mean_by_query.mean())
    error = float(np.sqrt((mean_by_query.var(ddof=1) + open_by_query.mean()) / count))
    rest = np.where(known, 0.0, weight)
    shared = np.bincount(guess.bin, weights=rest, minlength=len(guess.behind)) ** 2 * guess.of_bin
    unsettled = float(np.sqrt(open_by_query.sum() + (shared / (guess.behind + 1)).sum())) / count
    verdict, sure = _likeliest(difference, error, unsettled)
    lowest, highest = _ends(pool, grades, known, top)
    return Outlook(
        verdict=verdict,
        sure=sure,
        difference=difference,
        lowest=lowest,
        highest=highest,
        judged=int(known.sum()),
        worth=_worth(np.where(known, 0.0, weight**2 * spread), guess, shared),
    )


def _ends(pool: Pool, grades: Floats, known: Mask, top: int) -> tuple[float, float]:
    """Between what the mean difference lies whatever grades the open pairs get.

    Of each query the gains go from the worst to the best for the second arm, and the ideal from
    that of what is judged to that of all open pairs at the top.
    """
    count = len(pool.queries)
    gains = np.where(known, np.maximum(np.nan_to_num(grades), 0.0), 0.0)
    settled = np.bincount(pool.query, weights=pool.weight * gains, minlength=count)
    left = np.where(known, 0.0, top * pool.weight)
    # Where anything was gained at all, something relevant stands at the top of the ideal.
    least = np.maximum(_ideal(pool, gains), 1.0)
    most = np.maximum(_ideal(pool, np.where(known, gains, float(top))), least)
    found = []
    for sign in (-1.0, 1.0):
        best = sign * np.maximum(sign * left, 0.0)
        end = settled + np.bincount(pool.query, weights=best, minlength=count)
        each = end / np.where(sign * end > 0, least, most)
        found.append(float(np.clip(each, -1.0, 1.0).mean()))
    return found[0], found[1]


def next_pairs(seen: Outlook, budget: int) -> list[int]:
    """The places in the pool to judge next, the most telling first; equal ones in pool order."""
    order = np.argsort(-seen.worth, kind="stable")
    return [int(place) for place in order[:budget] if seen.worth[place] > 0]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Guess:
    """What the pairs stand for while they are open; the judged have their grade and no variance.

    bin: [P] pairs of one rate; of_bin: [B] variance of a grade in it; behind: [B] how many pairs,
    judged or taken for granted, that rate rests on
    """

    expected: Floats
    variance: Floats
    bin: NDArray[np.intp]
    of_bin: Floats
    behind: Floats


def _imputed(pool: Pool, grades: Floats, known: NDArray[np.bool_], top: int) -> _Guess:
    own = np.maximum(grades[known], 0.0)
    # Before anything is judged one pair in eight is taken to be relevant, of the lowest grade.
    overall = np.array([(own**power).sum() + 0.5 for power in (1, 2)]) / (len(own) + 4)
    ranks = np.minimum(pool.rank // 2, BINS - 1) * 2 + pool.shared
    higher = np.sign(pool.weight).astype(np.intp) + 1  # in the first arm, in neither, in the second
    both = _rates(ranks[known], own, np.tile(overall, (2 * BINS, 1)), PRIOR)[0]
    bins = ranks * 3 + higher
    rates, behind = _rates(bins[known], own, np.repeat(both, 3, axis=0), PRIOR_OF_ARM)
    of_bin = np.maximum(rates[:, 1] - rates[:, 0] ** 2, LEAST_VARIANCE)
    guessed = np.minimum(rates[:, 0], top)[bins]
    return _Guess(
        expected=np.where(known, np.maximum(np.nan_to_num(grades), 0.0), guessed),
        variance=np.where(known, 0.0, of_bin[bins]),
        bin=bins,
        of_bin=of_bin,
        behind=behind,
    )


def _rates(
    bins: NDArray[np.intp], grades: Floats, before: Floats, prior: float
) -> tuple[Floats, Floats]:
    """([B, 2] mean grade and mean square of each bin, drawn to ``before``; [B] pairs behind it)."""
    count, first, second = (
        np.bincount(bins, weights=grades**power, minlength=len(before)) for power in (0, 1, 2)
    )
    behind = count + prior
    return (np.stack([first, second], axis=1) + prior * before) / behind[:, None], behind


def _worth(own: Floats, guess: _Guess, shared: Floats) -> Floats:
    """[P] what each pair settles by itself, and of its bin's rate: the more, the fewer of that bin
    are judged before it.
    """
    order = np.lexsort((-own, guess.bin))
    order = order[own[order] > 0]
    bins = guess.bin[order]
    before = guess.behind[bins] + 1 + np.arange(len(bins)) - np.searchsorted(bins, bins)
    worth = own.copy()
    worth[order] += shared[bins] * (1 / before - 1 / (before + 1))
    return worth


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
