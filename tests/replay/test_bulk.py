"""Bulk replay is the runtime, to the last bit, under the recorded numbers and under any others."""

import os
import random
from dataclasses import replace

import numpy as np
import pytest

from esra.domain.capability import Scoring, SourceScoring
from esra.domain.hit import RecordId
from eval import bulk, measures
from eval.bulk import label, lay_out, ndcg, order, shortlisted, weights
from eval.replay import candidates, coverage, replay
from eval.table import pair
from tests.replay.random_traces import random_numbers, random_trace

TRACES = 1_000 if os.environ.get("ESRA_LONG") else 120


@pytest.fixture(scope="module")
def traces():
    return [replace(random_trace(seed), query=f"q{seed}") for seed in range(TRACES)]


@pytest.mark.req("W52")
def test_recorded_numbers_give_the_recorded_rankings_and_floats(traces):
    """A sweep would be over rankings that the runtime never gave.

    Every trace has its own numbers, so each is ordered under its own inside the whole bulk.
    """
    laid = lay_out(traces)
    for place, one in enumerate(traces):
        ordered = order(laid, one.numbers)
        found = [(laid.ids[at], float(ordered.final[at])) for at in ordered.ranking(place)]
        assert tuple(found) == one.ranking


@pytest.mark.req("W52")
def test_any_other_numbers_give_what_a_single_replay_gives(traces):
    """A tuned configuration would order live calls otherwise than it ordered the recordings."""
    r = random.Random(5)
    laid = lay_out(traces)
    for _ in range(12):
        numbers = random_numbers(r)
        ordered, taken = (
            order(laid, numbers),
            shortlisted(laid, weights(laid, numbers), numbers.shortlist),
        )
        asked = known = 0
        for place, one in enumerate(traces):
            single = [(x.candidate.hit.id, x.final) for x in replay(one, numbers)]
            found = ordered.ranking(place)
            assert [(laid.ids[at], float(ordered.final[at])) for at in found] == single
            weighted = {c.hit.id: c.weighted for c in candidates(one, numbers)}
            assert {laid.ids[at]: float(ordered.weighted[at]) for at in found} == weighted
            one_known, one_asked = coverage(one, numbers)
            asked, known = asked + one_asked, known + one_known
        assert int(taken.sum()) == asked
        assert bulk.coverage(laid, numbers) == (known / asked if asked else 1.0)


def test_the_unknown_is_assumed_where_the_new_shortlist_would_ask(traces):
    """The bounds of what nobody recorded would be bounds of something else.

    Assumed at 1, an unknown candidate of the shortlist has share x 1 + rest x weighted.
    """
    laid = lay_out(traces)
    numbers = replace(random_numbers(random.Random(3)), semantic_weight=0.6, lexical_weight=0.4)
    plain, high = order(laid, numbers), order(laid, numbers, assumed=1.0)
    changed = np.flatnonzero(~(high.final == plain.final) & ~np.isnan(plain.weighted))
    taken = shortlisted(laid, plain.weighted, numbers.shortlist)
    assert set(changed) <= set(np.flatnonzero(taken & ~laid.asked))
    assert np.allclose(high.final[changed], 0.6 + 0.4 * plain.weighted[changed], atol=1e-15)


def test_a_score_at_the_end_of_all_numbers_below_a_floor_is_left_out_in_silence(traces):
    """Every tuning would begin with a warning of numpy about what counts for nothing.

    Beside kept scores 1e-300 apart the one that the floor takes out is endlessly far below.
    """
    one = next(trace for trace in traces if trace.answers and trace.answers[0].result)
    hit = one.answers[0].result[0]
    natives = {"a": 2e-300, "b": 1e-300, "out": -1.7e308}
    hits = tuple(
        replace(hit, id=RecordId("a", "r", key), native=native, stale=True)
        for key, native in natives.items()
    )
    answer = replace(one.answers[0], source="a", query=0, result=hits)
    own = SourceScoring(native_floor=0.0)
    numbers = Scoring(stale_weight=0.0, sources=(("a", own),))
    laid = lay_out([replace(one, answers=(answer,), evidence={}, semantic={}, asked=())])
    with np.errstate(all="raise"):
        found = weights(laid, numbers)
    assert [laid.ids[at].key for at in np.flatnonzero(~np.isnan(found))] == ["a", "b"]


def test_figures_are_those_of_single_rankings(traces):
    """The table that every decision starts from would not be of these rankings."""
    r = random.Random(9)
    judgements = {
        one.query: {pair(id): r.choice([0, 1, 2]) for id, _ in one.ranking if r.random() < 0.6}
        for one in traces
    }
    laid = lay_out(traces)
    labels = label(laid, judgements)
    numbers = random_numbers(r)
    figures = iter(ndcg(order(laid, numbers), labels))
    for one in traces:
        if measures.ideal(judgements[one.query]):
            ranking = [pair(x.candidate.hit.id) for x in replay(one, numbers)]
            assert next(figures) == measures.ndcg_at(ranking, judgements[one.query])
    assert next(figures, None) is None


def test_nothing_recorded_is_nothing_ordered():
    """A recording without a single row would be an IndexError."""
    empty = replace(random_trace(1), query="q", answers=(), ranking=(), semantic={}, asked=())
    laid = lay_out([empty])
    assert len(order(laid, Scoring()).records) == 0
    assert bulk.coverage(laid, Scoring()) == 1.0
