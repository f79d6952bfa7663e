"""The whole pipeline over a source in trouble: degraded, never slow, never wrong, written down."""

import asyncio
import time
from dataclasses import replace

import pytest

from esra._check import check
from esra.domain.codes import FailureCode, WarningCode
from esra.domain.outcome import Failed
from esra.domain.resilience import BreakerRules, BreakerState, Retries
from esra.domain.response import Status
from esra.domain.source import Limits
from esra.governance.clock import SystemClock
from esra.providers.resilience import PerSource
from tests.house import FakeEngine, ask, catalog, hit, house, scoring, source
from tests.resilience.setting import DOWN, Hands, per_source

WELL = {"well": [[hit("w", 1.0, source="well")]]}
ONCE = Retries(attempts=1)


def two(**more):
    """One query each."""
    numbers = scoring(own={"ill": {"ceiling": 1}, "well": {"ceiling": 1}})
    return catalog(source("ill", **more), source("well"), scoring=numbers)


def asked(known, script, hands: Hands, resilience: PerSource, **more):
    engine = FakeEngine(WELL | script)
    own = replace(house(known, engine=engine, clock=hands), resilience=resilience)
    return own, engine, [ask(own, **more) for _ in range(12)]


@pytest.mark.req("E095", "E127", "E129")
def test_a_broken_source_warns_with_its_code_and_then_is_left_alone():
    """The answer would hide that a source is missing, or be slow for as long as it is."""
    hands = Hands()
    resilience = per_source(hands)
    own, engine, responses = asked(two(retries=ONCE), {"ill": [DOWN]}, hands, resilience)
    codes = [[(w.code, w.source, w.detail) for w in one.warnings] for one in responses]
    down = (WarningCode.SOURCE_FAILED, "ill", "CONNECTION_REFUSED")
    refused = (WarningCode.SOURCE_FAILED, "ill", "CIRCUIT_OPEN")
    assert codes == [[down]] * 10 + [[refused]] * 2
    assert engine.ran.count(("ill", 0)) == 10
    assert engine.ran.count(("well", 0)) == 12
    for one in responses:
        assert one.status is Status.DEGRADED
        assert [result.title for result in one.results] == ["title w"]
    events = [r for r in own.audit.records if r["event"] == "esra.breaker.state"]
    assert [(e["source"], e["before"], e["after"], e["cause"], e["at"]) for e in events] == [
        ("ill", "closed", "open", "failures", hands.time)
    ]


def test_a_source_that_is_back_answers_and_the_change_is_written_down():
    """The audit would end with an open breaker although the source is used."""
    hands = Hands()
    resilience = per_source(hands)
    asked(two(retries=ONCE), {"ill": [DOWN]}, hands, resilience)
    hands.time += 10
    back = {"ill": [[hit("i", 1.0, source="ill")]]}
    own, _, responses = asked(two(retries=ONCE), back, hands, resilience)
    assert all(one.status is Status.COMPLETE for one in responses)
    events = [r["after"] for r in own.audit.records if r["event"] == "esra.breaker.state"]
    assert events == ["half_open", "closed"]


@pytest.mark.req("E091")
def test_the_caller_has_his_answer_in_time_whatever_hangs():
    """A source that never answers would keep the others' results from the caller."""
    known = two(limits=Limits(seconds=30.0))
    engine = FakeEngine(WELL, delay=lambda id: 60.0 if id == "ill" else 0.0)
    own = house(known, engine=engine, clock=SystemClock())
    own = replace(own, resilience=PerSource(SystemClock()))
    for seconds in (0.2, 0.8):
        started = time.monotonic()
        response = ask(own, seconds=seconds)
        assert time.monotonic() - started < seconds + 0.5
        assert [result.title for result in response.results] == ["title w"]
        assert [warning.detail for warning in response.warnings] == ["TIMEOUT"]


@pytest.mark.req("E095")
def test_two_sources_of_one_server_break_one_by_one():
    """One bad table would take every source on its server out."""
    hands = Hands()
    resilience = per_source(hands)
    known = two(retries=ONCE)
    asked(known, {"ill": [Failed(code=FailureCode.RESOURCE_EXHAUSTED)]}, hands, resilience)
    states = {one.id: resilience.state(one) for one in known.sources}
    assert states == {"ill": BreakerState.OPEN, "well": BreakerState.CLOSED}


def test_a_broken_seal_is_no_failure_of_the_source():
    """A bug of ours would shut a source; and it would be swallowed."""

    class Careless(FakeEngine):
        async def run(self, query):
            return check("SELECT 1")

    hands = Hands()
    resilience = per_source(hands)
    known = two(breaker=BreakerRules(minimum=1))
    own = replace(house(known, engine=Careless({}), clock=hands), resilience=resilience)
    with pytest.raises(TypeError):
        ask(own)
    assert asyncio.run(resilience.close()) is None
    assert {resilience.state(one) for one in known.sources} == {BreakerState.CLOSED}
