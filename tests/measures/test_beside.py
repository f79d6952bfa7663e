"""What stands beside the ranking measures, each against a table worked by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.measures import measure
from eval.measures.freshness import DAY, Shown, age_of_first_right, staleness
from eval.measures.mix import shares, small_source_recall, source_coverage
from eval.measures.overlap import jaccard, kendall_tau, rbo
from eval.measures.segments import head_torso_tail, segments
from eval.measures.selection import nothing_is_right, over_selection, per_source, selection
from eval.measures.service import rates, spent
from eval.measures.unjudged import four_ways
from eval.measures.visible import price
from eval.measures.window import offset_of_first_right, recall_in, tokens


@pytest.mark.req("W23")
def test_one_figure_four_ways():
    """Unjudged would mean wrong: a list with an unjudged first result has RR 1/2, 1, 1/2 .. 1."""
    found = four_ways(measure("RR"), ["new", "right"], {"right": 1}, top=1)
    assert (found.irrelevant, found.condensed, found.worst, found.best) == (0.5, 1.0, 0.5, 1.0)
    assert found.judged == 0.5


def test_the_worst_case_of_ndcg_is_a_longer_ideal():
    """The interval would not hold the truth: an unjudged last result that is right lowers nDCG."""
    found = four_ways(measure("nDCG@10"), ["right", "x", "new"], {"right": 1, "x": 0}, top=3)
    # new at rank 3 with grade 3: (1 + 3/2) / (3 + 1/log2(3)) = 0.688...
    assert found.worst == pytest.approx(2.5 / (3 + 0.6309297535714575), abs=1e-12)
    assert found.best == found.irrelevant == 1.0


@given(
    ids=st.lists(st.integers(0, 12).map(str), unique=True, min_size=1, max_size=8),
    marks=st.dictionaries(st.integers(0, 12).map(str), st.integers(0, 2), min_size=1, max_size=6),
    name=st.sampled_from(["nDCG@5", "RR", "P@5", "AP", "R@5", "ERR@5", "RBP", "Bpref"]),
)
def test_every_reading_of_the_unjudged_lies_between_worst_and_best(ids, marks, name):
    """The interval would be too narrow for one way the judges might still decide."""
    if max(marks.values()) < 1:
        return
    one = measure(name)
    found = four_ways(one, ids, marks, top=2)
    unknown = [id for id in ids[: one.k] if id not in marks]
    for bits in range(1 << len(unknown)):
        read = {id: 2 * (bits >> place & 1) for place, id in enumerate(unknown)}
        assert found.worst - 1e-12 <= one(ids, {**marks, **read}) <= found.best + 1e-12


def test_the_unjudged_may_cost_bpref_too():
    """A list led by what nobody judged would be sure of its Bpref, whatever the judges say."""
    found = four_ways(measure("Bpref"), ["new", "right"], {"right": 1}, top=1)
    assert (found.irrelevant, found.worst) == (0.0, 0.0)
    assert (found.condensed, found.best) == (1.0, 1.0)


@pytest.mark.req("W32")
def test_selection_by_hand():
    """A model that chooses every source would look as good as one that chooses well."""
    one = selection({"a", "b", "c"}, {"a", "d"})
    assert (one.precision, one.recall, one.extra, one.exact) == (1 / 3, 1 / 2, 2, False)
    assert one.f1 == pytest.approx(0.4)
    assert selection(set(), set()).exact
    assert selection({"a"}, set()).precision == 0.0
    assert over_selection([one, selection({"a"}, {"a"})]) == (1.0, 0.5)


@pytest.mark.req("U08", "W32")
def test_each_source_has_its_own_figures():
    """A source that is never chosen would hide in the mean: b is right twice, chosen once."""
    found = per_source({"1": ["a"], "2": ["a", "b"]}, {"1": ["b"], "2": ["b"]})
    assert (found["b"].precision, found["b"].recall, found["b"].f1) == (1.0, 0.5, 2 / 3)
    assert found["a"].recall is None
    assert found["a"].precision == 0.0


@pytest.mark.req("W26")
def test_nothing_is_right_by_hand():
    """Answering everything would look as good as knowing when to refuse: 3.5 wins of 4."""
    best = {"a": 0.9, "b": 0.4, "x": 0.4, "y": None}
    found = nothing_is_right(best, {"x", "y"})
    assert found.auc == 3.5 / 4
    assert (found.refused, found.false_refusals) == (0.5, 0.0)
    assert nothing_is_right({"a": 1.0}, ()).auc is None


@pytest.mark.req("W33")
def test_staleness_by_hand():
    """Old results would count as fresh: of three that tell their age one is old, one marked."""
    now = 100 * DAY
    shown = [
        Shown(timestamp=99 * DAY, relevant=False),
        Shown(timestamp=None, relevant=True),
        Shown(timestamp=10 * DAY, relevant=True),
        Shown(timestamp=99 * DAY, stale=True),
        Shown(timestamp=0.0),
    ]
    assert staleness(shown, now, 4, days=30) == 2 / 3
    assert staleness(shown, now, 1, days=0.5) == 1.0
    assert staleness(shown, now, 1, days=1.0) == 0.0  # of just that age is not older
    assert staleness([Shown(timestamp=None)], now, 10, days=30) is None
    assert age_of_first_right(shown, now) == 90.0
    assert age_of_first_right([Shown(timestamp=now + DAY, relevant=True)], now) == 0.0


@pytest.mark.req("W34")
def test_what_the_first_results_are_made_of():
    """A small source would vanish from the answers and no figure would say so."""
    assert shares(["own", "external", "own"], 3) == {"own": 2 / 3, "external": 1 / 3}
    assert source_coverage(["a", "a", "b"], {"a", "b"}, 2) == 0.5
    shown = [("big", "1"), ("small", "7")]
    relevant = [("big", "1"), ("small", "7"), ("small", "8")]
    assert small_source_recall(shown, relevant, {"big": 95, "small": 5}, 10) == 0.5
    assert small_source_recall(shown, relevant[:1], {"big": 95, "small": 5}, 10) is None


def test_what_a_context_window_holds():
    """A right passage that is cut off at the edge would count as read."""
    ids, lengths, marks = ["x", "a", "b"], [1500, 400, 200], {"a": 1, "b": 2}
    assert recall_in(ids, lengths, marks, 2000) == 0.5
    assert recall_in(ids, lengths, marks, 2100) == 1.0
    assert offset_of_first_right(ids, lengths, marks) == 1500
    assert offset_of_first_right(["x"], [9], marks) is None
    assert tokens("four") == 1
    assert tokens("fives") == 2


@pytest.mark.req("W31")
def test_how_alike_two_lists_are():
    """The model's order and the fallback's would look alike where they are not."""
    assert jaccard("abc", "bcd", 2) == 1 / 3
    assert jaccard("", "", 5) == 1.0
    # X = 1, 1: .1/.9 x (.9 + .5 x .81) + .5 x .81 = .55
    assert rbo("ab", "ac", 0.9) == pytest.approx(0.55, abs=1e-12)
    assert rbo("a", "ab", 0.5) == pytest.approx(1.0, abs=1e-12)
    assert rbo("ab", "cd") == 0.0
    assert rbo("", "") == 1.0
    assert kendall_tau("abcd", "abdc") == pytest.approx(4 / 6)
    assert kendall_tau("abc", "cba") == -1.0
    assert kendall_tau("a", "a") is None


@given(
    one=st.lists(st.integers(0, 20), unique=True, max_size=15),
    other=st.lists(st.integers(0, 20), unique=True, max_size=15),
    p=st.floats(0.1, 0.99),
)
def test_overlap_is_symmetric_and_bounded(one, other, p):
    """Which list is named first would change how alike the two are."""
    assert rbo(one, other, p) == pytest.approx(rbo(other, one, p), abs=1e-12)
    assert -1e-12 <= rbo(one, other, p) <= 1 + 1e-12
    assert rbo(one, one, p) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.req("W21")
def test_every_kind_of_tag_has_its_table():
    """A change that helps the head and ruins the tail would be one good mean."""
    values = {"before": {"1": 0.2, "2": 0.4, "3": 0.9}, "after": {"1": 0.6, "2": 0.4, "3": 0.1}}
    tags = {"1": ["language:de"], "2": ["language:de", "urgent"], "3": []}
    found = segments(values, tags)
    assert [(s.kind, s.value, s.queries) for s in found] == [
        ("language", "(none)", 1),
        ("language", "de", 2),
        ("tag", "(none)", 2),
        ("tag", "urgent", 1),
    ]
    german = found[1].means
    assert (german["before"], german["after"]) == pytest.approx((0.3, 0.5))


@pytest.mark.req("W21")
def test_head_torso_and_tail_by_traffic():
    """A rare question would be called a common one: of 90, 40 | 30 | 10 10."""
    assert head_torso_tail({"d": 10, "a": 40, "c": 10, "b": 30}) == {
        "a": "part:head",
        "b": "part:torso",
        "c": "part:tail",
        "d": "part:tail",
    }


def test_the_price_of_policy():
    """Governance would read as bad ranking: the hidden document cannot be shown."""
    found = price(measure("RR"), ["x", "a"], {"a": 1, "secret": 2}, lambda id: id != "secret")
    assert (found.visible, found.full) == (0.5, 0.5)
    found = price(measure("R@10"), ["a"], {"a": 1, "secret": 2}, lambda id: id != "secret")
    assert (found.visible, found.full) == (1.0, 0.5)
    assert price(measure("RR"), [], {"secret": 2}, lambda id: False).visible is None


def _trace(shown, warnings=(), calls=(), seconds=(0.2, 0.1)):
    return {
        "shown": shown,
        "warnings": [{"code": code} for code in warnings],
        "notices": [],
        "calls": [{"step": step, "usage": usage} for step, usage in calls],
        "answers": [{"seconds": s} for s in seconds],
    }


@pytest.mark.req("W35", "W36")
def test_what_a_recording_cost_and_how_often_it_stumbled():
    """A better ranking would hide that it takes twice the time and half of it degraded."""
    asked = {"calls": 1, "tokens_in": 100, "tokens_out": 10, "seconds": 0.8, "cost": 0.002}
    traces = [
        _trace(3, calls=[("select", asked), ("rerank", None)]),
        _trace(0, warnings=["ESRA_SOURCE_FAILED", "ESRA_SOURCE_FAILED", "ESRA_PLAN_REJECTED"]),
    ]
    found = rates(traces)
    assert (found.zero_result, found.degraded) == (0.5, 0.5)
    assert found.warnings == {"ESRA_PLAN_REJECTED": 0.5, "ESRA_SOURCE_FAILED": 0.5}
    cost = spent(traces)
    assert (cost.calls, cost.tokens_in, cost.cost) == (0.5, 50.0, 0.001)
    assert cost.seconds == pytest.approx((1.0 + 0.2) / 2)
    # Two plans are asked for side by side, the reranking after them.
    side = _trace(1, calls=[("plan", asked), ("plan", asked), ("rerank", asked)])
    assert spent([side]).seconds == pytest.approx(0.2 + 0.8 + 0.8)
    with pytest.raises(ValueError, match="never ran"):
        rates([])
