"""Every rule of the breaker, with the clock in our hands; the numbers are worked by hand."""

import re
from random import Random

import pytest

from esra.domain.resilience import BreakerCause, BreakerRules, BreakerState, Switch, Window
from esra.providers.resilience.breaker import Breaker
from tests.resilience.setting import Hands, breaker

S = BreakerState
TIMED = {"window": Window.SECONDS}

# Calls that come back at once: s answered, f failed, l answered late, x failed late, i says
# nothing of the source; + lets seconds pass, ? is a call that is refused.
TABLE = [
    ("few calls are no evidence", {}, "f9", S.CLOSED),
    ("ten are", {}, "f10", S.OPEN),
    ("half of them failing is enough", {}, "s5 f5", S.OPEN),
    ("less is not", {}, "s6 f4", S.CLOSED),
    ("an answer may be the call that decides", {}, "f5 s5", S.OPEN),
    ("the last 20 count: 9 of them failed", {}, "f4 s12 f9", S.CLOSED),
    ("the last 20 count: 10 of them failed", {}, "f4 s12 f10", S.OPEN),
    ("good ones are forgotten, too", {}, "s20 f10", S.OPEN),
    ("however long ago they were", {}, "f9 +86400 f1", S.OPEN),
    ("in time, 30 seconds count", TIMED, "f9 +29.9 f1", S.OPEN),
    ("in time, older ones do not", TIMED, "f9 +30 f1", S.CLOSED),
    ("in time, 20 calls are no bound", TIMED, "s50 f49", S.CLOSED),
    ("in time, half of all", TIMED, "s50 f50", S.OPEN),
    ("four of five late", {}, "s2 l8", S.OPEN),
    ("three of four late", {}, "s3 l7", S.CLOSED),
    ("late failures are failures and late", {}, "s5 x4 l1", S.CLOSED),
    ("a bound of its own for failures", {"failures": 0.2}, "s8 f2", S.OPEN),
    ("a minimum of its own", {"minimum": 2}, "f2", S.OPEN),
    ("what says nothing never counts", {}, "i500", S.CLOSED),
    ("and makes no minimum full", {}, "f5 i20", S.CLOSED),
    ("open is closed to everybody", {}, "f10 ? +9.9 ?", S.OPEN),
    ("after ten seconds it is tried", {}, "f10 +10 s1", S.HALF_OPEN),
    ("two answers close it", {}, "f10 +10 s2", S.CLOSED),
    ("closed it begins anew", {}, "f10 +10 s2 f9", S.CLOSED),
    ("one failure of two opens it", {}, "f10 +10 f1 ?", S.OPEN),
    ("also the second", {}, "f10 +10 s1 f1 ?", S.OPEN),
    ("two late answers open it", {}, "f10 +10 l2 ?", S.OPEN),
    ("one late answer of two does not", {}, "f10 +10 l1 s1", S.CLOSED),
    ("trials may be days apart", TIMED, "f10 +10 s1 +86400 s1", S.CLOSED),
    ("a trial that says nothing is another's", {}, "f10 +10 i9 s2", S.CLOSED),
    ("the rest doubles: 20", {}, "f10 +10 f1 +19.9 ? +0.1 s1", S.HALF_OPEN),
    ("40, 80", {}, "f10 +10 f1 +20 f1 +39.9 ? +0.1 f1 +79.9 ? +0.1 s1", S.HALF_OPEN),
    ("120 at most", {}, "f10 +10 f1 +20 f1 +40 f1 +80 f1 +119 ? +1 f1 +120 s1", S.HALF_OPEN),
    ("an answered trial ends the doubling", {}, "f10 +10 f1 +20 s2 f10 +10 s1", S.HALF_OPEN),
    ("more trials, if asked for", {"trials": 4}, "f10 +10 s3", S.HALF_OPEN),
    ("one failure of four does not open it", {"trials": 4}, "f10 +10 s3 f1", S.CLOSED),
    ("and their share decides", {"trials": 4}, "f10 +10 s1 f1 s1 f1 ?", S.OPEN),
    ("shut off by hand", {"switch": Switch.OPEN}, "? +86400 ?", S.FORCED_OPEN),
    ("let through by hand", {"switch": Switch.DISABLED}, "f500 x500", S.DISABLED),
]


def play(own: Breaker, hands: Hands, script: str) -> None:
    ends = {"s": (False, 3.9), "f": (True, 0.0), "l": (False, 4.0), "x": (True, 4.0)}
    for kind, number in re.findall(r"([sflxi+?])([\d.]*)", script):
        if kind == "+":
            hands.time += float(number)
        elif kind == "?":
            assert own.admit() is None, script
        else:
            for _ in range(int(number)):
                permit = own.admit()
                assert permit is not None, script
                if kind == "i":
                    own.give_back(permit)
                else:
                    failed, took = ends[kind]
                    own.record(permit, failed=failed, took=took)


@pytest.mark.req("E093")
@pytest.mark.parametrize(
    ("rules", "script", "state"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE]
)
def test_the_rules(rules, script, state):
    """A source in trouble would be called on and on, or one that is well left alone."""
    hands = Hands()
    own = breaker(hands, **rules)
    play(own, hands, script)
    assert own.state is state


def half_open(**rules) -> tuple[Breaker, Hands]:
    hands = Hands()
    own = breaker(hands, **rules)
    play(own, hands, "f10 +10")
    return own, hands


def test_no_more_trials_are_out_than_allowed_and_one_given_back_is_anothers():
    """A source that just came back would be run over, or tried by nobody."""
    own, _ = half_open()
    first, second = own.admit(), own.admit()
    assert first
    assert second
    assert own.admit() is None
    own.give_back(first)
    assert own.admit()
    assert own.admit() is None
    own.record(second, failed=False, took=0.0)
    assert own.admit() is None  # one is out and one is back: that makes two


def test_a_trial_that_never_comes_back_has_failed():
    """One lost call would keep a source out for ever (resilience4j's default)."""
    own, hands = half_open()
    stuck = own.admit()
    hands.time += 9.9
    assert own.admit()
    hands.time += 0.1
    assert own.admit() is None
    assert own.state is S.OPEN
    hands.time += 20
    own.record(stuck, failed=False, took=30.0)  # it came back after all, and is nobody's
    play(own, hands, "s2")
    assert own.state is S.CLOSED


def test_nobody_waits_for_trials_that_were_never_made():
    """A source that nobody asked for a while would be shut again for it."""
    own, hands = half_open()
    play(own, hands, "s1 +86400 s1")
    assert own.state is S.CLOSED


def test_a_source_whose_calls_take_long_is_given_twice_their_time():
    """A trial within its time would be called stuck."""
    hands = Hands()
    own = Breaker(BreakerRules(), seconds=30.0, monotonic=hands.monotonic, dice=hands)
    play(own, hands, "f10 +10")
    assert own.admit()
    hands.time += 59.9
    assert own.admit()
    assert own.state is S.HALF_OPEN


def test_a_call_counts_in_the_state_it_began_in_and_in_no_other():
    """Calls from before the trouble would close the breaker, or their failures open it again."""
    hands = Hands()
    own = breaker(hands)
    early = [own.admit() for _ in range(40)]
    play(own, hands, "f10 +10 s1")
    for permit in early[:20]:
        own.record(permit, failed=False, took=0.0)
    assert own.state is S.HALF_OPEN
    for permit in early[20:]:
        own.record(permit, failed=True, took=9.0)
    play(own, hands, "s1")
    assert own.state is S.CLOSED


def test_a_server_that_is_back_ends_the_rest_and_nothing_else():
    """A source would stay out although it is there; or be let in although it was shut by hand."""
    own, hands = half_open()
    own.reachable()  # its rest was over, but nobody had called: it is tried just the same
    play(own, hands, "f1 ?")
    own.reachable()
    play(own, hands, "s2")
    own.reachable()
    assert own.state is S.CLOSED
    own.switch(Switch.OPEN)
    own.reachable()
    assert own.state is S.FORCED_OPEN


def test_switching_by_hand_holds_until_it_is_switched_back():
    """An operator could not keep a source out, or not let it in again."""
    hands = Hands()
    own = breaker(hands)
    own.switch(Switch.OPEN)
    play(own, hands, "? +9999 ?")
    own.switch(Switch.DISABLED)
    play(own, hands, "f99")
    own.switch(Switch.AUTO)
    play(own, hands, "f9 s1")
    assert own.state is S.OPEN


def test_the_rest_is_a_fifth_more_or_less_by_chance():
    """All instances of a runtime would fall upon a source in the same moment."""
    rests = []
    for seed in range(400):
        hands = Hands()
        own = Breaker(BreakerRules(), seconds=5.0, monotonic=hands.monotonic, dice=Random(seed))
        play(own, hands, "f10")
        begun = hands.time
        while own.admit() is None:
            hands.time += 0.05
        rests.append(hands.time - begun)
    assert 8.0 <= min(rests) < 8.3
    assert 11.7 < max(rests) <= 12.06


def test_every_change_is_told_with_its_cause():
    """Nobody could say why a source was out last night."""
    hands, told = Hands(), []
    own = breaker(hands, lambda *change: told.append(change))
    play(own, hands, "f10 +10 l2 +20 s2")
    own.switch(Switch.OPEN)
    own.switch(Switch.AUTO)
    play(own, hands, "f10")
    own.reachable()
    stuck = own.admit()
    hands.time += 10
    assert stuck
    assert own.admit() is None
    assert told == [
        (S.CLOSED, S.OPEN, BreakerCause.FAILURES),
        (S.OPEN, S.HALF_OPEN, BreakerCause.RESTED),
        (S.HALF_OPEN, S.OPEN, BreakerCause.SLOW),
        (S.OPEN, S.HALF_OPEN, BreakerCause.RESTED),
        (S.HALF_OPEN, S.CLOSED, BreakerCause.RECOVERED),
        (S.CLOSED, S.FORCED_OPEN, BreakerCause.SWITCHED),
        (S.FORCED_OPEN, S.CLOSED, BreakerCause.SWITCHED),
        (S.CLOSED, S.OPEN, BreakerCause.FAILURES),
        (S.OPEN, S.HALF_OPEN, BreakerCause.REACHABLE),
        (S.HALF_OPEN, S.OPEN, BreakerCause.STUCK),
    ]
