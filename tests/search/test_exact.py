"""The exact line search against plain evaluation: every stretch, every number, real replays."""

import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from esra.domain.hit import NotAsked
from esra.stages.rerank import shortlist
from eval import bulk, measures
from eval.replay import candidates, replay
from eval.search.exact import search
from eval.search.lines import Lines, curve, lay_out
from eval.search.tunables import UnknownTunable, change, tunable, value_of
from eval.table import pair
from tests.house import scoring

SOURCES = ("a", "b", "c")
LINEAR = (
    "share",
    "bonus",
    "bonus-cap",
    "freshness-floor",
    "stale-weight",
    "evidence-floor",
    "priority:a",
    "priority:c",
)


def lines(low, high, gain, *, block=None, ideal=1.0):
    return Lines(
        at_low=np.array(low, dtype=float),
        at_high=np.array(high, dtype=float),
        block=np.zeros(len(low), dtype=np.int64) if block is None else np.array(block),
        gain=np.array(gain, dtype=float),
        ideal=ideal,
    )


def plain(queries, x, low=0.0, high=1.0, k=10):
    """The same mean by sorting, written without looking at the search."""
    total = 0.0
    for one in queries:
        t = (x - low) / (high - low)
        score = (1 - t) * one.at_low + t * one.at_high
        best = sorted(range(len(score)), key=lambda i: (one.block[i], -score[i], i))[:k]
        total += sum(one.gain[i] / np.log2(rank + 2) for rank, i in enumerate(best)) / one.ideal
    return total / len(queries)


def test_two_lines_that_cross_once():
    """The step would stand in the wrong place: 0.2 + 0.8x meets 0.5 at x = 0.375."""
    found = curve(lay_out([lines([0.2, 0.5], [1.0, 0.5], [1, 0])]), 0.0, 1.0)
    assert found.at(0.374) == pytest.approx(1 / np.log2(3), abs=1e-15)
    assert found.at(0.376) == 1.0
    assert found.best() == pytest.approx((0.375, 1.0, 1.0), abs=1e-11)


def test_equal_lines_keep_the_order_of_ties():
    """A tie that lasts over the whole range would be given to the relevant document."""
    behind = curve(lay_out([lines([0.5, 0.5], [0.5, 0.5], [0, 1])]), 0.0, 1.0)
    assert set(behind.values.tolist()) == {1 / np.log2(3)}


def test_another_block_is_never_overtaken():
    """A candidate the model never saw would climb over one that it scored."""
    one = lines([0.1, 0.0], [0.1, 9.0], [0, 1], block=[0, 1])
    assert set(curve(lay_out([one]), 0.0, 1.0).values.tolist()) == {1 / np.log2(3)}


@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 10**9), k=st.integers(1, 12))
def test_every_stretch_equals_plain_sorting(seed, k):
    """The curve would differ from what a ranking at that weight scores."""
    r = random.Random(seed)
    value = r.choice([r.random, lambda: r.randint(0, 4) / 4])
    queries = []
    for _ in range(r.randint(1, 6)):
        size = r.randint(1, 30)
        queries.append(
            lines(
                [value() for _ in range(size)],
                [value() for _ in range(size)],
                [r.choice([0, 0, 0, 1, 2]) for _ in range(size)],
                block=sorted(r.choice([0, 0, 1, 2]) for _ in range(size)),
                ideal=r.uniform(0.5, 5),
            )
        )
    found = curve(lay_out(queries), 0.0, 1.0, k)
    wide = np.flatnonzero(np.diff(found.edges) > 1e-9)
    for index in wide:
        # Not the middle: scores that are quarters cross there without a step, and tie on the spot.
        x = found.edges[index] + (found.edges[index + 1] - found.edges[index]) * 0.4142135
        assert found.values[index] == pytest.approx(plain(queries, x, k=k), abs=1e-12)


@pytest.mark.req("W45")
@pytest.mark.parametrize("name", LINEAR)
def test_the_curve_is_what_the_runtime_would_answer(name, random_traces):
    """A number found by the search would not give the runtime the ranking it promised."""
    r = random.Random(name)
    one = tunable(name, SOURCES)
    for traces in random_traces:
        recordings = [replace(trace, query=f"q{i}") for i, trace in enumerate(traces)]
        judgements = {
            rec.query: {pair(id): r.choice([0, 1, 2]) for id, _ in rec.ranking if r.random() < 0.5}
            for rec in recordings
        }
        asked = [rec for rec in recordings if measures.ideal(judgements[rec.query])]
        if not asked:
            continue
        numbers = recordings[0].numbers
        laid = bulk.lay_out(recordings)
        found, best = search(laid, bulk.label(laid, judgements), numbers, one)
        wide = np.flatnonzero(np.diff(found.edges) > 1e-4)
        for index in r.sample(wide.tolist(), min(8, len(wide))):
            x = (found.edges[index] + found.edges[index + 1]) / 2
            wanted = np.mean([_score(rec, change(numbers, one, x), judgements) for rec in asked])
            assert found.values[index] == pytest.approx(wanted, abs=1e-12)
        assert (
            best.value
            >= max(
                np.mean([_score(rec, change(numbers, one, x), judgements) for rec in asked])
                for x in np.linspace(one.bounds.low, one.bounds.high, 17)[1:-1]
            )
            - 1e-12
        )


def _score(rec, numbers, judgements):
    """By single replay; what the new shortlist would not ask for has no score."""
    wanted = {c.hit.id for c in shortlist(candidates(rec, numbers), numbers.shortlist)}
    lost = {id: NotAsked() for id in rec.asked if rec.reranked and id not in wanted}
    ranked = replay(replace(rec, semantic={**rec.semantic, **lost}), numbers)
    ranking = [pair(one.candidate.hit.id) for one in ranked]
    return measures.ndcg_at(list(dict.fromkeys(ranking)), judgements[rec.query])


@pytest.mark.parametrize("name", LINEAR)
def test_what_is_set_is_what_is_read(name):
    """A tuned value would be written somewhere else than where the runtime reads it."""
    one = tunable(name, SOURCES)
    numbers = change(scoring(), one, 0.25)
    assert value_of(numbers, one) == pytest.approx(0.25, abs=1e-15)


@pytest.mark.parametrize("name", ["shares", "priority", "priority:nobody", "share:a"])
def test_a_name_that_is_none_is_refused_with_those_there_are(name):
    """A typing error would tune nothing in silence."""
    with pytest.raises(UnknownTunable, match="priority:SOURCE"):
        tunable(name, SOURCES)
