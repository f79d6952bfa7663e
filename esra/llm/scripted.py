"""A model that answers from a script: for tests, notebooks and trying out what a bad model does.

It stands behind the same three ports as any other, and its text passes the same admit functions.
"""

from collections.abc import Callable

from esra.briefs import PlanBrief, RerankBrief, SelectBrief
from esra.ports import Reply


class Scripted:
    """``answer`` turns a brief into text; every brief it saw is kept in ``seen``."""

    def __init__(
        self,
        answer: Callable[[SelectBrief | PlanBrief | RerankBrief], str],
        identity: str = "scripted",
    ) -> None:
        self._answer = answer
        self.identity = identity
        self.seen: list[SelectBrief | PlanBrief | RerankBrief] = []

    def _reply(self, brief: SelectBrief | PlanBrief | RerankBrief) -> Reply:
        self.seen.append(brief)
        return Reply(text=self._answer(brief))

    async def select(self, brief: SelectBrief) -> Reply:
        return self._reply(brief)

    async def plan(self, brief: PlanBrief) -> Reply:
        return self._reply(brief)

    async def rerank(self, brief: RerankBrief) -> Reply:
        return self._reply(brief)
