"""One source's calls: what is tried again, how often, and what a breaker makes of it."""

import asyncio
import time

import pytest

from esra.domain.codes import RETRYABLE, FailureCode
from esra.domain.outcome import Failed
from esra.domain.resilience import BreakerRules, BreakerState, Retries, Switch
from esra.domain.source import Limits
from esra.governance.clock import SystemClock
from esra.providers.resilience import PerSource
from esra.providers.resilience.one import SLACK
from tests.house import source
from tests.resilience.setting import DOWN, NOTHING, OPEN, Calls, Hands, ask, per_source

PERMANENT = sorted(set(FailureCode) - RETRYABLE)
UNBROKEN = BreakerRules(switch=Switch.DISABLED)


@pytest.mark.req("E092", "E128")
@pytest.mark.parametrize("code", PERMANENT)
def test_what_another_try_cannot_help_is_tried_once(code):
    """A wrong password would be sent three times, and lock the account."""
    hands = Hands()
    calls = Calls(hands, Failed(code=code))
    assert ask(per_source(hands), calls) == [Failed(code=code)]
    assert (len(PERMANENT), calls.made, hands.slept) == (13, 1, [])


@pytest.mark.req("E092", "E128")
@pytest.mark.parametrize("code", sorted(RETRYABLE))
def test_what_may_pass_is_tried_three_times(code):
    """A moment's trouble would cost the source."""
    hands = Hands()
    calls = Calls(hands, Failed(code=code))
    assert ask(per_source(hands), calls) == [Failed(code=code)]
    assert (len(RETRYABLE), calls.made) == (3, 3)
    assert hands.slept == [0.025, 0.05]  # the middle of 0..0.05 and of 0..0.1


def test_the_first_answer_is_the_answer():
    """The source would be asked again although it has answered."""
    hands = Hands()
    calls = Calls(hands, DOWN, NOTHING)
    assert ask(per_source(hands), calls) == [NOTHING]
    assert calls.made == 2


def test_retries_stay_within_their_budget_when_everything_fails():
    """A source that is down would get three times the load it went down under."""
    hands = Hands()
    calls = Calls(hands, DOWN)
    ask(per_source(hands), calls, times=2_000, of=source("a", breaker=UNBROKEN))
    retries = calls.made - 2_000
    assert 0.1 * 2_000 - 1 <= retries <= 0.1 * 2_000 + Retries().reserve


def test_good_times_save_up_ten_retries_and_no_more():
    """After a quiet day, the first bad minute would be a storm."""
    hands = Hands()
    resilience, own = per_source(hands), source("a", breaker=UNBROKEN)
    ask(resilience, Calls(hands, NOTHING), times=10_000, of=own)
    calls = Calls(hands, DOWN)
    ask(resilience, calls, times=10, of=own)
    assert calls.made - 10 == 10


@pytest.mark.parametrize(("left", "made"), [(2.02, 1), (2.03, 2)])
def test_another_try_needs_the_sources_usual_time(left, made):
    """A try that cannot end in time would burden the source for nobody."""
    hands = Hands()
    resilience, own = per_source(hands), source("a", retries=Retries(attempts=2))
    ask(resilience, Calls(hands, NOTHING, took=2.0), times=5, of=own)
    calls = Calls(hands, DOWN)
    ask(resilience, calls, of=own, seconds=left)  # a pause of 0.025 stands before the retry
    assert calls.made == made


def test_a_call_that_took_all_of_its_sources_time_is_not_made_again():
    """A slow source would be asked the same slow question three times."""
    hands = Hands()
    calls = Calls(hands, Failed(code=FailureCode.TIMEOUT), took=5.0)
    ask(per_source(hands), calls, seconds=60.0)
    assert calls.made == 1


@pytest.mark.req("E093", "E127", "E129")
def test_an_open_breaker_refuses_at_once_without_a_call_or_a_count():
    """Every question would wait for a source that is known to be down."""
    hands = Hands()
    resilience, own = per_source(hands), source("a", retries=Retries(attempts=1))
    calls = Calls(hands, DOWN)
    assert ask(resilience, calls, times=10, of=own) == [DOWN] * 10
    rest = hands.time + 10
    assert ask(resilience, calls, times=500, of=own) == [OPEN] * 500
    assert (calls.made, hands.slept) == (10, [])
    hands.time = rest  # 500 refusals have made it no longer
    assert ask(resilience, Calls(hands, NOTHING), times=2, of=own) == [NOTHING] * 2
    assert resilience.state(own) is BreakerState.CLOSED


def test_every_attempt_counts_in_the_breaker():
    """Retries would be free, and the breaker would open three times too late."""
    hands = Hands()
    resilience, calls = per_source(hands), Calls(hands, DOWN)
    generous = source("a", retries=Retries(reserve=100))
    answers = ask(resilience, calls, times=5, of=generous)
    # Three calls made nine attempts; the fourth's first was the tenth and its retry was refused.
    assert calls.made == 10
    assert answers == [DOWN] * 4 + [OPEN]


@pytest.mark.req("E095")
def test_one_broken_source_leaves_the_others_alone():
    """One database that is down would take every source with it."""
    hands = Hands()
    resilience, first, second = per_source(hands), source("a"), source("b")
    ask(resilience, Calls(hands, DOWN), times=50, of=first)
    calls = Calls(hands, NOTHING)
    assert ask(resilience, calls, times=50, of=second) == [NOTHING] * 50
    assert calls.made == 50
    assert resilience.state(first) is BreakerState.OPEN
    assert resilience.state(second) is BreakerState.CLOSED


COUNTED = [(Failed(code=code), True) for code in sorted(RETRYABLE)] + [
    (Failed(code=FailureCode.UNKNOWN, internal=True), True),
    *((Failed(code=code), False) for code in PERMANENT if code is not FailureCode.CIRCUIT_OPEN),
]


@pytest.mark.parametrize(
    ("failed", "counts"), COUNTED, ids=lambda value: getattr(value, "code", None)
)
def test_only_the_sources_own_state_counts(failed, counts):
    """One wrong mapping, or one caller who leaves, would shut a source to everybody."""
    hands = Hands()
    resilience, own = per_source(hands), source("a", retries=Retries(attempts=1))
    ask(resilience, Calls(hands, failed), times=10, of=own)
    assert (resilience.state(own) is BreakerState.OPEN) == counts


def together(resilience: PerSource, own, attempt, *, callers: int, seconds: float = 30.0):
    """Tasks of so many callers at once, all of them under way."""

    async def go(work):
        tasks = [
            asyncio.ensure_future(resilience.run(own, attempt, seconds)) for _ in range(callers)
        ]
        await asyncio.sleep(0.01)
        return await work(tasks)

    return go


@pytest.mark.req("E093")
def test_of_500_callers_at_once_two_try_a_source_that_may_be_back():
    """The first moment of its return would be its last (pybreaker, circuitbreaker, purgatory)."""
    hands = Hands()
    resilience, own = per_source(hands), source("a", retries=Retries(attempts=1))
    ask(resilience, Calls(hands, DOWN), times=10, of=own)
    hands.time += 10
    made, gate = [], asyncio.Event()

    async def attempt():
        made.append(1)
        await gate.wait()
        return NOTHING

    async def work(tasks):
        before = len(made)
        gate.set()
        return before, await asyncio.gather(*tasks)

    before, answers = asyncio.run(together(resilience, own, attempt, callers=500)(work))
    assert before == len(made) == 2
    assert answers.count(OPEN) == 498
    assert resilience.state(own) is BreakerState.CLOSED


@pytest.mark.req("E121")
@pytest.mark.parametrize("state", [BreakerState.CLOSED, BreakerState.HALF_OPEN])
def test_callers_who_leave_say_nothing_about_a_source(state):
    """An impatient client could shut a source to everybody (purgatory opens after three)."""
    hands = Hands()
    resilience, own = per_source(hands), source("a", retries=Retries(attempts=1))
    if state is BreakerState.HALF_OPEN:
        ask(resilience, Calls(hands, DOWN), times=10, of=own)
        hands.time += 10

    async def attempt():
        await asyncio.sleep(60)

    async def leave(tasks):
        for task in tasks:
            task.cancel()
        return await asyncio.gather(*tasks, return_exceptions=True)

    for _ in range(20):
        asyncio.run(together(resilience, own, attempt, callers=2)(leave))
    assert resilience.state(own) is state
    # Both trials are free again, and the window is as empty as it was.
    assert ask(resilience, Calls(hands, NOTHING), times=2, of=own) == [NOTHING] * 2
    assert ask(resilience, Calls(hands, DOWN), times=7, of=own) == [DOWN] * 7
    assert resilience.state(own) is BreakerState.CLOSED


def hang(seconds: float, limits: Limits, *, callers: int = 12):
    """So many callers, each with ``seconds``, of a source that never answers."""
    resilience = PerSource(SystemClock())
    own = source("a", limits=limits, retries=Retries(attempts=1))

    async def attempt():
        await asyncio.sleep(60)

    async def work(tasks):
        return await asyncio.gather(*tasks)

    started = time.monotonic()
    asked = together(resilience, own, attempt, callers=callers, seconds=seconds)
    answers = asyncio.run(asked(work))
    assert set(answers) == {Failed(code=FailureCode.TIMEOUT)}
    return time.monotonic() - started, resilience.state(own)


@pytest.mark.req("E091", "E112")
def test_a_source_that_never_answers_ends_at_its_own_time():
    """One hanging source would cost the whole invocation, however much time that has."""
    took, state = hang(30.0, Limits(seconds=0.1))
    assert 0.1 + SLACK <= took < 0.1 + SLACK + 0.5
    assert state is BreakerState.OPEN


@pytest.mark.req("E091")
def test_the_callers_time_bounds_it_too():
    """The answer would come after the caller has gone."""
    took, _ = hang(0.1, Limits(seconds=30.0))
    assert 0.1 <= took < 0.6


def test_callers_in_a_hurry_do_not_shut_a_source():
    """Anybody could close a source to all by asking with too little time."""
    _, state = hang(0.05, Limits(seconds=5.0), callers=50)
    assert state is BreakerState.CLOSED


def test_callers_who_waited_until_it_was_slow_do():
    """A source that hangs would be waited for by everybody whose time is a little shorter."""
    _, state = hang(0.18, Limits(seconds=0.2))
    assert state is BreakerState.OPEN


def test_changes_are_told_once_each_and_to_who_listens():
    """The audit would hold a change twice, or a gauge would miss one."""
    hands, heard = Hands(), []
    resilience, own = per_source(hands), source("a")
    resilience.listen(heard.append)
    ask(resilience, Calls(hands, DOWN), times=10, of=own)
    told = resilience.changes()
    assert [(change.source, change.after) for change in told] == [("a", BreakerState.OPEN)]
    assert heard == list(told)
    assert resilience.changes() == ()


def test_a_source_can_be_shut_and_opened_by_hand():
    """An operator could not take a source out of service without a restart."""
    hands = Hands()
    resilience, own, calls = per_source(hands), source("a"), Calls(hands, NOTHING)
    resilience.switch(own, Switch.OPEN)
    assert ask(resilience, calls, of=own) == [OPEN]
    resilience.switch(own, Switch.AUTO)
    assert ask(resilience, calls, of=own) == [NOTHING]
