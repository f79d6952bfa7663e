"""A way stops where a person would stop, starts at today, and says what it cannot learn."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from eval import bulk
from eval.search.learnable import everything, why_not
from eval.search.tunables import change, tunable, value_of
from eval.search.ways import along, towards
from eval.table import pair
from tests.house import scoring
from tests.replay.random_traces import random_trace

SOURCES = ("a", "b", "c")


def one(name):
    return tunable(name, SOURCES)


@pytest.mark.req("W44")
@pytest.mark.parametrize(
    ("name", "stops"),
    [
        ("share", 101),
        ("bonus", 51),
        ("bonus-cap", 51),
        ("evidence-floor", 51),
        ("priority:a", 20),
        ("half-life:a", 15),
        ("ceiling:a", 20),
    ],
)
def test_the_number_of_stops_is_what_it_says(name, stops):
    """Settings would be lost to rounding: 60 of 66 run, and nobody told."""
    way = along(scoring(), one(name))
    assert len(way.settings) == stops
    assert list(way.settings) == sorted(set(way.settings))
    low, high = one(name).bounds.low, one(name).bounds.high
    values = [value_of(way.numbers(x), one(name)) for x in way.settings]
    assert all(value is None or low - 1e-9 <= value <= high + 1e-9 for value in values)


@pytest.mark.parametrize("name", ["share", "bonus", "priority:b", "half-life:c"])
def test_today_is_a_stop_even_off_the_grid(name):
    """What is in force would be compared with a neighbour of itself."""
    today = change(scoring(), one(name), 0.0137 if name == "bonus" else 0.371)
    way = along(today, one(name))
    assert way.numbers(way.settings[way.today]) == today


def test_a_half_life_that_is_off_stays_off():
    """Freshness would be switched on by somebody who only looked at it."""
    way = along(scoring(), one("half-life:a"))
    assert way.today == 0
    assert way.told(way.settings[0]) == "off"
    assert way.told(1 / Fraction(30)) == "30 days"
    assert value_of(way.numbers(1 / Fraction(30)), one("half-life:a")) == pytest.approx(30.0)


def test_a_way_over_several_numbers_goes_straight():
    """Half way would be elsewhere: .7 to .3 is .5, 1 to 3 is 2, off to 10 days is 20."""
    today = scoring()
    goal = change(change(today, one("share"), 0.3), one("priority:b"), 3.0)
    goal = change(goal, one("half-life:a"), 10.0)
    way = towards(today, goal, [one("share"), one("priority:b"), one("half-life:a"), one("bonus")])
    assert way.numbers(Fraction(0)) == today
    assert way.parameters == 4  # the bonus was free to move, and is counted though it did not
    half = way.numbers(Fraction(1, 2))
    found = [value_of(half, one(name)) for name in ("share", "priority:b", "half-life:a")]
    assert found == pytest.approx([0.5, 2.0, 20.0])
    assert towards(today, today, [one("share")]).settings == (Fraction(0),)


@pytest.fixture(scope="module")
def known():
    traces = [replace(random_trace(seed), query=f"q{seed}") for seed in range(40)]
    laid = bulk.lay_out(traces)
    judgements = {t.query: {pair(id): n % 3 for n, (id, _) in enumerate(t.ranking)} for t in traces}
    return laid, bulk.label(laid, judgements), traces[0].numbers


@pytest.mark.req("W50")
def test_what_can_be_learned_is_not_called_unlearnable(known):
    """A useful number would never be tuned."""
    laid, labels, numbers = known
    numbers = change(numbers, one("half-life:a"), 30.0)
    assert {str(one) for one in everything(laid, numbers)} >= {"share", "priority:a", "half-life:c"}
    for name in ("share", "bonus", "priority:a", "half-life:b", "stale-weight", "freshness-floor"):
        assert why_not(laid, labels, numbers, one(name)) is None


@pytest.mark.req("W50")
@pytest.mark.parametrize(
    ("name", "change_rows", "reason"),
    [
        ("half-life:a", {"age": np.nan}, "no timestamp"),
        ("stale-weight", {"stale": False}, "marked stale"),
        ("evidence-floor", {"evidence": np.nan}, "no source evidence"),
        ("freshness-floor", {"age": np.nan}, "freshness is off"),
    ],
)
def test_what_the_recording_does_not_hold_is_said(known, name, change_rows, reason):
    """A person would tune a number for an hour that this recording knows nothing of."""
    laid, labels, numbers = known
    ((field, value),) = change_rows.items()
    rows = replace(laid.rows, **{field: np.full_like(getattr(laid.rows, field), value)})
    assert reason in why_not(replace(laid, rows=rows), labels, numbers, one(name))


@pytest.mark.req("W50")
def test_one_source_has_no_priority_and_one_match_no_bonus():
    """The search would return the middle of a flat line and call it tuned."""
    lone = replace(random_trace(3), query="q")
    own = tuple(answer for answer in lone.answers if answer.source == "a")[:1]
    laid = bulk.lay_out([replace(lone, answers=own)])
    labels = bulk.label(laid, {"q": {pair(id): 1 for id in laid.ids}})
    assert "only one source" in why_not(laid, labels, lone.numbers, one("priority:a"))
    assert "two queries" in why_not(laid, labels, lone.numbers, one("bonus"))


@pytest.mark.req("W50")
def test_insensitive_labels_are_said(known):
    """The curve would be flat and the reader would look for the reason in the wrong place."""
    laid, labels, numbers = known
    flat = replace(labels, gain=np.zeros_like(labels.gain))
    assert "sensitive" in why_not(laid, flat, numbers, one("share"))
