"""A replay under a lower query ceiling is the runtime under it: engines, planners and floats."""

import asyncio
import json
import os
import random
from dataclasses import replace
from hashlib import sha256

import pytest

from esra.domain.capability import Forms, PlanForm, RerankForm
from esra.governance.admission import admit
from esra.llm.planner import LocalPlanner
from esra.llm.scripted import Scripted
from esra.pipeline import retrieve
from eval import bulk
from eval.record import OneTrace
from eval.replay import echo, planned_anew, recorded, replay
from eval.search.cost import queries_a_call
from tests.house import catalog, house, request, scoring
from tests.replay.engines import NAMES, WORDS, in_memory, in_postgres, library

RECORDED = 8  # what the local planner makes of a question here: no lower ceiling is recorded
LIBRARIES, QUESTIONS = (12, 25) if os.environ.get("ESRA_LONG") else (2, 6)


def judged(brief):
    """A model without dice that reads all it is shown: another fragment would be another score."""
    scores = [
        (c.resultId, sha256("\0".join((c.title, *c.fragments)).encode()).digest()[0] / 255)
        for c in brief.candidates
    ]
    return json.dumps([{"resultId": id, "score": score} for id, score in scores])


def numbers_of(r, ceilings):
    own = {
        name: {
            "priority": r.uniform(0.1, 10),
            "half_life": r.choice([None, r.uniform(100, 9000)]),
            "ceiling": ceiling,
        }
        for name, ceiling in zip(NAMES, ceilings, strict=True)
    }
    return scoring(
        semantic_weight=r.random() + 0.1,
        lexical_weight=r.random(),
        match_bonus=r.uniform(0, 0.1),
        bonus_cap=r.uniform(0, 0.5),
        shortlist=200,
        own=own,
    )


async def answered(prompt, numbers, own, provider, plan):
    """What the runtime answers under some numbers, as a recording."""
    sink = OneTrace()
    forms = Forms(plan=plan, rerank=RerankForm.MODEL)
    home = house(
        catalog(*own.sources, forms=forms, scoring=numbers),
        planners={"local": LocalPlanner()},
        rerankers={"model": Scripted(judged)},
        traces=sink,
    )
    home = replace(home, providers={"own": provider})
    await retrieve(admit(request(prompt, now=1.8e9), home), home)
    return recorded(prompt, json.loads(json.dumps(sink.trace)))


async def both(own, provider, plan, seed):
    """(recorded under a high ceiling, the lower numbers, answered live under those) each."""
    r = random.Random(seed)
    found = []
    for _ in range(QUESTIONS):
        prompt = " ".join(r.sample(WORDS, r.randint(1, 4)))
        high = numbers_of(r, [RECORDED] * len(NAMES))
        low = numbers_of(r, [r.randint(1, 4) for _ in NAMES])
        found.append(
            (
                await answered(prompt, high, own, provider, plan),
                low,
                await answered(prompt, low, own, provider, plan),
            )
        )
    if hasattr(provider, "close"):
        await provider.close()
    return found


def hold(found):
    """Each replay, alone and in bulk, is the live answer; the work is what really ran."""
    for place, (high, low, live) in enumerate(found):
        assert echo(high)
        assert echo(live)
        assert not high.modelled
        again = tuple((r.candidate.hit.id, r.final) for r in replay(high, low))
        assert again == live.ranking, place
        laid = bulk.lay_out([high])
        ordered = bulk.order(laid, low, cut=True)
        assert [(laid.ids[at], ordered.final[at]) for at in ordered.ranking(0)] == list(
            live.ranking
        )
        assert queries_a_call([high], [low]) == [len(live.answers)]
        assert bulk.coverage(laid, low) == 1.0
    fewer = [len(live.answers) < len(high.answers) for high, _, live in found]
    shorter = [len(live.ranking) < len(high.ranking) for high, _, live in found]
    assert any(fewer)
    assert any(shorter)


@pytest.mark.req("U12", "W52")
@pytest.mark.parametrize("plan", [PlanForm.TEMPLATE, PlanForm.LOCAL])
@pytest.mark.parametrize("seed", range(LIBRARIES))
def test_a_lower_ceiling_is_replayed_as_memory_answers_it(seed, plan):
    """Queries would be saved in production at a quality that nobody measured."""
    own = library(seed)
    hold(asyncio.run(both(own, in_memory(own), plan, seed)))


@pytest.mark.req("U12", "W52")
@pytest.mark.parametrize("plan", [PlanForm.TEMPLATE, PlanForm.LOCAL])
@pytest.mark.parametrize("seed", range(LIBRARIES))
def test_a_lower_ceiling_is_replayed_as_postgres_answers_it(seed, plan, database):
    """An engine's own scores, of other queries beside them, would be other than was replayed."""
    own = library(100 + seed)
    hold(asyncio.run(both(own, in_postgres(own, database), plan, seed)))


def test_a_plan_that_a_language_model_made_is_told_apart():
    """A model that is told another ceiling may plan otherwise: its replay is a prediction."""
    own = library(1)
    r = random.Random(1)
    one = asyncio.run(
        answered("wing", numbers_of(r, [3, 3]), own, in_memory(own), PlanForm.TEMPLATE)
    )
    modelled = replace(one, modelled=frozenset({"a"}))
    assert not planned_anew(modelled, numbers_of(r, [3, 1]))
    assert planned_anew(modelled, numbers_of(r, [2, 3]))
    assert not planned_anew(one, numbers_of(r, [2, 1]))
