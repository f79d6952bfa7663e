"""Thousands of hostile replies to each step: nothing outside the scope is searched, used or shown.

ESRA_LONG tries 5,000 a step, otherwise 500. All are seeded, so that a failure can be run again.
"""

from __future__ import annotations

import asyncio
import json
import math
import os
import random
from dataclasses import replace

import pytest

from esra._check import check
from esra.domain.capability import Presence
from esra.domain.codes import WarningCode
from esra.domain.response import Status
from esra.domain.source import Operator
from esra.governance.admission import admit
from esra.llm.openai.fence import fenced, unfenced
from esra.llm.scripted import Scripted
from esra.pipeline import retrieve
from tests.house import FakeEngine, catalog, field, hit, house, request, source
from tests.llm.double import MODELS, STEPS, step_of, wise_reply
from tests.llm.hostile import hostile

MANY = 5_000 if "ESRA_LONG" in os.environ else 500
FIELDS = (
    field("year", filterable=True, operators=frozenset({Operator.EQ, Operator.GTE})),
    field("note"),
    field("salary", restricted=True, filterable=True, operators=frozenset(Operator)),
)
SOURCES = (
    source("news", fields=FIELDS),
    source("law", mappings=("docs", "rulings"), fields=FIELDS),
    source("payroll", fields=FIELDS),  # this caller may not search it
    source("far", fields=FIELDS, enabled=False),
)
KNOWN = catalog(*SOURCES, forms=MODELS, presence={"news": Presence.MANDATORY})
HITS = {
    "news": ([hit("a", 1.0), hit("b", 3.0), hit("c", 2.0)],) * 3,
    "law": ([hit("x", 0.5, source="law"), hit("y", 0.9, source="law")],) * 3,
    "payroll": ([hit("SECRET", 9.0, source="payroll")],) * 3,
    "far": ([hit("SECRET", 9.0, source="far")],) * 3,
}
TITLES = {"news": {"title a", "title b", "title c"}, "law": {"title x", "title y"}}
MAY_WARN = {
    "select": {WarningCode.SELECTION_FALLBACK},
    "plan": {WarningCode.PLANNING_FALLBACK, WarningCode.PLAN_REJECTED},
    "rerank": {WarningCode.RERANK_FALLBACK, WarningCode.RERANK_INCOMPLETE},
}


class Witness(FakeEngine):
    """Keeps the content of every query that reached it."""

    def __init__(self) -> None:
        super().__init__(HITS)
        self.contents = []

    async def run(self, query):
        self.contents.append(check(query))
        return await super().run(query)


OTHERS = {
    "select": '{"sources": ["law", "payroll"]}',
    "plan": '{"queries": [{"mapping": "docs", "strategy": "keyword", "optional": ["wing"]}]}',
    "rerank": '{"scores": [{"resultId": "0", "score": 1.0}]}',
}


def model(bad: str, seed: int) -> tuple[Scripted, list[str]]:
    """A model that is hostile once, in one step, and what it said there."""
    dice, said = random.Random(f"{bad} {seed}"), []

    def answer(brief) -> str:
        data = unfenced(fenced(brief))
        honest = wise_reply(data)
        if step_of(data) != bad or said:
            return honest
        other = OTHERS[dice.choice([step for step in STEPS if step != bad])]
        said.append(hostile(honest, other, dice))
        return said[-1]

    return Scripted(answer), said


async def once(bad: str, seed: int):
    speaker, said = model(bad, seed)
    engine = Witness()
    ports = {"model": speaker}
    own = house(KNOWN, engine=engine, selectors=ports, planners=ports, rerankers=ports)
    caller = replace(request().caller, sources=frozenset({"news", "law", "far"}))
    response = await retrieve(admit(request(caller=caller), own), own)
    return response, engine, said, own.audit.records


def check_queries(contents) -> None:
    for content in contents:
        known = next(s for s in SOURCES if s.id == content.source)
        assert content.source in ("news", "law")
        assert known.mapping(content.mapping) is not None
        assert {bound.column for bound in content.filters} <= {"hidden_year"}
        assert {bound.operator for bound in content.filters} <= {Operator.EQ, Operator.GTE}
        assert {shown.name for shown in content.projection} <= {"year", "note"}
        assert 1 <= content.rows <= known.limits.rows


def check_response(bad: str, response) -> None:
    for result in response.results:
        assert result.title in TITLES[result.source]
        assert math.isfinite(result.score)
    codes = {warning.code for warning in response.warnings}
    assert codes <= MAY_WARN[bad]
    assert (response.status is Status.DEGRADED) is bool(codes)


@pytest.mark.req("E035", "E036", "E038", "E058", "E062", "E164")
@pytest.mark.parametrize("bad", STEPS)
def test_no_reply_reaches_outside_the_scope(bad: str):
    """Else whoever writes a model's words, a document say, could read what the caller may not."""

    async def run() -> int:
        warned = 0
        for seed in range(MANY):
            response, engine, said, audit = await once(bad, seed)
            check_queries(engine.contents)
            check_response(bad, response)
            assert "news" in {content.source for content in engine.contents} or bad == "plan"
            if bad == "rerank":
                assert len(response.results) == 5
            assert "SECRET" not in repr(response) + json.dumps(audit)
            assert len(said) == 1
            warned += bool(response.warnings)
        return warned

    # Neither all harmless nor all refused outright: both would test little.
    assert MANY * 0.2 < asyncio.run(run()) < MANY * 0.95
