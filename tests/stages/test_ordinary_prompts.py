"""Ordinary prompts full of code, flags, paths and tables lose no query to the validator."""

import asyncio

import pytest

from esra.domain.capability import Forms, PlanForm
from esra.llm.planner import LocalPlanner
from esra.sources.relation import asked_spellings, words
from esra.stages.plan import plan_searches
from esra.stages.validate import separated, validate_plans
from tests.house import FakeEngine, call, scope, scoped, source
from tests.stages.prompts import KINDS, ordinary

SOURCES = (source("news"), source("law", mappings=("a", "b")))
ENGINE = {"fake": FakeEngine({})}


def test_there_are_six_hundred_and_half_of_them_would_be_rejected_as_they_are():
    """Else the set would not try what it is for."""
    prompts = ordinary()
    assert len({prompt for _, prompt in prompts}) == len(prompts) == 600
    assert len(KINDS) == 12
    assert sum(separated(prompt) for _, prompt in prompts) > 300


@pytest.mark.parametrize("form", [PlanForm.TEMPLATE, PlanForm.LOCAL])
def test_template_and_local_planner_lose_none(form):
    """Else the seed's rule about separators would cost people their questions (RULINGS 14)."""
    own = scope(*SOURCES, forms=Forms(plan=form))
    chosen = tuple(scoped(one) for one in SOURCES)
    for kind, prompt in ordinary():
        asked = call(prompt)
        planners = {"local": LocalPlanner()}
        plans = asyncio.run(plan_searches(asked, own, chosen, planners, ENGINE, 5.0))
        assert plans.warnings == (), kind
        outcome = validate_plans(asked, plans.value, chosen, own, ENGINE)
        assert outcome.warnings == (), (kind, prompt)
        assert len(outcome.value) == 5, kind
        keyword = next(q for q in plans.value[0].queries if q.optional)
        assert set(keyword.optional) <= {*words(prompt), *asked_spellings(prompt)}
        assert "failed" not in prompt or "failed" in keyword.optional
