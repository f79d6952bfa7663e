"""Scoring of hits and merging of duplicates, against tables worked by hand."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from esra.domain.codes import FailureCode, WarningCode
from esra.domain.hit import Answer
from esra.domain.outcome import Failed
from esra.domain.plan import Strategy
from esra.stages.aggregate import aggregate
from esra.stages.normalize import normalize
from tests.house import hit, scoring

DAY = 86_400.0


def answer(*hits, source="news", query=0) -> Answer:
    return Answer(source=source, query=query, strategy=Strategy.KEYWORD, result=hits)


def merged(*answers, numbers=None, now=0.0):
    numbers = numbers or scoring()
    return aggregate(normalize(answers, numbers, now).value, numbers).value


@pytest.mark.req("E131")
def test_each_query_is_normalised_over_its_own_results():
    """Else two queries of one source would share a scale that is neither's."""
    first = answer(hit("a", 2.0), hit("b", 10.0), hit("c", 4.0))
    second = answer(hit("d", 100.0), hit("e", 300.0), query=1)
    scored = normalize((first, second), scoring(), 0.0).value
    got = {one.hit.id.key: one.match.normalised for one in scored}
    assert got == {"a": 0.0, "b": 1.0, "c": 0.25, "d": 0.0, "e": 1.0}


@pytest.mark.req("E133")
def test_weighted_is_normalised_times_priority_times_freshness():
    """Else an administrator's priority or a half-life would not order anything."""
    numbers = scoring(own={"news": {"priority": 2.0, "half_life": 7.0}})
    hits = (hit("a", 1.0, timestamp=0.0), hit("b", 3.0, timestamp=-7 * DAY), hit("c", 2.0))
    scored = normalize((answer(*hits),), numbers, 0.0).value
    # a: 0 x 2 x 1; b: 1 x 2 x .5; c: .5 x 2 x 1 (no timestamp)
    assert {one.hit.id.key: one.match.weighted for one in scored} == {"a": 0.0, "b": 1.0, "c": 1.0}


def test_evidence_weighs_a_source_and_one_without_it_counts_whole():
    """Else a far source's best match would stand beside the right one's, or a hidden one below."""
    sources = [answer(hit("a", 1.0, source=id), source=id) for id in ("far", "near", "hidden")]
    found = {"far": 0.25, "near": 1.0}
    scored = normalize(tuple(sources), scoring(evidence_floor=0.2), 0.0, found).value
    # far: .2 + .8 x .25
    got = {one.match.source: (one.match.evidence, one.match.weighted) for one in scored}
    assert got == {"far": (0.4, 0.4), "near": (1.0, 1.0), "hidden": (1.0, 1.0)}


def test_evidence_is_off_unless_a_floor_asks_for_it():
    """Else a recording that holds evidence would order the answers it was made from."""
    one = (answer(hit("a", 1.0), hit("b", 3.0), hit("c", 2.0)),)
    assert normalize(one, scoring(), 0.0, {"news": 0.1}) == normalize(one, scoring(), 0.0)


@pytest.mark.req("E134", "E135", "E136")
def test_a_record_found_twice_keeps_its_best_and_both_matches():
    """Else a second, weaker match would lower a record, or its provenance would be lost."""
    first = answer(hit("a", 0.0), hit("x", 4.0), hit("b", 10.0))  # x: .4
    second = answer(hit("c", 0.0), hit("x", 9.0), hit("d", 10.0), query=1)  # x: .9
    x = next(c for c in merged(first, second) if c.hit.id.key == "x")
    assert x.weighted == 0.9 + 0.02
    assert [(m.query, m.native, m.normalised) for m in x.matches] == [(0, 4.0, 0.4), (1, 9.0, 0.9)]


@pytest.mark.req("E137")
def test_seven_queries_earn_the_cap_and_no_more():
    """Else a record could climb without end by being found often."""
    answers = [answer(hit("x", 1.0), query=n) for n in range(7)]
    (x,) = merged(*answers)
    assert (x.bonus, x.weighted, len(x.matches)) == (0.1, 1.1, 7)


@pytest.mark.req("E138")
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_the_native_score_is_kept_to_the_last_bit(native):
    """Else a person could not find a result's score again in the engine."""
    (candidate,) = merged(answer(hit("x", native)))
    assert math.copysign(1, candidate.matches[0].native) == math.copysign(1, native)
    assert candidate.matches[0].native == native


@pytest.mark.req("E139")
def test_scaling_one_source_changes_no_order_and_no_normalised_float():
    """Else native scores would have been compared across sources."""
    other = answer(hit("p", 0.2, source="law"), hit("q", 0.7, source="law"), source="law")
    before = merged(answer(hit("a", 0.3), hit("b", 0.1), hit("c", 0.25)), other)
    after = merged(answer(hit("a", 307.2), hit("b", 102.4), hit("c", 256.0)), other)
    assert [(c.hit.id, c.weighted) for c in before] == [(c.hit.id, c.weighted) for c in after]


@pytest.mark.parametrize("bad", [None, math.nan, math.inf, -math.inf])
def test_a_row_without_a_finite_score_is_dropped_and_counted(bad):
    """Else one NaN would poison the whole result set (RULINGS 5)."""
    outcome = normalize((answer(hit("a", bad), hit("b", 1.0), hit("c", 2.0)),), scoring(), 0.0)
    assert [one.match.normalised for one in outcome.value] == [0.0, 1.0]
    (warning,) = outcome.warnings
    assert (warning.code, warning.source, warning.count) == (WarningCode.ROWS_DISCARDED, "news", 1)


def test_the_same_record_twice_in_one_query_is_one_match_without_a_bonus():
    """Else an engine's own duplicates would count as independent evidence (RULINGS 4)."""
    (x, _) = merged(answer(hit("x", 3.0), hit("x", 5.0), hit("y", 1.0)))
    assert (x.hit.id.key, x.weighted, len(x.matches), x.bonus) == ("x", 1.0, 1, 0.0)


def test_equal_text_under_two_identities_stays_two_records():
    """Else a document of one source would hide its twin of another (RULINGS 4)."""
    twins = merged(answer(hit("1", 1.0)), answer(hit("1", 1.0, source="law"), source="law"))
    assert [c.hit.id.source for c in twins] == ["law", "news"]


def test_a_native_floor_cuts_before_normalising():
    """Else noise below the floor would set the scale (RULINGS 2)."""
    numbers = scoring(own={"news": {"native_floor": 2.0}})
    hits = (hit("a", 1.0), hit("b", 2.0), hit("c", 4.0))
    got = {c.hit.id.key: c.weighted for c in merged(answer(*hits), numbers=numbers)}
    assert got == {"b": 0.0, "c": 1.0}


def test_a_failed_answer_adds_nothing_and_an_empty_one_neither():
    """Else a failed source would look like one without matches, or stop the others."""
    failed = Answer(
        source="law", query=0, strategy=Strategy.KEYWORD, result=Failed(code=FailureCode.TIMEOUT)
    )
    assert [c.hit.id.key for c in merged(failed, answer(), answer(hit("a", 1.0), query=1))] == ["a"]


@given(st.permutations(range(6)))
def test_the_order_in_which_hits_arrive_decides_nothing(places):
    """Else a faster source would change the ranking (RULINGS 46)."""
    hits = [hit(str(n), float(n % 3)) for n in range(6)]
    shuffled = merged(answer(*(hits[p] for p in places)))
    assert [c.hit.id for c in shuffled] == [c.hit.id for c in merged(answer(*hits))]
