"""Where a model planned, its kept answer is the plan that is asked again, and nobody is paid."""

import asyncio
import json
from dataclasses import replace

import pytest

from esra.domain.capability import Forms, PlanForm
from esra.domain.source import Limits
from esra.governance.audit import ListAudit
from esra.governance.clock import SystemClock
from esra.llm.scripted import Scripted
from esra.ports import House
from eval import record
from eval.misses import Cause, cause
from eval.record import Question
from eval.recording.answers import Answers
from eval.recording.asking import Desk
from eval.recording.bill import Bill, Most
from eval.recording.engines import Engines, FromKept
from tests.misses.shelf import ASKED, OTHER, STOCK, Memory, Scene

# Once this word, then that: a model never says the same thing twice.
WORDS = ("wing", "boundary")


@pytest.mark.req("W57")
@pytest.mark.parametrize("kept", [True, False], ids=["kept", "not-kept"])
def test_a_models_plan_is_asked_again_as_it_was_kept(tmp_path, kept):
    """A recording would pay for every question twice, or tell what another plan finds."""
    engine, said = Memory(), iter(WORDS * 2)

    def plan(brief):
        query = {"mapping": "docs", "strategy": "keyword", "optional": [next(said)]}
        return json.dumps({"queries": [query]})

    model = Scripted(plan)
    scene = Scene(
        relation=engine.stock(STOCK),
        source={"limits": Limits(rows=2)},
        capability={"forms": Forms(plan=PlanForm.MODEL)},
    )
    catalog = scene.catalog(engine.stock([OTHER]))
    only = replace(catalog, exposures=(replace(catalog.exposures[0], sources=frozenset({"news"})),))
    house = House(
        catalog=only,
        providers={"engine": engine.provider()},
        audit=ListAudit(),
        clock=SystemClock(),
        planners={"model": model},
    )
    question, judged = Question(id="q", text="which wing"), {"q": {("news", "right"): 1}}

    async def go(answers):
        desk = Desk(bill=Bill(Most()), answers=answers)
        trace = await record.answer(question, ASKED, desk.seated(house))
        free = {"model": FromKept(model.identity, answers)}
        engines = Engines(house=house, exposure=ASKED, planners=free)
        return trace, await engines.look([question], {"q": trace}, judged)

    answers = Answers(tmp_path / "answers.sqlite", b"k" * 32) if kept else None
    try:
        trace, known = asyncio.run(go(answers))
    finally:
        if answers is not None:
            answers.close()
    assert len(model.seen) == 1
    wanted = Cause.BELOW_ROW_CAP if kept else Cause.NOT_KNOWN
    assert cause(trace, "q", ("news", "right"), 10, known) is wanted
