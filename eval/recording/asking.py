"""A model behind its ports, asked for a recording: from what is kept, else asked, billed and kept.

Two equal askings under way are one. An answer is kept when the stage could use it, so that a bad
one is asked for again. What was asked is waited for even where the caller has given up: it is paid.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from esra.briefs import PlanBrief, RerankBrief, SelectBrief
from esra.domain.usage import Usage
from esra.ports import House, Reply, Trouble
from esra.reply import Unusable
from esra.stages.plan import admit_plan
from esra.stages.rerank import admit_scores
from esra.stages.select import admit_selection
from eval.recording.answers import Answers, Brief, result_ids
from eval.recording.bill import Bill

PAID = "model"  # the form whose askings leave this machine
Ask = Callable[[Any], Awaitable[Reply]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What all askings of one recording share.

    answers: None where nothing may be kept; draw: which of several recordings of the same
    expected: what an asking will cost, before it is made
    """

    bill: Bill
    answers: Answers | None = None
    draw: int = 0
    expected: Callable[[str, Brief], Usage] = lambda step, brief: Usage()
    flying: dict[bytes, "asyncio.Task[Reply]"] = field(default_factory=dict)
    tasks: set["asyncio.Task[Reply]"] = field(default_factory=set)

    def seated(self, house: House) -> House:
        """The house whose paid models are asked through this desk."""
        return replace(
            house,
            selectors=self._seated(house.selectors, "select"),
            planners=self._seated(house.planners, "plan"),
            rerankers=self._seated(house.rerankers, "rerank"),
        )

    async def rest(self) -> None:
        """Waits for every asking that is under way."""
        await asyncio.gather(*self.tasks, return_exceptions=True)

    def _seated(self, models: Mapping[str, Any], step: str) -> dict[str, Any]:
        return {
            form: Asking(model, step, self) if form == PAID else model
            for form, model in models.items()
        }


class Asking:
    """One paid model of one step."""

    def __init__(self, model: Any, step: str, desk: Desk) -> None:
        self._model, self._step, self._desk = model, step, desk

    @property
    def identity(self) -> str:
        return self._model.identity

    async def select(self, brief: SelectBrief) -> Reply:
        return await self._reply(brief, self._model.select)

    async def plan(self, brief: PlanBrief) -> Reply:
        return await self._reply(brief, self._model.plan)

    async def rerank(self, brief: RerankBrief) -> Reply:
        return await self._reply(brief, self._model.rerank)

    async def _reply(self, brief: Brief, ask: Ask) -> Reply:
        desk, answers = self._desk, self._desk.answers
        if answers is None:
            return await self._begun(None, brief, ask)
        key = answers.key(self.identity, self._step, desk.draw, brief)
        while key in desk.flying:
            await asyncio.wait([desk.flying[key]])
        known = answers.read(key, brief)
        if known is not None:
            desk.bill.kept += 1
            return known
        return await self._begun(key, brief, ask)

    async def _begun(self, key: bytes | None, brief: Brief, ask: Ask) -> Reply:
        desk = self._desk
        reserved = desk.bill.reserve(desk.expected(self._step, brief))
        task = asyncio.create_task(self._asked(key, brief, ask, reserved))
        desk.tasks.add(task)
        task.add_done_callback(self._over)
        if key is not None:
            desk.flying[key] = task
            task.add_done_callback(lambda _: desk.flying.pop(key, None))
        return await asyncio.shield(task)

    def _over(self, task: asyncio.Task[Reply]) -> None:
        self._desk.tasks.discard(task)
        if not task.cancelled():
            task.exception()  # looked at, since whoever asked may have given up

    async def _asked(self, key: bytes | None, brief: Brief, ask: Ask, reserved: Usage) -> Reply:
        usage: Usage | None = None
        try:
            reply = await ask(brief)
            usage = reply.usage
        except Trouble as trouble:
            usage = trouble.usage
            raise
        finally:
            self._desk.bill.settle(reserved, usage)
        if key is not None and self._desk.answers is not None and usable(reply.text, brief):
            self._desk.answers.write(key, brief, reply)
        return reply


def usable(text: str, brief: Brief) -> bool:
    """Whether the stage would take the text."""
    try:
        match brief:
            case SelectBrief():
                admit_selection(text, brief)
            case PlanBrief():
                admit_plan(text, brief.ceiling)
            case RerankBrief():
                admit_scores(text, frozenset(result_ids(brief)))
    except Unusable:
        return False
    return True
