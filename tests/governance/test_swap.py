"""Governance stands around the pipeline: it can be exchanged whole, and the pipeline has none."""

import asyncio
from contextlib import contextmanager
from dataclasses import replace

import pytest

from esra.domain.codes import Denial
from esra.domain.invocation import Caller, Identity, Principal
from esra.domain.outcome import Refused
from esra.governance.audit import ListAudit
from esra.governance.refusals import forbidden, unauthenticated
from esra.ports import AuditUnavailable, Step
from esra.serve.invoke import Ask, invoke
from tests.guard.house import House, finds, read_house, within
from tests.house import catalog, hit, house, source

GOVERNING = (Step.AUTHENTICATE, Step.AUTHORIZE, Step.AUDIT)
# What decides who may do what. The pipeline's doors (admission, closing) and its services (cache,
# clock, gates, store, audit) decide nothing of the kind.
DECIDING = tuple(
    f"esra.governance.{name}"
    for name in (
        "tokens",
        "compact",
        "keys",
        "jwks",
        "claims",
        "groups",
        "policy",
        "platform",
        "local",
        "network",
        "chosen",
        "denial",
        "refusals",
        "secrets",
    )
)
MAY = ("esra.governance", "esra.wiring", "esra.serve", "esra.cli", "esra.doctor")


def own_rules(house: House) -> list[str]:
    """Modules of the pipeline that reach for what decides who may do what, or check tokens."""
    return [
        f"{module.name} imports {name}"
        for module in house.values()
        if not within(module.name, *MAY)
        for name in module.imports
        if within(name, *DECIDING) or within(name, "joserfc", "jwt", "authlib")
    ]


@pytest.mark.req("E003")
def test_the_pipeline_has_no_rules_of_its_own():
    """Rules in two places are two rules; one of them is the one nobody changed."""
    assert own_rules(read_house()) == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("esra.stages.scope", "from esra.governance.policy import decide"),
        ("esra.pipeline", "from esra.governance import tokens"),
        ("esra.providers.base", "import joserfc.jwt"),
        ("esra.llm.local", "def late():\n    from esra.governance.platform import govern"),
    ],
)
def test_a_planted_rule_is_found(name, text):
    """If the guard were blind to one of these, the wall would be a drawing."""
    assert finds(own_rules, name, text)


class Any:
    """Some other platform: any name is a principal, and it grants what it was made with."""

    def __init__(self, *, refuse=None, **grant):
        self.refuse, self.grant = refuse or {}, grant

    async def authenticate(self, token):
        self._maybe("authenticate")
        return Principal(tenant="acme", subject=token, identity=Identity.TOKEN)

    async def authorize(self, principal, exposure):
        self._maybe("authorize")
        return Caller(
            tenant=principal.tenant,
            subject=principal.subject,
            identity=Identity.TOKEN,
            **self.grant,
        )

    async def visible(self, principal):
        return ()

    def _maybe(self, step):
        if step in self.refuse:
            raise self.refuse[step]


class Watched:
    """A house of two sources, whose steps are heard."""

    def __init__(self, **more):
        self.steps = []
        known = catalog(source("news"), source("law"))
        script = {"news": [[hit("1", 1.0)]], "law": [[hit("2", 1.0, source="law")]]}
        self.house = replace(house(known, script, **more), watch=self._watch)

    @contextmanager
    def _watch(self, step):
        self.steps.append(step)
        yield

    def ask(self, governance, **more):
        asked = Ask(exposure="ask", prompt="wing flutter", **more)
        return asyncio.run(invoke("ada", asked, self.house, governance))


@pytest.mark.req("E003")
def test_the_pipeline_does_what_any_platform_grants():
    """A platform that is exchanged would find its decisions overruled, or its grants ignored."""
    sources = [
        {result.source for result in Watched().ask(Any(sources=granted)).results}
        for granted in (None, frozenset({"news"}), frozenset({"law", "absent"}))
    ]
    assert sources == [{"news", "law"}, {"news"}, {"law"}]
    own = Watched()
    own.ask(Any())
    assert {record["subject"] for record in own.house.audit.records} == {"ada"}


@pytest.mark.req("E004")
@pytest.mark.parametrize(
    ("governance", "steps"),
    [
        (Any(refuse={"authenticate": unauthenticated(Denial.EXPIRED)}), GOVERNING[:1]),
        (Any(refuse={"authorize": forbidden(Denial.NO_RULE)}), GOVERNING[:2]),
    ],
)
def test_no_stage_begins_for_a_denied_caller(governance, steps):
    """A stage that ran has read what the caller may not make us read."""
    own = Watched()
    with pytest.raises(Refused):
        own.ask(governance)
    assert tuple(own.steps) == steps
    assert [record["event"] for record in own.house.audit.records] == ["esra.invocation.denied"]


class Failing(ListAudit):
    """Takes records until the one of that number."""

    def __init__(self, number):
        super().__init__()
        self.number = number

    def write(self, records):
        self.number -= 1
        if self.number < 0:
            raise AuditUnavailable("OSError")
        super().write(records)


@pytest.mark.req("E005")
def test_a_failing_audit_runs_no_stage_and_withholds_an_answer():
    """An answer that left without its record has never happened, as far as anybody can show."""
    for taken, last in ((0, Step.AUDIT), (1, Step.RESPOND)):
        own = Watched(audit=Failing(taken))
        with pytest.raises(Refused, match="ESRA_AUDIT_UNAVAILABLE"):
            own.ask(Any())
        assert own.steps[-1] is last


@pytest.mark.req("E006")
def test_a_denial_and_an_answer_are_found_under_the_callers_own_id():
    """Nobody could say what became of the call that a user complains about."""
    own = Watched()
    own.ask(Any(), correlation="ticket-7")
    with pytest.raises(Refused):
        own.ask(Any(refuse={"authorize": forbidden(Denial.NO_RULE)}), correlation="ticket-7")
    records = own.house.audit.records
    assert {(record["tenant"], record["correlation"]) for record in records} == {
        ("acme", "ticket-7")
    }
    assert records[-1]["event"] == "esra.invocation.denied"
