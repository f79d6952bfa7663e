"""Unique markers in everything that must not leave; then every way out is read for them."""

import asyncio
import itertools
import json
import logging
from dataclasses import replace

import pytest

from esra.domain.capability import Forms, PlanForm, RerankForm, SelectForm
from esra.domain.codes import FailureCode
from esra.domain.hit import NativeHit, RecordId
from esra.domain.invocation import Caller, Identity, Mode, Retention
from esra.domain.outcome import Failed, Refused
from esra.domain.plan import Strategy
from esra.domain.source import Field, Mapping, Masking, Relation, Source
from esra.governance.admission import admit
from esra.governance.audit import ListAudit
from esra.llm.scripted import Scripted
from esra.pipeline import retrieve
from esra.ports import Capabilities, Trouble
from esra.providers.base import BaseProvider
from esra.show import as_json, as_text
from tests.house import FakeEngine, ask, catalog, house, request
from tests.pipeline.test_pipeline import clever

# What no model, response, warning or audit record may hold.
NEVER = {
    "schema": "canaryschema",
    "table": "canarytable",
    "column": "canarycolumn",
    "key": "canarykey",
    "restricted": "canaryrestricted",
    "masked": "canarymasked",
    "claim": "canaryclaim",
}
NATIVE = 0.739182640517  # twelve digits that occur nowhere else


def marked(id: str) -> Source:
    relation = Relation(
        schema=NEVER["schema"],
        table=NEVER["table"],
        key="canarycolumn_key",
        title="canarycolumn_title",
        text="canarycolumn_text",
        vector="canarycolumn_vector",
    )
    fields = (
        Field(name="author", column="canarycolumn_a", returnable=True),
        Field(name="salary", column="canarycolumn_s", returnable=True, restricted=True),
        Field(name="iban", column="canarycolumn_i", returnable=True, masking=Masking.ALL),
    )
    mapping = Mapping(id="docs", name="Docs", description="", relation=relation, fields=fields)
    return Source(id=id, name=id.title(), provider="fake", mappings=(mapping,), description="about")


def hits(source: str) -> list[NativeHit]:
    """Rows of an engine that returns more than it was asked for."""
    return [
        NativeHit(
            id=RecordId(source, "docs", f"{NEVER['key']}-{n}"),
            native=NATIVE * (n + 1),
            title=f"Title {n}",
            fragment="Some text.",
            fields=(
                ("author", "A"),
                ("salary", NEVER["restricted"]),
                ("iban", NEVER["masked"]),
                ("unmapped", NEVER["restricted"]),
            ),
        )
        for n in range(3)
    ]


def run(*, lost: frozenset[str], mode: Mode):
    """Everything that came out of one invocation, by the way it took."""

    def answer(brief):
        if type(brief).__name__ in lost:
            raise Trouble("down")
        return clever(brief)

    model, audit = Scripted(answer), ListAudit()
    script = {"a": [hits("a"), hits("a")], "b": [hits("b")]}
    if "engine" in lost:
        script["b"] = [Failed(code=FailureCode.CONNECTION_REFUSED)]
    known = catalog(
        marked("a"),
        marked("b"),
        forms=Forms(select=SelectForm.MODEL, plan=PlanForm.MODEL, rerank=RerankForm.MODEL),
        exposure={"modes": frozenset({"brief", "full", "explain"})},
    )
    ports = {"selectors": {"model": model}, "planners": {"model": model}}
    own = house(
        known,
        engine=FakeEngine(script),
        audit=audit,
        retention=Retention.FULL,
        rerankers={"model": model},
        **ports,
    )
    caller = Caller(
        tenant="t", subject="s", identity=Identity.LOCAL, claims=(("team", (NEVER["claim"],)),)
    )
    asked = request(mode=mode, caller=caller)
    response = asyncio.run(retrieve(admit(asked, own), own))
    return {
        "prompts": repr(model.seen),
        "response": json.dumps(as_json(response)) + as_text(response),
        "audit": json.dumps(audit.records),
    }


STEPS = ("SelectBrief", "PlanBrief", "RerankBrief", "engine")


@pytest.mark.req("E034", "E056", "E072", "E145", "E146", "E147")
@pytest.mark.parametrize("mode", list(Mode))
def test_no_marker_leaves_by_any_way_whatever_fails(mode, caplog):
    """Else a schema, a key, a restricted value or a score would reach who must not see it."""
    with caplog.at_level(logging.DEBUG):
        for count in range(len(STEPS) + 1):
            for lost in itertools.combinations(STEPS, count):
                out = run(lost=frozenset(lost), mode=mode)
                out["log"] = caplog.text
                for (way, text), marker in itertools.product(out.items(), NEVER.values()):
                    assert marker not in text, (way, marker, lost)
                shown = [way for way, text in out.items() if "739182640517" in text]
                assert shown == (["response"] if mode is Mode.EXPLAIN and _found(out) else [])


def _found(out) -> bool:
    return '"native"' in out["response"]


class Talkative(BaseProvider[str]):
    """An engine whose driver says in its errors what nobody may read."""

    capabilities = Capabilities(strategies=frozenset(Strategy))
    said = "connection to canaryhost as canaryuser with canarypassword failed: canarytable"

    def render(self, content):
        return ""

    async def fetch(self, command, content):
        raise RuntimeError(self.said)

    def classify(self, trouble):
        logging.getLogger("esra.test").warning("raw: %s", trouble)
        return FailureCode.UNKNOWN


@pytest.mark.req("E162")
def test_what_a_driver_says_is_in_the_log_and_nowhere_else(caplog):
    """Else a host, an account or a table would reach a caller through an error."""
    audit = ListAudit()
    response = ask(house(catalog(marked("a")), engine=Talkative(), audit=audit))
    assert Talkative.said in caplog.text
    out = json.dumps(as_json(response)) + as_text(response) + json.dumps(audit.records)
    assert "canary" not in out
    assert {(w.code.value, w.detail) for w in response.warnings} == {
        ("ESRA_SOURCE_FAILED", "UNKNOWN")
    }


def test_the_markers_would_be_seen():
    """Else the test above would be a search for nothing."""
    out = run(lost=frozenset(), mode=Mode.EXPLAIN)
    assert "739182640517" in out["response"]
    assert "Title 0" in out["response"]
    assert "Some text." in out["prompts"]
    assert '"***"' in out["response"]


def test_a_refusal_says_nothing_of_what_was_refused():
    """Else an error message would carry what the answer may not."""
    known = catalog(marked("a"))
    nobody = replace(request().caller, sources=frozenset())
    own = house(known)
    with pytest.raises(Refused) as refused:
        asyncio.run(retrieve(admit(request(caller=nobody), own), own))
    assert not any(marker in str(refused.value) for marker in NEVER.values())
