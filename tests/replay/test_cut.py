"""A replay under other numbers is the runtime under other numbers, its shortlist included."""

import numpy as np
import pytest

from eval import bulk
from eval.replay import replay
from eval.search.part import part
from eval.table import pair
from tests.replay.answered import answered, numbers_of


@pytest.mark.req("U12", "W52")
@pytest.mark.parametrize("seed", range(60))
def test_other_numbers_leave_out_what_their_shortlist_would_not_ask_for(seed):
    """A number would be tuned on scores that the model is never asked for once it is in force."""
    before, after = numbers_of(seed, shortlist=200), numbers_of(seed + 1000, shortlist=7)
    laid = bulk.lay_out([answered(seed, before)])
    found = bulk.order(laid, after, cut=True)
    replayed = [(laid.ids[at], found.final[at]) for at in found.ranking(0)]
    live = answered(seed, after).ranking
    assert replayed == list(live)
    alone = replay(answered(seed, before), after, cut=True)
    assert tuple((ranked.candidate.hit.id, ranked.final) for ranked in alone) == live


def test_recorded_numbers_cut_nothing():
    """The echo would be lost: what was asked is what the recorded shortlist holds."""
    numbers = numbers_of(5, shortlist=9)
    laid = bulk.lay_out([answered(seed, numbers) for seed in range(20)])
    plain, cut = bulk.order(laid, numbers), bulk.order(laid, numbers, cut=True)
    assert np.array_equal(plain.records, cut.records)
    assert np.array_equal(plain.final, cut.final)


def test_a_part_is_ordered_as_it_is_in_the_whole():
    """A climb on some of the queries would come to other numbers than it says."""
    numbers, other = numbers_of(1, shortlist=9), numbers_of(2, shortlist=6)
    laid = bulk.lay_out([answered(seed, numbers) for seed in range(12)])
    judgements = {
        query: {pair(laid.ids[at]): int(at % 3) for at in np.flatnonzero(laid.query == n)}
        for n, query in enumerate(laid.queries)
    }
    labels = bulk.label(laid, judgements)
    chosen = np.arange(12) % 3 > 0
    small, own = part(laid, labels, chosen)
    assert small.queries == tuple(query for n, query in enumerate(laid.queries) if n % 3)
    for assumed in (None, 0.0, 1.0):
        whole = bulk.order(laid, other, assumed, cut=True)
        alone = bulk.order(small, other, assumed, cut=True)
        assert np.array_equal(alone.final, whole.final[chosen[laid.query]])
        figures = bulk.ndcg(whole, labels)[chosen[labels.measured]]
        assert np.array_equal(bulk.ndcg(alone, own), figures)
