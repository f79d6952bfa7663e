"""Replay is the runtime: the echo of every trace, one at a time and in bulk, floats and all."""

from dataclasses import replace as change

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from esra import scoring as arithmetic
from eval.replay import ForeignTrace, coverage, echo, lay, recorded, replay, sweep
from tests.replay.random_traces import random_trace


@pytest.mark.req("U12")
@pytest.mark.parametrize("block", range(10))
def test_a_trace_replayed_under_its_own_numbers_is_the_runtimes_ranking_to_the_last_bit(block):
    """Else a tuned number would be tuned on an order the runtime never gives."""
    assert all(echo(random_trace(seed)) for seed in range(block * 30, block * 30 + 30))


@pytest.mark.parametrize("seed", range(40))
def test_bulk_and_single_replay_give_the_same_order_under_any_share(seed):
    """Else the curve would be of another ranking than the one that is served."""
    one = random_trace(seed)
    shares = [0, 1, 333, 500, 700, 999, 1000]
    laid = lay(one)
    for row, share in zip(sweep(laid, shares), shares, strict=True):
        semantic, lexical = arithmetic.weights(share)
        numbers = _with(one.numbers, semantic, lexical)
        single = [ranked.candidate.hit.id for ranked in replay(one, numbers)]
        assert [laid.ids[place] for place in row] == single


def _with(numbers, semantic, lexical):
    return change(numbers, semantic_weight=semantic, lexical_weight=lexical)


def test_an_echo_can_fail():
    """Else the echo test would be a check that cannot."""
    one = random_trace(3)
    assert echo(one)
    id, final = one.ranking[0]
    assert not echo(change(one, ranking=((id, np.nextafter(final, 9)), *one.ranking[1:])))
    assert not echo(change(one, ranking=tuple(reversed(one.ranking))))


def test_coverage_counts_what_the_new_shortlist_would_have_asked():
    """Else a change of the shortlist would be judged on scores nobody recorded (RULINGS 38)."""
    one = next(t for t in map(random_trace, range(99)) if t.reranked and len(t.ranking) > 12)
    assert coverage(one, one.numbers)[0] == coverage(one, one.numbers)[1] == len(one.asked)
    wider = change(one.numbers, shortlist=len(one.asked) + 3)
    known, wanted = coverage(one, wider)
    assert known <= len(one.asked)
    assert wanted == min(len(one.asked) + 3, len(one.ranking))


def test_a_trace_of_another_pipeline_is_refused():
    """Else numbers of another formula would be read as this one's."""
    with pytest.raises(ForeignTrace, match="q1"):
        recorded("q1", {"schema": 1, "pipeline": 0})


@settings(max_examples=50)
@given(st.integers(0, 1000), st.integers(0, 1000))
def test_only_the_ratio_of_the_weights_orders(share, factor):
    """Else storing both weights would allow two files that look alike to order differently."""
    one = random_trace(5)
    semantic, lexical = arithmetic.weights(share)
    scale = 2.0 ** (factor % 5)
    first = replay(one, _with(one.numbers, semantic, lexical))
    second = replay(one, _with(one.numbers, semantic * scale, lexical * scale))
    assert [r.candidate.hit.id for r in first] == [r.candidate.hit.id for r in second]
