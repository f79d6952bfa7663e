"""The climb finds what was planted, keeps what cannot be bettered, and promises no more."""

from dataclasses import replace

import numpy as np
import pytest

from eval import bulk
from eval.search.ascent import ascend
from eval.search.tunables import change, tunable, value_of
from eval.table import pair
from tests.replay.random_traces import random_trace

SOURCES = ("a", "b", "c")
TURNED = [tunable(name, SOURCES) for name in ("share", "bonus", "priority:a", "half-life:b")]


@pytest.fixture(scope="module")
def planted():
    """60 traces whose labels are the first three results under numbers that nobody uses today."""
    traces = [replace(random_trace(seed), query=f"q{seed}") for seed in range(60)]
    laid = bulk.lay_out(traces)
    today = change(traces[0].numbers, TURNED[0], 0.9)
    truth = change(change(today, TURNED[0], 0.15), TURNED[2], 6.0)
    ordered = bulk.order(laid, truth)
    judgements = {
        query: {pair(laid.ids[at]): 3 - rank for rank, at in enumerate(ordered.ranking(q)[:3])}
        for q, query in enumerate(laid.queries)
    }
    return laid, bulk.label(laid, judgements), today, truth


@pytest.mark.req("W45")
def test_it_climbs_to_what_was_planted(planted):
    """Better numbers would be there and nobody would find them: the truth scores 1."""
    laid, labels, today, truth = planted
    found = ascend(laid, labels, today, TURNED, rng=np.random.default_rng(1))
    top = float(bulk.ndcg(bulk.order(laid, truth), labels).mean())
    assert top == pytest.approx(1.0)
    assert found.start < 0.95
    assert found.value > 0.985
    assert value_of(found.numbers, TURNED[0]) < 0.5


def test_the_best_stays_where_it_is(planted):
    """A climb would move numbers that cannot be bettered, and a person would defend noise."""
    laid, labels, _, truth = planted
    found = ascend(laid, labels, truth, TURNED, rng=np.random.default_rng(1))
    assert found.numbers == truth
    assert found.value == found.start


def test_only_the_chosen_queries_are_looked_at(planted):
    """The sealed part would leak into the proposal."""
    laid, labels, today, _ = planted
    chosen = np.arange(len(laid.queries)) % 2 == 0
    first = ascend(laid, labels, today, TURNED[:2], rng=np.random.default_rng(1), chosen=chosen)
    gain = np.where(chosen[laid.query], labels.gain, 3.0 - labels.gain)
    other = ascend(
        laid,
        replace(labels, gain=gain),
        today,
        TURNED[:2],
        rng=np.random.default_rng(1),
        chosen=chosen,
    )
    assert first == other
