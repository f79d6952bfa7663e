"""Held-out figures of a climb: it is climbed anew for every fold, without that fold's queries.

One climb over everything would choose its direction on the very queries that judge it. What is
estimated is the procedure itself, restarts included. (Varma and Simon 2006; the folds keep every
group whole.)
"""

from collections.abc import Callable, Sequence

import numpy as np

from esra.domain.capability import Scoring
from eval.bulk import Bulk, Labels, Mask, ndcg, order
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
# Each is five climbs with all their restarts; ``spread`` says how far the draws lie apart.
DRAWS = 4


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
    say: Callable[[str], None] = lambda text: None,
) -> Estimate:
    """Figures over the development part, whose queries are ``looked_at`` [Q], in its order."""
    rng = np.random.default_rng(seed)
    places = np.flatnonzero(looked_at)
    before = ndcg(order(laid, today, cut=True), labels)[looked_at[labels.measured]]
    if development.group_count < 2:
        return _estimate(development, before, np.zeros((1, len(places))))
    gains = np.zeros((draws, len(places)))
    for number, fold in enumerate(fold_draws(development, draws, rng)):
        say(f"  held-out estimate, draw {number + 1} of {draws}")
        for held_out in range(fold.max() + 1):
            own = fold == held_out
            training = np.zeros(len(laid.queries), dtype=bool)
            training[places[~own]] = True
            chosen = _chosen(laid, labels, today, turned, development, training, ~own, rng)
            after = ndcg(order(laid, chosen, cut=True), labels)[looked_at[labels.measured]]
            gains[number, own] = (after - before)[own]
    return _estimate(development, before, gains)


def _chosen(
    laid: Bulk,
    labels: Labels,
    today: Scoring,
    turned: Sequence[Tunable],
    development: Scores,
    training: Mask,
    kept: Mask,
    rng: np.random.Generator,
) -> Scoring:
    """What the whole procedure, climb and plateau, would use if it had seen only these queries."""
    # The others would cost as much, and a fold's own are not even there.
    laid, labels = part(laid, labels, training)
    climbed = ascend(laid, labels, today, turned, rng=rng)
    way = towards(today, climbed.numbers, turned)
    values = np.column_stack(
        [ndcg(order(laid, way.numbers(setting), cut=True), labels) for setting in way.settings]
    )
    scores = Scores(
        measure=development.measure,
        settings=way.settings,
        values=values,
        groups=tuple(np.array(development.groups, dtype=object)[kept]),
        today=way.today,
    )
    return way.numbers(way.settings[choose(scores, rng=rng, replicates=REPLICATES).index])


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
