"""Who is let in, and how an engine fails and is left, in every engine."""

import asyncio
import copy
import pickle
from dataclasses import replace

import pytest

from esra._check import NotSealed
from esra.domain.codes import FailureCode
from esra.domain.outcome import Failed
from esra.sealed import ValidatedQuery
from tests.providers.asking import TREES, Asking, keys
from tests.providers.queries import content, query


class Door(Asking):
    """The part of the contract; ``engine`` is the subclass's fixture."""

    @pytest.mark.req("E080", "E081")
    def test_only_a_sealed_query_is_run(self, engine):
        """Something that no validator saw would reach the engine."""
        relation = engine.stock(TREES)
        real = query(relation, optional=("tree",))
        bare = object.__new__(ValidatedQuery)
        unmarked = object.__new__(ValidatedQuery)
        object.__setattr__(unmarked, "_content", content(relation, optional=("tree",)))
        changed = query(relation, optional=("tree",))
        object.__setattr__(changed, "_content", content(relation, optional=("moss",)))
        moved = query(relation, optional=("moss",))
        object.__setattr__(moved, "_tag", real._tag)
        for forged in (
            content(relation, optional=("tree",)),
            bare,
            unmarked,
            changed,
            moved,
            "select 1",
            None,
        ):
            with pytest.raises(NotSealed):
                asyncio.run(engine.provider.run(forged))
        assert len(asyncio.run(engine.provider.run(real))) == 3

    @pytest.mark.req("E080")
    def test_a_sealed_query_cannot_be_multiplied(self, engine):
        """A copy with other content would carry a seal it never got."""
        real = query(engine.stock(TREES), optional=("tree",))
        for attempt in (
            copy.copy,
            copy.deepcopy,
            pickle.dumps,
            replace,
            lambda q: type(q)(),
            lambda q: type("Like", (type(q),), {}),
            lambda q: setattr(q, "_content", None),
        ):
            with pytest.raises((TypeError, AttributeError)):
                attempt(real)

    def test_a_relation_that_is_not_there_is_a_code(self, engine):
        """A renamed table would look like an empty one."""
        relation = replace(engine.stock(TREES), table="nowhere")
        assert self.ask(engine, relation, optional=("tree",)) == Failed(
            code=FailureCode.RELATION_NOT_FOUND
        )

    def test_a_cancelled_caller_gets_his_cancellation(self, engine):
        """A provider that swallows cancellation keeps a closed program alive."""
        relation = engine.stock(TREES)

        async def cancelled():
            task = asyncio.ensure_future(engine.provider.run(query(relation, optional=("tree",))))
            await asyncio.sleep(0)
            task.cancel()
            await task

        with pytest.raises(asyncio.CancelledError):
            asyncio.run(cancelled())
        assert len(self.ask(engine, relation, optional=("tree",))) == 3

    def test_every_strategy_it_names_it_runs(self, engine):
        """The planner would be told of a strategy that the engine cannot run."""
        trees = engine.stock(TREES)
        for strategy in engine.provider.capabilities.strategies:
            assert self.found(engine, trees, strategy=strategy, required=("moss",)) == {"moss"}

    @pytest.mark.req("E122")
    def test_queries_that_ask_for_one_snapshot_have_it_or_are_told(self, engine):
        """An engine that has none would answer as if it had."""
        trees = engine.stock(TREES)
        asked = [query(trees, optional=("moss",), query=number, snapshot=2) for number in (0, 1)]

        async def both():
            return await asyncio.gather(*map(engine.provider.run, asked))

        unavailable = Failed(code=FailureCode.SNAPSHOT_ISOLATION_UNAVAILABLE)
        answers = asyncio.run(both())
        if engine.provider.capabilities.snapshots:
            assert [keys(answer) for answer in answers] == [["moss"], ["moss"]]
        else:
            assert answers == [unavailable, unavailable]
