"""A curve under the shortlist that each value would have: the runtime, asked again, agrees."""

import os
import random
from dataclasses import replace

import numpy as np
import pytest

from esra.domain.capability import Scoring
from esra.domain.hit import Answer, Given, NativeHit, RecordId
from esra.domain.plan import Strategy
from eval import bulk, measures
from eval.replay import Recorded
from eval.search.exact import search
from eval.search.tunables import change, tunable
from eval.table import pair
from tests.replay.answered import NAMES, answered, numbers_of
from tests.replay.random_traces import random_numbers, random_trace
from tests.search.test_exact import LINEAR

LONG = bool(os.environ.get("ESRA_LONG"))


def judged(laid, r):
    """Random grades of some of what was found."""
    return {
        query: {
            pair(laid.ids[at]): r.choice([0, 1, 2, 3])
            for at in np.flatnonzero(laid.query == place)
            if r.random() < 0.4
        }
        for place, query in enumerate(laid.queries)
    }


@pytest.mark.req("W45")
@pytest.mark.parametrize("name", LINEAR)
def test_the_runtime_asked_again_gives_the_value_of_the_curve(name):
    """A number would be chosen by scores that the model is not asked for once it is in force.

    Everything was asked for once, under a shortlist of 200; the curve is of a shortlist of 7.
    """
    r = random.Random(name)
    one = tunable(name, NAMES)
    seeds = range(12 if LONG else 3)
    laid = bulk.lay_out([answered(seed, numbers_of(seed, shortlist=200)) for seed in seeds])
    judgements = judged(laid, r)
    numbers = replace(numbers_of(77, shortlist=7), freshness_floor=0.2)
    found, _ = search(laid, bulk.label(laid, judgements), numbers, one)
    wide = np.flatnonzero(np.diff(found.edges) > 1e-6 * (found.edges[-1] - found.edges[0]))
    for index in r.sample(wide.tolist(), min(6, len(wide))):
        x = float(found.edges[index] + np.diff(found.edges)[index] * 0.4142135)
        again = [answered(seed, change(numbers, one, x)) for seed in seeds]
        wanted = [
            measures.ndcg_at([pair(id) for id, _ in rec.ranking], judgements[rec.query])
            for rec in again
            if measures.ideal(judgements[rec.query])
        ]
        assert found.values[index] == pytest.approx(np.mean(wanted), abs=1e-12)


@pytest.mark.req("W45")
@pytest.mark.parametrize("name", LINEAR)
@pytest.mark.parametrize("part", range(20 if LONG else 2))
def test_no_value_of_a_fine_grid_is_off_the_curve(name, part):
    """A stretch would be missed where a record falls out of the shortlist and comes back."""
    r = random.Random(f"{name} {part}")
    one = tunable(name, NAMES)
    seeded = (random_trace(5000 + 50 * part + n) for n in range(50))
    traces = [one for one in seeded if one.reranked and len(one.asked) > 11][:6]
    laid = bulk.lay_out([replace(one, query=f"q{n}") for n, one in enumerate(traces)])
    labels = bulk.label(laid, judged(laid, r))
    moved = 0
    for size in (5, 8, 11):
        numbers = replace(random_numbers(r), shortlist=size)
        found, best = search(laid, labels, numbers, one)
        for x in np.linspace(one.bounds.low, one.bounds.high, 203)[1:-1]:
            if np.abs(found.edges - x).min() < 1e-9:
                continue
            at = change(numbers, one, float(x))
            direct = float(bulk.ndcg(bulk.order(laid, at, cut=True), labels).mean())
            uncut = float(bulk.ndcg(bulk.order(laid, at), labels).mean())
            assert found.at(x) == pytest.approx(direct, abs=1e-12)
            assert direct <= best.value + 1e-12
            moved += direct != uncut
    assert moved  # else nothing was shown


def one_answer(natives, stale, semantic, numbers):
    """A trace of one query of source ``a``, all of whose records the model scored."""
    ids = {key: RecordId("a", "r", key) for key in natives}
    hits = tuple(
        NativeHit(id=ids[key], native=native, title="", fragment="", stale=key in stale)
        for key, native in natives.items()
    )
    return Recorded(
        query="q",
        now=0.0,
        numbers=numbers,
        answers=(Answer(source="a", query=0, strategy=Strategy.KEYWORD, result=hits),),
        evidence={},
        semantic={ids[key]: Given(value=semantic.get(key, 0.1)) for key in natives},
        asked=tuple(ids.values()),
        ranking=(),
        reranked=True,
    )


@pytest.mark.req("W45")
@pytest.mark.parametrize(("native", "place"), [(2.5, 0.25), (5.0, 0.5), (6.5, 0.65)])
def test_a_record_falls_out_on_the_very_quarter_of_the_range(native, place):
    """Its score would be counted far beyond the number at which the model is asked no more.

    Normalised over 0..10 four records stand above .65, so that of a shortlist of five the last is
    the right one, native / 10, until the stale one, worth the stale weight, has passed it. Then it
    stands behind five that were asked, and before the last.
    """
    numbers = Scoring(shortlist=5)
    natives = {"a": 10.0, "b": 9.0, "c": 8.0, "d": 7.0, "stale": 10.0, "right": native, "z": 0.0}
    laid = bulk.lay_out([one_answer(natives, {"stale"}, {"right": 1.0}, numbers)])
    labels = bulk.label(laid, {"q": {("a", "right"): 1}})
    found, _ = search(laid, labels, numbers, tunable("stale-weight", ["a"]))
    assert found.at(place - 0.01) == 1.0
    assert found.at(place + 0.01) == pytest.approx(1 / np.log2(7), abs=1e-15)
    assert found.edges.tolist() == pytest.approx([0.0, place, 1.0], abs=1e-11)
