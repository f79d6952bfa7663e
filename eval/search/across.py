"""Held-out figures of a climb: it is climbed anew for every fold, without that fold's queries.

One climb over everything would choose its direction on the very queries that judge it. What is
estimated is the procedure itself, restarts included. (Varma and Simon 2006; the folds keep every
group whole.)
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from joblib import Parallel, delayed

from esra.domain.capability import Scoring
from eval.bulk import Bulk, Labels, Mask, Whole, ndcg, order
from eval.evidence.choose import choose
from eval.evidence.flips import flip_law
from eval.evidence.folds import fold_draws
from eval.evidence.nested import LEVEL, Estimate
from eval.evidence.scores import Floats, Scores
from eval.search.ascent import ascend
from eval.search.part import part
from eval.search.tunables import Tunable
from eval.search.ways import towards

REPLICATES = 199
DRAWS = 20  # each is five climbs with all their restarts; RULINGS 40 asks for no fewer


@dataclass(frozen=True, slots=True, kw_only=True)
class _Procedure:
    """What is estimated: climb over ``turned`` from ``today``, then the plateau.

    places: [D] the development part's queries among ``laid.queries``, in the order of ``scores``
    """

    laid: Bulk
    labels: Labels
    today: Scoring
    turned: tuple[Tunable, ...]
    scores: Scores
    places: Whole

    def figures(self, numbers: Scoring) -> Floats:
        """[D] nDCG@k of each development query."""
        measured = np.cumsum(self.labels.measured) - 1
        return ndcg(order(self.laid, numbers, cut=True), self.labels)[measured[self.places]]

    def gains(self, fold: Whole, rng: np.random.Generator) -> Floats:
        """[D] each query's gain under what was chosen without its own fold."""
        before, found = self.figures(self.today), np.zeros(len(self.places))
        for held_out in range(fold.max() + 1):
            own = fold == held_out
            found[own] = (self.figures(self._chosen(~own, rng)) - before)[own]
        return found

    def _chosen(self, kept: Mask, rng: np.random.Generator) -> Scoring:
        """What climb and plateau would use if they had seen only these [D] queries."""
        training = np.zeros(len(self.laid.queries), dtype=bool)
        training[self.places[kept]] = True
        # The others would cost as much, and a fold's own are not even there.
        laid, labels = part(self.laid, self.labels, training)
        climbed = ascend(laid, labels, self.today, self.turned, rng=rng)
        way = towards(self.today, climbed.numbers, self.turned)
        values = np.column_stack(
            [ndcg(order(laid, way.numbers(setting), cut=True), labels) for setting in way.settings]
        )
        scores = Scores(
            measure=self.scores.measure,
            settings=way.settings,
            values=values,
            groups=tuple(np.array(self.scores.groups, dtype=object)[kept]),
            today=way.today,
        )
        return way.numbers(way.settings[choose(scores, rng=rng, replicates=REPLICATES).index])


def cross_fitted(
    laid: Bulk,
    labels: Labels,
    today: Scoring,
    turned: Sequence[Tunable],
    development: Scores,
    looked_at: Mask,
    *,
    draws: int = DRAWS,
    seed: int = 2,
    processes: int = 1,
    say: Callable[[str], None] = lambda text: None,
) -> Estimate:
    """Figures over the development part, whose queries are ``looked_at`` [Q], in its order.

    The same whatever the number of ``processes``: each draw has a generator of its own.
    """
    procedure = _Procedure(
        laid=laid,
        labels=labels,
        today=today,
        turned=tuple(turned),
        scores=development,
        places=np.flatnonzero(looked_at),
    )
    before = procedure.figures(today)
    if development.group_count < 2:
        return _estimate(development, before, np.zeros((1, len(before))))
    rng = np.random.default_rng(seed)
    folds = list(fold_draws(development, draws, rng))
    asked = (
        delayed(procedure.gains)(fold, own)
        for fold, own in zip(folds, rng.spawn(draws), strict=True)
    )
    # In the order of the draws, each as soon as it is there.
    found: Iterator[Floats] = Parallel(n_jobs=processes, return_as="generator")(asked)
    gains = []
    for number, one in enumerate(found, start=1):
        gains.append(one)
        say(f"  held-out estimate, draw {number} of {draws}")
    return _estimate(development, before, np.stack(gains))


def _estimate(development: Scores, before: Floats, gains: Floats) -> Estimate:
    mean = gains.mean(axis=0)
    sums = np.bincount(development.codes, weights=mean, minlength=development.group_count)
    law = flip_law(sums, development.sizes, np.random.default_rng(3))
    low, high = law.interval((1 - LEVEL) / 2)
    # A fold that kept today's numbers gained nothing: 0 is one of the outcomes.
    stays = bool((np.abs(gains).max(axis=1, initial=0.0) == 0.0).any())
    return Estimate(
        before=float(before.mean()),
        after=float(before.mean() + mean.mean()),
        difference=float(mean.mean()),
        interval=(min(low, 0.0), max(high, 0.0)) if stays else (low, high),
        level=LEVEL,
        groups=development.group_count,
        draws=len(gains),
        spread=float(gains.mean(axis=1).std()),
        picks=(),
    )
