"""On a live server: what shares a snapshot sees one state, and is told so where that is lost."""

import asyncio
import contextlib
import itertools
import json

import pytest

from esra._check import check
from esra.domain.capability import Forms, PlanForm
from esra.domain.codes import FailureCode
from esra.domain.hit import Hits
from esra.domain.outcome import Failed
from esra.domain.plan import Strategy
from esra.domain.source import FieldType, Mapping, Operator, Source
from esra.llm.scripted import Scripted
from esra.ports import Capabilities
from esra.providers.base import BaseProvider
from esra.providers.postgres import PostgresProvider
from esra.providers.postgres import snapshot as module
from esra.providers.postgres.errors import SnapshotLost
from esra.providers.postgres.pool import CLEANING
from tests.house import ask, catalog, house
from tests.providers.asking import keys
from tests.providers.queries import query, record, where
from tests.providers.traps import trap

LOST = Failed(code=FailureCode.SNAPSHOT_ISOLATION_UNAVAILABLE)
_NAMES = itertools.count()


@pytest.fixture
def role(shop):
    """A role of one test's own, so that its backends can be told from others."""
    name = f"shop_snapshot_{next(_NAMES)}"
    shop.role(name)
    return name


@pytest.fixture
def stocked(shop, role):
    relation = shop.stock([record("old", "word")])
    shop.offer(relation.table, role)
    return relation


def add(shop, relation, key: str) -> None:
    shop.run(
        f"INSERT INTO shelf.{relation.table} (id, name, body, lexemes)"
        " VALUES (%s, '', 'word', to_tsvector('english', 'word'))",
        [key],
    )


def shared(relation, number: int, *, of: int = 2, invocation: str = "one", **given):
    given.setdefault("optional", ("word",))
    return query(relation, invocation=invocation, query=number, snapshot=of, **given)


def served(provider, work):
    async def go():
        try:
            return await work()
        finally:
            await provider.close()

    return asyncio.run(go())


@pytest.mark.req("E122")
@pytest.mark.parametrize(("of", "second"), [(2, ["old"]), (0, ["new", "old"])])
def test_a_write_between_two_queries_is_not_seen_by_the_second(shop, role, stocked, of, second):
    """One answer would hold a record that another of the same answer says is not there."""
    provider = shop.reading(role)

    async def work():
        first = await provider.run(shared(stocked, 0, of=of))
        add(shop, stocked, "new")
        return keys(first), keys(await provider.run(shared(stocked, 1, of=of)))

    assert served(provider, work) == (["old"], second)
    assert shop.settled(role, 0) == 0


@pytest.mark.req("E122")
@pytest.mark.parametrize("snapshot", [True, False])
def test_all_queries_of_an_invocation_see_one_state(shop, role, stocked, snapshot):
    """A source that asks for one state would be answered from several."""

    class Written(PostgresProvider):
        """Somebody writes after each answer."""

        async def fetch(self, command, content):
            hits = await super().fetch(command, content)
            add(shop, stocked, f"new {content.query}")
            return hits

    rows = [{"mapping": "docs", "strategy": "keyword", "optional": ["word"]}] * 3
    planner = Scripted(lambda brief: json.dumps({"queries": rows}))
    mapping = Mapping(id="docs", name="D", description="", relation=stocked)
    source = Source(id="s", name="S", provider="fake", mappings=(mapping,), snapshot=snapshot)
    provider = Written(lambda: shop.database.as_user(role), most=2)
    own = house(
        catalog(source, forms=Forms(plan=PlanForm.MODEL)),
        engine=provider,
        planners={"model": planner},
    )
    response = ask(own)
    found = {result.fragment for result in response.results}
    assert response.warnings == ()
    assert found == {"word"}
    assert len(response.results) == 1 if snapshot else len(response.results) > 1


@pytest.mark.req("E122")
def test_a_lost_snapshot_is_not_replaced_by_another(shop, role, stocked):
    """After a failure the rest would be answered from a later state, and nobody would know."""
    provider = shop.reading(role)

    async def work():
        first = await provider.run(shared(stocked, 0, of=3))
        [(pid, _, _)] = shop.backends(role)
        shop.run("SELECT pg_terminate_backend(%s, 1000)", [pid])
        add(shop, stocked, "new")
        rest = [await provider.run(shared(stocked, n, of=3)) for n in (1, 1, 2)]
        other = await provider.run(shared(stocked, 0, of=3, invocation="two"))
        return keys(first), rest, keys(other)

    assert served(provider, work) == (["old"], [LOST] * 3, ["new", "old"])


def test_before_the_first_answer_another_snapshot_may_be_taken(shop, role, stocked):
    """A connection that breaks at once could not be tried again."""
    provider = shop.reading(role)
    slow = trap(shop, "pg_sleep(5)::text")
    shop.offer(slow.table, role)

    async def work():
        asking = asyncio.ensure_future(provider.run(shared(slow, 0)))
        while not [row for row in shop.backends(role) if row[1] == "active"]:
            await asyncio.sleep(0.02)
        shop.run("SELECT pg_terminate_backend(%s, 1000)", [shop.backends(role)[0][0]])
        broken = await asking
        return broken, [keys(await provider.run(shared(stocked, n))) for n in (0, 1)]

    broken, answers = served(provider, work)
    assert broken == Failed(code=FailureCode.CONNECTION_REFUSED)
    assert answers == [["old"], ["old"]]


def test_a_failed_query_costs_the_others_nothing(shop, role, stocked):
    """One bad value would fail a source's every query."""
    provider = shop.reading(role)
    bad = where(FieldType.NUMBER, Operator.EQ, "x")

    async def work():
        first = await provider.run(shared(stocked, 0, of=3))
        failed = await provider.run(shared(stocked, 1, of=3, filters=bad))
        add(shop, stocked, "new")
        again = await provider.run(shared(stocked, 1, of=3))
        last = await provider.run(shared(stocked, 2, of=3))
        return failed, [keys(answer) for answer in (first, again, last)]

    failed, answers = served(provider, work)
    assert failed == Failed(code=FailureCode.SYNTAX_ERROR)
    assert answers == [["old"]] * 3


def test_what_runs_in_a_snapshot_can_write_nothing(shop, role, stocked):
    """The way around the read-only transaction would be to ask for a snapshot."""
    shop.run("CREATE TABLE IF NOT EXISTS shelf.snapped (line text)")
    shop.run(f"GRANT ALL ON shelf.snapped TO {role}")
    shop.run(
        "CREATE OR REPLACE FUNCTION shelf.snap() RETURNS text LANGUAGE sql VOLATILE AS"
        " $$ INSERT INTO shelf.snapped VALUES ('was here') RETURNING line $$"
    )
    writing = trap(shop, "shelf.snap()")
    shop.offer(writing.table, role)
    provider = shop.reading(role)

    async def work():
        return [await provider.run(shared(writing, n)) for n in (0, 1)]

    assert served(provider, work) == [Failed(code=FailureCode.PERMISSION_DENIED)] * 2
    assert shop.run("SELECT count(*) FROM shelf.snapped").fetchone() == (0,)


def test_many_invocations_share_few_connections(shop, role, stocked):
    """Snapshots that wait for each other's connections would stand still."""
    provider = shop.reading(role, most=1)

    async def work():
        asked = [
            shared(stocked, number, of=4, invocation=f"i{n}")
            for n in range(15)
            for number in range(4)
        ]
        return await asyncio.gather(*map(provider.run, asked))

    answers = served(provider, work)
    assert all(isinstance(answer, Hits) for answer in answers)
    assert shop.settled(role, 0) == 0


def test_a_query_that_never_comes_holds_its_snapshot_for_its_own_time_alone(shop, role, stocked):
    """A caller who left would keep a transaction open until the server is restarted."""
    provider = shop.reading(role, most=1)

    async def work():
        first = await provider.run(shared(stocked, 0, seconds=0.3))
        held = [state for _, state, _ in shop.backends(role)]
        await asyncio.sleep(0.5)
        after = [state for _, state, _ in shop.backends(role)]
        late = await provider.run(shared(stocked, 1, seconds=0.3))
        other = await provider.run(shared(stocked, 0, invocation="two", seconds=0.3))
        return first, held, after, late, other

    first, held, after, late, other = served(provider, work)
    assert (keys(first), keys(other), late) == (["old"], ["old"], LOST)
    assert (held, after) == (["idle in transaction"], ["idle"])


def test_callers_who_leave_take_no_connection_with_them(shop, role, stocked):
    """After a while no connection would be left."""
    provider = shop.reading(role, most=2)

    async def leave(n: int):
        asked = [shared(stocked, number, of=3, invocation=f"i{n}") for number in range(3)]
        tasks = [asyncio.ensure_future(provider.run(one)) for one in asked]
        await asyncio.sleep(0.001 * (n % 7))
        for task in tasks:
            task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.gather(*tasks)

    async def work():
        for round in range(10):
            await asyncio.gather(*[leave(10 * round + n) for n in range(10)])
        return [await provider.run(shared(stocked, n, invocation="last")) for n in (0, 1)]

    assert [keys(answer) for answer in served(provider, work)] == [["old"], ["old"]]
    assert shop.settled(role, 0) == 0


@pytest.mark.req("E122")
def test_an_engine_that_has_no_snapshots_says_so(stocked):
    """A source would be told it has what its engine cannot give."""

    class Plain(BaseProvider[str]):
        capabilities = Capabilities(strategies=frozenset(Strategy))

        def render(self, content):
            return ""

        async def fetch(self, command, content):
            return Hits.of((), capped=False)

        def classify(self, trouble):
            return FailureCode.UNKNOWN

    answers = [asyncio.run(Plain().run(shared(stocked, 0, of=of))) for of in (0, 1, 2)]
    assert answers == [(), LOST, LOST]


def test_a_query_that_comes_as_its_snapshot_is_given_up_meets_none(shop, role, stocked):
    """It would run on behind the transaction's end, or share a connection with somebody else."""
    provider = shop.reading(role)

    async def work():
        await provider.run(shared(stocked, 0))
        snapshots = provider._snapshots
        ((_, one),) = snapshots._known.items()
        snapshots._give_up(one)
        with pytest.raises(SnapshotLost):
            async with snapshots.turn(check(shared(stocked, 1))):
                pass

    served(provider, work)
    assert shop.settled(role, 0) == 0


@pytest.mark.parametrize("cancelled", [True, False])
def test_a_transaction_that_cannot_be_ended_keeps_no_place(
    shop, role, stocked, monkeypatch, cancelled
):
    """After a line went silent, or somebody left while it ended, one connection less is left."""
    provider = shop.reading(role, most=1)

    async def never(connection):
        await asyncio.sleep(60)

    async def work():
        await provider.run(shared(stocked, 0))
        with monkeypatch.context() as patch:
            patch.setattr(module, "close_snapshot", never)
            ending = asyncio.create_task(provider._snapshots.close())
            if cancelled:
                await asyncio.sleep(0.05)
                ending.cancel()
            await asyncio.wait({ending}, timeout=CLEANING + 0.5)
            ending.cancel()
        return await provider.run(shared(stocked, 0, of=0, invocation="two", seconds=0.5))

    assert isinstance(served(provider, work), Hits)
    assert shop.settled(role, 0) == 0
