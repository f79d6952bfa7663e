"""What is counted, and that no caller can make a series of his own."""

import pytest
from prometheus_client.parser import text_string_to_metric_families

from esra.domain.codes import Denial, ErrorCode, FailureCode
from esra.domain.invocation import Identity, Principal
from esra.domain.outcome import Failed, Refused
from esra.domain.resilience import BreakerCause, BreakerChange, BreakerState
from esra.governance.local import LocalGovernance
from esra.governance.refusals import unauthenticated
from esra.ports import AuditUnavailable, Unprotected
from esra.serve.arguments import Arguments
from esra.serve.door import Asked
from tests.serve.doors import door, run, served_house


class Anybody(LocalGovernance):
    """Every call comes from somebody else."""

    count = 0

    async def authenticate(self, token):
        self.count += 1
        return Principal(
            tenant=f"tenant-{self.count}", subject=f"s{self.count}", identity=Identity.LOCAL
        )


def samples(own) -> dict[tuple, float]:
    """Value by name and labels, without the times of making."""
    families = text_string_to_metric_families(own.metrics.text().decode())
    return {
        (sample.name, *sorted(sample.labels.items())): sample.value
        for family in families
        for sample in family.samples
        if not sample.name.endswith("_created")
    }


async def ask(own, number=0, slug="ask"):
    return await own.ask(
        Asked(
            token=None,
            slug=slug,
            read=lambda: Arguments(prompt=f"canary-{number} flutter"),
            correlation=f"c{number}",
            name="test",
            known={},
        )
    )


def test_ten_thousand_prompts_and_callers_make_no_series_more():
    """Whoever can make series can end the monitoring, and a label is read by everybody."""
    script = {"news": [Failed(code=FailureCode.TIMEOUT)]}
    house = served_house(script=script)
    own = door(house, Anybody(house.catalog))

    async def many(numbers):
        for number in numbers:
            await ask(own, number, f"made-up-{number}" if number % 20 else "ask")

    run(many(range(40)))
    before = set(samples(own))
    house.audit.records.clear()
    run(many(range(40, 10_040)))
    assert set(samples(own)) == before
    assert "canary" not in repr(before)
    assert "tenant-" not in repr(before)
    assert "made-up" not in repr(before)


def test_answers_errors_warnings_and_failed_sources_are_counted_once_each():
    """An operator would be told of half of what happens."""
    house = served_house(script={"news": [Failed(code=FailureCode.TIMEOUT)]})
    own = door(house)

    async def three():
        for slug in ("ask", "ask", "nothing"):
            await ask(own, slug=slug)

    run(three())
    found = samples(own)
    exposure, other = ("exposure", "ask"), ("exposure", "other")
    assert found["esra_calls_total", exposure, ("status", "degraded")] == 2
    assert found["esra_calls_total", other, ("status", "refused")] == 1
    assert found["esra_errors_total", ("code", "ESRA_FORBIDDEN"), other] == 1
    assert found["esra_warnings_total", ("code", "ESRA_SOURCE_FAILED"), exposure] == 2
    assert found["esra_source_failures_total", ("code", "TIMEOUT"), ("source", "news")] == 2
    assert found["esra_step_seconds_count", ("step", "execute")] == 2
    assert found["esra_step_seconds_count", ("step", "authorize")] == 3
    assert found["esra_call_seconds_count", exposure] == 2
    assert found["esra_calls_running",] == 0


class Nobody(LocalGovernance):
    """Turns everybody away at the threshold."""

    async def authenticate(self, token):
        raise unauthenticated(Denial.EXPIRED)


def test_who_is_turned_away_at_the_threshold_is_counted_by_the_true_reason():
    """Somebody who tries ten thousand tokens would be seen in no graph."""
    house = served_house()
    own = door(house, Nobody(house.catalog))

    async def knock():
        for _ in range(3):
            with pytest.raises(Refused):
                await own.known("canary-4711", "c")

    run(knock())
    found = samples(own)
    assert found["esra_denials_total", ("reason", "EXPIRED")] == 3
    assert found["esra_audit_records_total", ("event", "esra.invocation.denied")] == 3
    assert "canary" not in repr(found)


class Full:
    """An audit without room."""

    def write(self, records):
        raise AuditUnavailable


def test_what_the_audit_does_not_take_is_counted():
    """An operator would learn of a full disk from his users."""
    own = door(served_house(audit=Full()))
    assert run(ask(own)).code is ErrorCode.AUDIT_UNAVAILABLE
    assert samples(own)["esra_audit_failures_total",] == 1


class Told(Unprotected):
    """Hands out who listens."""

    def listen(self, hear):
        self.tell = hear


def test_a_breakers_state_is_shown_as_it_changes():
    """A source that is shut off would look like one that nobody asks."""
    told = Told()
    own = door(served_house(resilience=told))
    shut = BreakerChange(
        source="news",
        before=BreakerState.CLOSED,
        after=BreakerState.OPEN,
        cause=BreakerCause.FAILURES,
        time=0.0,
    )
    told.tell(shut)
    found = samples(own)
    states = {
        (source, state.value): found["esra_breaker_state", ("source", source), ("state", state)]
        for source in ("news", "wiki")
        for state in BreakerState
    }
    assert [which for which, on in states.items() if on] == [("news", "open"), ("wiki", "closed")]
