"""invoke: govern, then retrieve; a caller who is turned away costs nothing and is written down."""

import asyncio

import pytest

from esra.domain.capability import Forms, PlanForm, RerankForm, SelectForm
from esra.domain.codes import Denial, ErrorCode
from esra.domain.invocation import Caller, Identity, Principal
from esra.domain.outcome import Refused
from esra.governance.audit import ListAudit
from esra.governance.local import LocalGovernance
from esra.governance.refusals import forbidden, unauthenticated
from esra.llm.scripted import Scripted
from esra.ports import AuditUnavailable
from esra.serve.invoke import Ask, invoke
from tests.house import FakeEngine, catalog, hit, house, source

ADA = Principal(tenant="acme", subject="ada", identity=Identity.TOKEN)
FORMS = Forms(select=SelectForm.MODEL, plan=PlanForm.MODEL, rerank=RerankForm.MODEL)


class Platform:
    """A governance that says what it was told to say, and remembers what it was asked."""

    def __init__(self, *, authenticate=ADA, authorize=None):
        self.answers = {
            "authenticate": authenticate,
            "authorize": authorize or Caller(tenant="acme", subject="ada", identity=Identity.TOKEN),
        }
        self.asked = []

    async def authenticate(self, token):
        return self._say("authenticate", token)

    async def authorize(self, principal, exposure):
        return self._say("authorize", (principal, exposure))

    async def visible(self, principal):
        return ()

    def _say(self, what, told):
        self.asked.append((what, told))
        if isinstance(self.answers[what], Exception):
            raise self.answers[what]
        return self.answers[what]


class Traces:
    def __init__(self):
        self.written = []

    def write(self, trace):
        self.written.append(trace)


class Counting:
    """A house whose every touch of the world is counted."""

    def __init__(self, audit=None):
        self.model = Scripted(lambda brief: '{"sources": ["news"]}')
        self.engine = FakeEngine({"news": [[hit("1", 1.0)]]})
        self.audit, self.traces = audit or ListAudit(), Traces()
        models = {SelectForm.MODEL.value: self.model}
        self.house = house(
            catalog(source(), forms=FORMS),
            engine=self.engine,
            audit=self.audit,
            traces=self.traces,
            selectors=models,
            planners=models,
            rerankers=models,
        )

    @property
    def touched(self):
        return len(self.model.seen) + len(self.engine.ran) + len(self.traces.written)


def ask(own, governance, token="t", **more):
    more.setdefault("exposure", "ask")
    return asyncio.run(invoke(token, Ask(prompt="wing flutter", **more), own.house, governance))


def test_governance_is_asked_in_its_order_and_then_the_pipeline_runs():
    """Were a caller authorized before he is known, anybody could be anybody."""
    own, platform = Counting(), Platform()
    assert len(ask(own, platform).results) == 1
    assert platform.asked == [("authenticate", "t"), ("authorize", (ADA, "ask"))]
    assert own.touched


@pytest.mark.req("E004")
@pytest.mark.parametrize(
    ("platform", "reason", "who"),
    [
        (Platform(authenticate=unauthenticated(Denial.EXPIRED)), "EXPIRED", ""),
        (Platform(authorize=forbidden(Denial.NO_RULE)), "NO_RULE", "ada"),
        (Platform(authenticate=RuntimeError("a bug")), "INTERNAL", ""),
        (Platform(authorize=RuntimeError("a bug")), "INTERNAL", "ada"),
    ],
)
def test_a_denied_caller_costs_nothing_and_is_written_down(platform, reason, who):
    """A caller without rights could make us pay for models, and nobody would know he was there."""
    own = Counting()
    with pytest.raises((Refused, RuntimeError)):
        ask(own, platform, correlation="c-1")
    assert own.touched == 0
    (record,) = own.audit.records
    assert record["event"] == "esra.invocation.denied"
    assert (record["reason"], record["subject"]) == (reason, who)
    assert (record["correlation"], record["exposure"]) == ("c-1", "ask")
    assert "wing flutter" not in repr(record)


class Full:
    def write(self, records):
        raise AuditUnavailable("OSError")


@pytest.mark.req("E005")
@pytest.mark.parametrize(
    "platform", [Platform(), Platform(authenticate=unauthenticated(Denial.EXPIRED))]
)
def test_nothing_runs_when_the_audit_takes_no_record(platform):
    """What nobody can prove to have happened must not have happened."""
    own = Counting(audit=Full())
    with pytest.raises(Refused) as refused:
        ask(own, platform)
    assert refused.value.code is ErrorCode.AUDIT_UNAVAILABLE
    assert own.touched == 0


@pytest.mark.req("E006")
@pytest.mark.parametrize("given", ["", "client-7", "a\nb", "x" * 1000])
def test_every_record_carries_one_tenant_and_one_correlation(given):
    """An auditor could not put the records of one call together."""
    own = Counting()
    ask(own, Platform(), correlation=given)
    assert len(own.audit.records) > 3
    assert {record["tenant"] for record in own.audit.records} == {"acme"}
    (correlation,) = {record["correlation"] for record in own.audit.records}
    assert correlation == given if given == "client-7" else len(correlation) == 16


def test_a_local_caller_is_marked_and_a_token_does_not_make_one():
    """The audit would call somebody local who came over a network."""
    own = Counting()
    local = LocalGovernance(own.house.catalog)
    ask(own, local, token=None)
    assert {record["identity"] for record in own.audit.records} == {"local"}
    with pytest.raises(Refused) as refused:
        ask(own, local, token="")
    assert refused.value.code is ErrorCode.UNAUTHENTICATED
