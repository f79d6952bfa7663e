"""Commands at a time are bounded at four levels; a slow model costs its stage and no more."""

import asyncio
import time
from collections import Counter
from dataclasses import replace

import pytest

from esra._check import check
from esra.domain.capability import Forms, PlanForm, Presence, RerankForm, SelectForm
from esra.domain.codes import WarningCode
from esra.domain.hit import Hits
from esra.domain.source import Limits
from esra.governance.admission import admit
from esra.governance.clock import SystemClock
from esra.governance.gates import INSTANCE, BoundedGates
from esra.llm.scripted import Scripted
from esra.pipeline import retrieve
from tests.house import FakeEngine, ask, catalog, hit, house, request, source


class Counting(FakeEngine):
    """Counts what runs at a time, by source and in all, whatever the gates say of themselves."""

    def __init__(self) -> None:
        super().__init__({})
        self.running, self.peak = Counter(), Counter()

    async def run(self, query):
        content = check(query)
        for name in (content.source, "all", f"call {content.invocation}"):
            self.running[name] += 1
            self.peak[name] = max(self.peak[name], self.running[name])
        await asyncio.sleep(0.005)
        for name in (content.source, "all", f"call {content.invocation}"):
            self.running[name] -= 1
        return Hits.of([hit("a", 1.0, source=content.source)], capped=False)


def load(*, calls: int, gates: BoundedGates, own: int = 64, of_source: int = 64):
    """The engine after ``calls`` invocations of 8 sources at once, 2 commands each."""
    sources = [source(f"s{n}", limits=Limits(parallel=of_source)) for n in range(8)]
    engine = Counting()
    known = catalog(*sources, limits=Limits(parallel=own))
    own_house = replace(house(known, engine=engine), gates=gates)

    async def run():
        asked = [retrieve(admit(request(), own_house), own_house) for _ in range(calls)]
        return await asyncio.gather(*asked)

    responses = asyncio.run(run())
    assert all(len(response.results) == 8 for response in responses)
    return engine


@pytest.mark.req("E009", "E087")
def test_an_invocation_runs_no_more_than_its_own_bound_at_a_time():
    """Else one question over many sources would take every connection."""
    engine = load(calls=3, gates=BoundedGates(instance=99, provider=99), own=3)
    assert {n for name, n in engine.peak.items() if name.startswith("call")} == {3}


@pytest.mark.req("E009", "E088")
def test_a_source_runs_no_more_than_its_limits_say():
    """Else a small database would be overrun by a popular question."""
    engine = load(calls=10, gates=BoundedGates(instance=99, provider=99), of_source=2)
    assert {engine.peak[f"s{n}"] for n in range(8)} == {2}


@pytest.mark.req("E009", "E089", "E094")
def test_the_sources_of_one_provider_share_its_bound():
    """Else eight sources on one server would open eight times what it bears."""
    gates = BoundedGates(instance=99, providers={"fake": 5})
    assert load(calls=6, gates=gates).peak["all"] == 5
    assert gates.peak["provider", "fake"] == 5


@pytest.mark.req("E009", "E090", "E094")
def test_all_invocations_share_the_instances_bound_and_give_their_places_back():
    """Else twenty callers would do what one may not."""
    gates = BoundedGates(instance=4, provider=99)
    assert load(calls=6, gates=gates).peak["all"] == 4
    assert gates.peak[INSTANCE] == 4
    assert not any(gates.running.values())


def test_a_command_that_waits_past_its_time_fails_and_keeps_no_place():
    """Else a queue would outlive those who wait in it."""
    engine = FakeEngine({}, delay=lambda source: 0.3)
    gates = BoundedGates(instance=1)
    own = replace(house(catalog(source("a"), source("b")), engine=engine), gates=gates)
    own = replace(own, clock=SystemClock())
    response = ask(own, seconds=0.4)
    assert {warning.code for warning in response.warnings} == {WarningCode.SOURCE_FAILED}
    assert {warning.detail for warning in response.warnings} == {"TIMEOUT"}
    assert not any(gates.running.values())


@pytest.mark.parametrize("step", ["select", "plan", "rerank"])
def test_a_slow_model_costs_its_stage_and_not_the_answer(step):
    """Else one slow answer would take the time of everything after it."""

    async def slow(self, brief):
        await asyncio.sleep(30)

    model = type("Slow", (Scripted,), {step: slow})(lambda brief: "")
    forms = {
        "select": Forms(select=SelectForm.MODEL),
        "plan": Forms(plan=PlanForm.MODEL),
        "rerank": Forms(rerank=RerankForm.MODEL),
    }[step]
    known = catalog(
        source("news"), source("law"), forms=forms, presence={"news": Presence.MANDATORY}
    )
    ports = {"selectors": {"model": model}, "planners": {"model": model}}
    own = house(
        known,
        {"news": [[hit("a", 1.0)]]},
        clock=SystemClock(),
        rerankers={"model": model},
        **ports,
    )
    started = time.monotonic()
    response = ask(own, seconds=0.8)
    assert time.monotonic() - started < 1.3
    assert [result.title for result in response.results] == ["title a"]
    assert response.warnings
