"""Behind a pooler of transactions: commands work, are one statement each, and leave nothing."""

import asyncio
import tempfile
from pathlib import Path

import pytest
from psycopg import AsyncConnection, sql
from psycopg.errors import InvalidSqlStatementName, SyntaxError

from esra.domain.hit import Hits
from esra.providers.postgres import PostgresProvider, run
from esra.providers.postgres.pool import Connections
from esra.providers.postgres.render import Command
from tests.providers.asking import keys
from tests.providers.pooler import BACKENDS, Pooler
from tests.providers.queries import query, record
from tests.providers.test_snapshot import add
from tests.providers.traps import trap


def pooled(shop, work):
    """Runs ``work`` with a pooler before the shop's server."""

    async def go():
        # A short path: the system cuts a socket's name at about a hundred characters.
        with tempfile.TemporaryDirectory(prefix="esra") as folder:
            url = shop.database.as_user("shop_reader")
            async with Pooler(url, Path(folder)) as pooler:
                return await work(pooler)

    return asyncio.run(go())


def test_many_commands_go_to_many_backends_and_all_are_answered(shop):
    """A statement prepared on one backend would be missed on the next."""
    relation = shop.stock([record(f"{n}", "word") for n in range(5)])
    settings = trap(shop, "current_setting('statement_timeout')")

    async def work(pooler):
        provider = PostgresProvider(lambda: pooler.url, most=4)
        asked = query(relation, optional=("word",))
        answers = [await provider.run(asked) for _ in range(20)]
        answers += await asyncio.gather(*[provider.run(asked) for _ in range(20)])
        timed = await provider.run(query(settings, optional=("word",), seconds=3.0))
        await provider.close()
        return answers, timed, pooler.used

    answers, timed, used = pooled(shop, work)
    assert all(isinstance(answer, Hits) and len(answer) == 5 for answer in answers)
    assert timed[0].fragment == "3s"
    assert min(used) >= 41 // BACKENDS


def test_two_statements_are_refused_behind_a_pooler_too(shop):
    """What a pooler asks of a client would open the way for a second statement."""
    stacked = Command(
        text=sql.SQL("SELECT %(x)s::int; COMMIT; CREATE TABLE shelf.stacked ()"), values={"x": 1}
    )
    bare = sql.SQL("DISCARD ALL; CREATE TABLE shelf.stacked ()")

    async def work(pooler):
        connections = Connections(lambda: pooler.url, most=1, reset=run.forget)
        connection = await connections.take(5.0)
        for attempt in (
            lambda: run.fetch_rows(connection, stacked, 5.0),
            lambda: run._execute(connection, bare, None),
        ):
            with pytest.raises(SyntaxError, match="multiple commands"):
                await attempt()
        connections.give_back(connection)
        await connections.close()

    pooled(shop, work)
    assert shop.run("SELECT to_regclass('shelf.stacked')").fetchone() == (None,)


@pytest.mark.req("E122")
def test_a_snapshot_is_had_behind_a_pooler(shop):
    """A source would have to choose between a pooler and one state of its data."""
    relation = shop.stock([record("old", "word")])

    async def work(pooler):
        provider = PostgresProvider(lambda: pooler.url)
        asked = [query(relation, optional=("word",), query=n, snapshot=3) for n in range(3)]
        first = await provider.run(asked[0])
        other = await provider.run(query(relation, optional=("word",)))
        add(shop, relation, "new")
        rest = [await provider.run(one) for one in asked[1:]]
        await provider.close()
        return [keys(answer) for answer in (first, other, *rest)]

    assert pooled(shop, work) == [["old"]] * 4


def test_the_pooler_of_these_tests_is_one(shop):
    """The tests above would show nothing if every transaction met the same backend."""

    async def work(pooler):
        connection = await AsyncConnection.connect(
            pooler.url, autocommit=True, prepare_threshold=None
        )
        pids = set()
        for _ in range(2 * BACKENDS):
            cursor = await connection.execute("SELECT pg_backend_pid()")
            pids.add((await cursor.fetchone())[0])
        connection.prepare_threshold = 0
        with pytest.raises(InvalidSqlStatementName):
            await connection.execute("SELECT %s::int", [1])
        await connection.close()
        return pids

    assert len(pooled(shop, work)) == BACKENDS
