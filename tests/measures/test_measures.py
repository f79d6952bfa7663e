"""The measures agree with trec_eval, with figures worked by hand, and with each other."""

from __future__ import annotations

from math import log2

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_measures import Judged, Qrel, ScoredDoc, calc_aggregate

from eval.measures import (
    NeverRan,
    ideal,
    judged,
    judged_at,
    measure_ndcg,
    ndcg,
    ndcg_at,
    recall_at,
    rr_at,
)

HAND_WORKED = [
    # (ranking, judgements, k, nDCG)
    ("a", {"a": 1}, 10, 1.0),
    ("ba", {"a": 1}, 10, 1 / log2(3)),
    ("xya", {"a": 1}, 10, 0.5),
    ("xyza", {"a": 1}, 3, 0.0),
    ("ab", {"a": 1, "b": 2}, 10, (1 + 2 / log2(3)) / (2 + 1 / log2(3))),
    ("ba", {"a": 1, "b": 2}, 10, 1.0),
    ("a", {"a": 1, "b": 1}, 10, 1 / (1 + 1 / log2(3))),
    ("a", {"a": 1, "b": 1}, 1, 1.0),
    ("nab", {"n": -2, "a": 3, "b": 1}, 10, (3 / log2(3) + 1 / 2) / (3 + 1 / log2(3))),
    ("", {"a": 2}, 10, 0.0),
    ("cab", {"a": 3, "b": 2, "c": 0, "d": 3}, 2, (3 / log2(3)) / (3 + 3 / log2(3))),
]

grades = st.dictionaries(st.integers(0, 40).map(str), st.integers(-2, 4), min_size=1, max_size=30)
rankings = st.lists(st.integers(0, 60).map(str), unique=True, max_size=50)


@pytest.mark.parametrize(("ranking", "marks", "k", "expected"), HAND_WORKED)
def test_hand_worked(ranking, marks, k, expected):
    """An engineer who checks a figure with pen and paper would find another one."""
    assert ndcg_at(ranking, marks, k) == pytest.approx(expected, abs=1e-15)


def _reference(ranking, marks, names):
    """trec_eval's figures for an order given as integer ranks (32-bit scores hold them)."""
    run = {"q": {key: float(len(ranking) - rank) for rank, key in enumerate(ranking)}}
    return pytrec_eval.RelevanceEvaluator({"q": marks}, names).evaluate(run)["q"]


def _random_case(rng, size):
    pool = [f"d{n}" for n in range(300)]
    ranking = list(rng.permutation(pool)[:size])
    keys = rng.permutation(pool)[: rng.integers(1, 80)]
    return ranking, {
        str(key): int(grade)
        for key, grade in zip(keys, rng.integers(-1, 5, len(keys)), strict=True)
    }


@pytest.mark.req("W30")
@pytest.mark.parametrize("k", [1, 5, 10, 100])
def test_equals_trec_eval_on_lists_of_every_length(k):
    """Figures of this workbench could not be compared with anybody else's."""
    rng = np.random.default_rng(7)
    compared = 0
    for size in range(1, 201):
        ranking, marks = _random_case(rng, size)
        if not ideal(marks, k):
            continue
        expected = _reference(ranking, marks, {f"ndcg_cut.{k}", f"recall.{k}", "recip_rank"})
        assert ndcg_at(ranking, marks, k) == pytest.approx(expected[f"ndcg_cut_{k}"], abs=1e-9)
        assert recall_at(ranking, marks, k) == pytest.approx(expected[f"recall_{k}"], abs=1e-9)
        assert rr_at(ranking, marks, len(ranking)) == pytest.approx(
            expected["recip_rank"], abs=1e-9
        )
        compared += 1
    assert compared > 180


def test_a_constant_score_run_handed_over_as_ranks_keeps_its_order():
    """A scorer that cannot tell documents apart would get a figure that depends on their names."""
    marks = {"a": 1, "z": 0}
    assert ndcg_at("az", marks) == 1.0
    assert ndcg_at("za", marks) == pytest.approx(
        _reference("za", marks, {"ndcg_cut.10"})["ndcg_cut_10"], abs=1e-9
    )
    assert ndcg_at("za", marks) < 1.0


@settings(deadline=None)
@given(rankings, grades, st.integers(1, 20))
def test_never_above_one(ranking, marks, k):
    """An ideal list made of the retrieved documents would let a measure exceed 1."""
    if ideal(marks, k):
        assert 0.0 <= ndcg_at(ranking, marks, k) <= 1.0


@settings(deadline=None)
@given(st.dictionaries(st.integers(0, 9).map(str), rankings, min_size=1), st.data())
def test_the_order_of_queries_and_judgements_changes_nothing(runs, data):
    """Sorting a file would move a figure."""
    marks = {query: data.draw(grades) | {"hit": 1} for query in runs}
    order = data.draw(st.permutations(list(runs)))
    shuffled = {q: dict(data.draw(st.permutations(list(marks[q].items())))) for q in order}
    one, other = measure_ndcg(runs, marks), measure_ndcg({q: runs[q] for q in order}, shuffled)
    assert one.values == other.values
    assert one.mean == other.mean
    assert one.judged == other.judged


@settings(deadline=None)
@given(st.lists(st.tuples(rankings, grades), min_size=1, max_size=6), st.integers(1, 12))
def test_arrays_and_ids_agree_to_the_last_bit(cases, k):
    """A sweep over arrays would choose by other figures than the report shows."""
    cases = [(ranking, marks | {"hit": 2}) for ranking, marks in cases]
    depth = max(1, *(len(ranking) for ranking, _ in cases))
    ranked, known, best = (
        np.zeros((len(cases), depth)),
        np.zeros((len(cases), depth), bool),
        np.zeros((len(cases), k)),
    )
    for row, (ranking, marks) in enumerate(cases):
        ranked[row, : len(ranking)] = [marks.get(key, 0) for key in ranking]
        known[row, : len(ranking)] = [key in marks for key in ranking]
        best[row, : len(ideal(marks, k))] = ideal(marks, k)
    settings_ = np.stack([ranked, np.zeros_like(ranked), ranked])
    found = ndcg(settings_, best, k)
    assert found.shape == (3, len(cases))
    assert (
        found[0].tolist()
        == found[2].tolist()
        == [ndcg_at(ranking, marks, k) for ranking, marks in cases]
    )
    assert found[1].tolist() == [0.0] * len(cases)
    sizes = np.array([len(ranking) for ranking, _ in cases])
    assert judged(known, sizes, k).tolist() == [
        judged_at(ranking, marks, k) for ranking, marks in cases
    ]


def test_judged_share_equals_the_reference():
    """A reader could not tell a bad ranking from an unjudged one."""
    qrels = [Qrel("q", "a", 0), Qrel("q", "b", 1)]
    run = [ScoredDoc("q", key, 9.0 - rank) for rank, key in enumerate("xaby")]
    marks = {"a": 0, "b": 1}
    for k, expected in ((1, 0.0), (3, 2 / 3), (10, 0.5)):
        assert judged_at("xaby", marks, k) == pytest.approx(expected)
        assert calc_aggregate([Judged @ k], qrels, run)[Judged @ k] == pytest.approx(expected)


@pytest.mark.req("W30")
@pytest.mark.parametrize("place", [0, 1, 2, 3])
def test_a_query_without_results_counts_zero_in_any_position(place):
    """An arm that answers fewer queries would look better for it."""
    names = ["p", "q", "r"]
    names.insert(place, "empty")
    found = measure_ndcg(
        {n: [] if n == "empty" else ["a"] for n in names}, {n: {"a": 1} for n in names}
    )
    assert found.mean == 0.75
    assert found.empty == ("empty",)


def test_a_query_missing_from_the_run_counts_zero_too():
    """Leaving a query out of the file would raise the mean."""
    found = measure_ndcg({"p": ["a"]}, {"p": {"a": 1}, "q": {"a": 1}})
    assert found.mean == 0.5
    assert found.empty == ("q",)


def test_queries_without_a_figure_are_listed_and_change_no_other():
    """An empty middle query would corrupt itself and the ones after it, or vanish unseen."""
    runs = {"p": ["a"], "blank": ["a"], "r": ["x", "a"], "shoes": ["a"], "vans": [], "extra": ["a"]}
    marks = {"p": {"a": 1}, "blank": {}, "r": {"a": 1}, "shoes": {"a": 0}, "vans": {"a": -1}}
    found = measure_ndcg(runs, marks)
    assert dict(found.values) == {"p": 1.0, "r": pytest.approx(1 / log2(3))}
    assert found.no_judgements == ("blank", "extra")
    assert found.no_relevant == ("shoes", "vans")
    assert found.nothing_shown == ("vans",)
    assert found.measure == "nDCG@10"


@pytest.mark.req("W42")
@pytest.mark.parametrize("runs", [{}, {"other": ["a"]}, {7: ["a"]}])
def test_an_arm_that_never_ran_is_refused(runs):
    """A crashed arm, or ids of another kind, would be reported as an arm of quality 0."""
    with pytest.raises(NeverRan):
        measure_ndcg(runs, {"7": {"a": 1}})


def test_an_arm_that_ran_and_found_nothing_is_not_refused():
    """A poor arm would be mistaken for a broken one."""
    assert measure_ndcg({"p": []}, {"p": {"a": 1}}).mean == 0.0


def test_what_has_no_figure_is_refused():
    """A figure would be made up where none exists."""
    with pytest.raises(ValueError, match="no relevant document"):
        ndcg_at("a", {"a": 0})
    with pytest.raises(ValueError, match="no relevant document in rows \\[1\\]"):
        ndcg(np.ones((2, 3)), np.array([[1.0], [0.0]]))
    with pytest.raises(ValueError, match="no recall"):
        recall_at("a", {"a": 0})
    with pytest.raises(ValueError, match="nothing can be measured"):
        measure_ndcg({"p": ["a"]}, {"p": {"a": 0}})
    with pytest.raises(ValueError, match="'a' stands twice"):
        ndcg_at("aba", {"a": 1})
    with pytest.raises(ValueError, match="from 1, not 0"):
        ndcg_at("a", {"a": 1}, 0)


def test_evaluating_twice_gives_the_same():
    """A second look at the same run would show other figures."""
    runs, marks = {"p": ["b", "a"]}, {"p": {"a": 1}}
    assert measure_ndcg(runs, marks) == measure_ndcg(runs, marks)
