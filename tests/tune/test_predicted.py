"""Live answers bear a replay out where the model means the same by a record in any company."""

import numpy as np
import pytest

from eval import bulk
from eval.evidence import Scores
from eval.table import pair
from eval.tune.predicted import as_predicted
from tests.replay.test_cut import answered, numbers_of


def asked_again(*, listwise):
    """Whether 30 questions, recorded with a short shortlist, are borne out under other numbers."""
    seeds = range(30)
    before, after = numbers_of(1, shortlist=7), numbers_of(2, shortlist=7)
    laid = bulk.lay_out([answered(seed, before, listwise=listwise) for seed in seeds])
    judgements = {
        query: {pair(laid.ids[at]): 1 for at in np.flatnonzero(laid.query == q) if at % 3}
        for q, query in enumerate(laid.queries)
    }
    labels = bulk.label(laid, judgements)
    scores = Scores(measure="", settings=(0,), values=[[0.0]] * 30, groups=laid.queries, today=0)
    calls = []

    def again(numbers, queries):
        calls.append(queries)
        return bulk.lay_out([answered(int(query), numbers, listwise=listwise) for query in queries])

    found = as_predicted(laid, labels, after, scores, again)
    assert calls
    return found


@pytest.mark.req("U12")
def test_a_model_that_scores_each_record_by_itself_is_borne_out():
    """No number that changes the shortlist could ever be promoted: the scores that were missing
    would count as a contradiction."""
    assert asked_again(listwise=False)


def test_a_model_whose_scores_depend_on_their_company_is_not():
    """A replay would speak for scores that the model takes back (RULINGS 38)."""
    assert not asked_again(listwise=True)
