"""The whole table of tunables: each number is turned, or said not to be; what it costs is told."""

from dataclasses import fields, replace

import numpy as np
import pytest

from esra.domain.capability import Scoring, SourceScoring
from eval import bulk
from eval.search.cost import queries_a_call
from eval.search.learnable import everything, fitted, why_not
from eval.search.tunables import OF_A_SOURCE, OF_ALL, change, grid, tunable, value_of
from eval.search.ways import along
from eval.table import pair
from tests.house import scoring
from tests.replay.random_traces import random_trace

SOURCES = ("a", "b", "c")


def one(name):
    return tunable(name, SOURCES)


@pytest.fixture(scope="module")
def known():
    numbers = random_trace(0).numbers
    traces = [replace(random_trace(seed), query=f"q{seed}", numbers=numbers) for seed in range(40)]
    laid = bulk.lay_out(traces)
    judgements = {t.query: {pair(id): n % 3 for n, (id, _) in enumerate(t.ranking)} for t in traces}
    return traces, laid, bulk.label(laid, judgements), numbers


def every(laid):
    return np.ones(len(laid.queries), dtype=bool)


@pytest.mark.req("W50")
def test_no_number_that_orders_results_is_left_out(known):
    """A number would stay as it is for ever, and nobody would have been told that it could turn."""
    of_all = {field.name for field in fields(Scoring)}
    assert of_all - {"semantic_weight", "lexical_weight", "sources"} == set(OF_ALL.values())
    assert {field.name for field in fields(SourceScoring)} == set(OF_A_SOURCE.values())
    found = {str(number) for number in everything(known[1], scoring(own={"d": {}}))}
    per_source = {f"{kind}:{source}" for kind in OF_A_SOURCE for source in "abcd"}
    assert found == {"share", *OF_ALL, "connector-margin", "connector-floor", *per_source}


@pytest.mark.req("W50")
@pytest.mark.parametrize("name", ["connector-margin", "connector-floor"])
def test_what_no_recorded_source_has_is_said(known, name):
    """A person would look for a number of the table and find no word about it."""
    _, laid, labels, numbers = known
    assert "family connectors" in why_not(laid, labels, numbers, one(name))


def test_a_ceiling_is_tuned_downwards_only(known):
    """A higher one would be claimed on queries that nobody recorded."""
    _, laid, _, _ = known
    number = fitted(laid, scoring(), one("ceiling:a"), every(laid))
    assert grid(number) == (1.0, 2.0, 3.0)
    way = along(scoring(), number)
    assert [way.told(x) for x in way.settings] == ["1 query", "2 queries", "3 queries"]
    assert [value_of(way.numbers(x), number) for x in way.settings] == [1.0, 2.0, 3.0]
    assert value_of(way.numbers(way.settings[way.today]), number) == 3.0
    low = fitted(laid, scoring(own={"a": {"ceiling": 2}}), one("ceiling:a"), every(laid))
    assert grid(low) == (1.0, 2.0)


def test_a_ceiling_that_another_revision_lowered_can_rise_to_the_catalogs_own(known):
    """What was once lowered would stay low, though the recording holds the other queries."""
    _, laid, _, _ = known
    number = fitted(laid, scoring(), one("ceiling:a"), every(laid))
    way = along(change(scoring(), number, 1.0), number)
    assert way.today == 0
    assert len(way.settings) == 3


@pytest.mark.req("W50")
def test_a_ceiling_can_be_learned_where_a_second_query_finds_something(known):
    """It would be turned on recordings that hold one query, or never."""
    traces, laid, labels, numbers = known
    assert (
        why_not(laid, labels, numbers, fitted(laid, numbers, one("ceiling:a"), every(laid))) is None
    )
    first = [replace(t, answers=tuple(a for a in t.answers if not a.query)) for t in traces]
    lone = bulk.lay_out(first)
    number = fitted(lone, numbers, one("ceiling:a"), every(lone))
    assert "first query" in why_not(lone, labels, numbers, number)


@pytest.mark.req("W50")
@pytest.mark.parametrize("name", ["shortlist", "native-floor:a", "ceiling:a"])
def test_floors_shortlist_and_ceilings_are_among_what_is_turned(known, name):
    """They would be tuned only by those who know their names."""
    _, laid, labels, numbers = known
    own = replace(numbers, shortlist=30)
    number = fitted(laid, own, one(name), every(laid))
    assert number.name in {each.name for each in everything(laid, own)}
    assert why_not(laid, labels, own, number) is None


def test_queries_a_call_are_what_ran():
    """A saving would be promised that the engines do not see: 6 and 4 queries, then 4 and 3."""
    named = [(source, place) for source in "ab" for place in range(3)]
    answer = random_trace(1).answers[0]
    six = tuple(replace(answer, source=source, query=place) for source, place in named)
    both = [replace(random_trace(1), answers=own) for own in (six, six[:4])]
    low = scoring(own={"a": {"ceiling": 1}})
    assert queries_a_call(both, [scoring(), low]) == [5.0, 3.0]
    with pytest.raises(ValueError, match="nothing was asked"):
        queries_a_call([], [low])
