"""Whatever a search proposes can be written into a tuned file, and is there what it was here."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from esra.config.apply import tuned
from esra.config.tuned import Tunables, TunedFile
from esra.domain.capability import Capability
from eval import bulk
from eval.publish import tunables_of
from eval.search.learnable import fitted, why_not
from eval.search.tunables import change, grid, tunable, value_of
from eval.search.ways import along, towards
from eval.table import pair
from tests.house import scoring
from tests.replay.random_traces import random_trace

SOURCES = ("a", "b", "c")
NAMES = ["share", "bonus", "bonus-cap", "freshness-floor", "stale-weight", "evidence-floor",
         "shortlist", "priority:a", "half-life:a", "native-floor:a", "ceiling:a"]  # fmt: skip


def one(name):
    return tunable(name, SOURCES)


@pytest.fixture(scope="module")
def known():
    traces = [replace(random_trace(seed), query=f"q{seed}") for seed in range(30)]
    laid = bulk.lay_out(traces)
    judgements = {t.query: {pair(id): n % 3 for n, (id, _) in enumerate(t.ranking)} for t in traces}
    return laid, bulk.label(laid, judgements)


def as_the_runtime_reads(numbers, own):
    """The numbers of a runtime whose catalog says ``own``, under the file that holds them."""
    body = Tunables.model_validate(tunables_of(numbers, own))
    bare = Capability(id="cap", name="cap", bindings=(), scoring=own)
    return tuned(bare, TunedFile.model_construct(tunables=body)).scoring


def same(first, second):
    ratio = [n.semantic_weight / (n.semantic_weight + n.lexical_weight) for n in (first, second)]
    even = {"semantic_weight": 0.5, "lexical_weight": 0.5, "sources": ()}
    plain = [replace(n, **even) for n in (first, second)]
    return (
        ratio[0] == pytest.approx(ratio[1], abs=1e-15)
        and plain[0] == plain[1]
        and all(first.of(source) == second.of(source) for source in SOURCES)
    )


@pytest.mark.req("U12", "U13")
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("on", [False, True])
def test_every_stop_reaches_the_runtime(known, name, on):
    """A claim would be made for numbers that the runtime refuses, or reads as others."""
    own = scoring(semantic_weight=2.0, lexical_weight=1.0)
    if on:
        own = change(own, one("half-life:a"), 30.0)
        own = change(own, one("native-floor:a"), 0.25)
    number = fitted(known[0], own, one(name), np.ones(30, dtype=bool))
    way = along(own, number)
    assert len(way.settings) > 1
    for setting in way.settings:
        numbers = way.numbers(setting)
        assert same(as_the_runtime_reads(numbers, own), numbers), way.told(setting)
    for value in grid(number):
        numbers = change(own, number, value)
        assert same(as_the_runtime_reads(numbers, own), numbers), value


@pytest.mark.parametrize("name", ["half-life:a", "native-floor:a"])
def test_what_the_catalog_has_on_is_not_switched_off(known, name):
    """Off would be claimed, be absent from the file, and leave the catalog's number in force."""
    own = change(scoring(), one(name), 1.0)
    number = fitted(known[0], own, one(name), np.ones(30, dtype=bool))
    assert None not in grid(number)
    way = along(own, number)
    assert None not in [value_of(way.numbers(x), number) for x in way.settings]
    with pytest.raises(ValueError, match="cannot switch it off"):
        tunables_of(scoring(), own)


def test_half_way_to_a_long_half_life_stays_within_bounds():
    """A twentieth of the way from off to 1825 days is 36500, which the runtime refuses."""
    goal = change(scoring(), one("half-life:a"), 1825.0)
    way = towards(scoring(), goal, [one("half-life:a"), one("bonus")])
    days = [value_of(way.numbers(x), one("half-life:a")) for x in way.settings[1:]]
    assert max(days) == 3650.0
    assert days[-1] == 1825.0
    assert as_the_runtime_reads(way.numbers(Fraction(1, 20)), scoring())


def test_a_tuned_number_goes_back_to_the_catalogs_own():
    """What an earlier revision changed would stay, though the later one was tuned without it."""
    own = change(scoring(), one("half-life:a"), 30.0)
    back = change(change(own, one("half-life:a"), 7.0), one("half-life:a"), 30.0)
    assert as_the_runtime_reads(back, own) == own


def test_a_shortlist_is_tuned_downwards_only(known):
    """A longer one than the administrator's would be claimed and never be in force."""
    own = scoring(shortlist=30)
    number = fitted(known[0], own, one("shortlist"), np.ones(30, dtype=bool))
    assert [int(x) for x in along(own, number).settings] == [5, 10, 15, 20, 25, 30]


def test_a_climb_that_found_nothing_says_so():
    """The reason would read: today's  lies in the plateau  to ."""
    assert towards(scoring(), scoring(), [one("share")]).told(Fraction(0)) == "the numbers of today"


def test_a_source_that_never_answered_cannot_be_learned(known):
    """Its name would be called unknown, though the catalog has it."""
    laid, labels = known
    lost = tunable("priority:d", ("d",))
    assert "no answer of this source" in why_not(laid, labels, scoring(), lost)
