"""Counting past what is relevant gives the figures of the whole ranking, to the last bit."""

import random
from dataclasses import replace

import numpy as np
import pytest

from eval import bulk
from eval.search import heights as room
from eval.search.heights import heights
from eval.table import pair
from tests.replay.random_traces import random_numbers, random_trace


@pytest.mark.req("W52")
@pytest.mark.parametrize("sorted_from", [0, room.SORTED])
def test_a_count_is_the_ranking(sorted_from, monkeypatch):
    """A climb would walk on figures that no report shows."""
    monkeypatch.setattr(room, "SORTED", sorted_from)
    r = random.Random(2)
    traces = [replace(random_trace(seed), query=f"q{seed}") for seed in range(60)]
    laid = bulk.lay_out(traces)
    judgements = {
        one.query: {pair(id): r.choice([0, 1, 2]) for id, _ in one.ranking if r.random() < 0.3}
        for one in traces
    }
    labels = bulk.label(laid, judgements)
    wanted = labels.measured & (np.arange(60) % 3 > 0)
    hill = heights(laid, labels, wanted)
    for _ in range(60):
        numbers = random_numbers(r)
        whole = bulk.ndcg(bulk.order(laid, numbers, cut=True), labels)[wanted[labels.measured]]
        assert np.array_equal(hill.each(numbers), whole)
        assert hill.mean(numbers) == whole.mean()


def test_a_query_whose_relevant_documents_were_not_found_has_nothing():
    """It would be left out of the mean, or stop the climb."""
    trace = replace(random_trace(3), query="q")
    laid = bulk.lay_out([trace])
    labels = bulk.label(laid, {"q": {("nowhere", "none"): 1}})
    assert heights(laid, labels, labels.measured).mean(trace.numbers) == 0.0
