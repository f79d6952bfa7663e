"""Connections: clean for the next borrower, bounded, whole after trouble, and loop after loop."""

import asyncio
import contextlib
import random
import warnings

import psycopg
import pytest
from psycopg import sql

from esra.domain.codes import FailureCode
from esra.domain.hit import Hits
from esra.domain.outcome import Failed
from esra.providers.postgres import run
from esra.providers.postgres.pool import Connections
from esra.providers.postgres.render import Command
from tests.providers.queries import query, record
from tests.providers.traps import trap

STATE = "SELECT current_setting('esra.tenant', true), %(x)s::int"


def test_the_next_borrower_finds_nothing_of_the_last(shop):
    """One caller's tenant, lock or channel would be the next one's."""
    connections = Connections(
        lambda: shop.database.as_user("shop_reader"), most=1, reset=run.forget
    )

    async def go():
        first = await connections.take(5.0)
        await first.execute("SELECT set_config('esra.tenant', 't1', false)")
        await first.execute("SELECT pg_advisory_lock(77)")
        await first.execute("LISTEN news")
        pid = first.info.backend_pid
        connections.give_back(first)
        second = await connections.take(5.0)
        left = await run.fetch_rows(second, Command(text=sql.SQL(STATE), values={"x": 1}), 5.0)
        listening = await (await second.execute("SELECT pg_listening_channels()")).fetchall()
        same = second.info.backend_pid == pid
        connections.give_back(second)
        await connections.close()
        return same, left, listening

    same, left, listening = asyncio.run(go())
    locks = shop.run("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'").fetchone()
    assert same
    assert left in ([(None, 1)], [("", 1)])
    assert (listening, locks) == ([], (0,))


def test_one_provider_serves_one_loop_after_another(shop):
    """A notebook's second cell, or the second step of a command, would hang or fail."""
    relation = shop.stock([record("a", "word")])
    provider = shop.reading("shop_reader")
    for _ in range(3):
        result = asyncio.run(provider.run(query(relation, optional=("word",))))
        assert len(result) == 1
    asyncio.run(provider.close())


def test_a_loop_that_ended_leaves_no_connection_behind(shop):
    """Each run of a long session would leave a backend on the server."""
    relation = shop.stock([record("a", "word")])
    shop.role("shop_loops")
    shop.offer(relation.table, "shop_loops")
    provider = shop.reading("shop_loops")

    async def once():
        answer = await provider.run(query(relation, optional=("word",)))
        await asyncio.sleep(0.05)  # the connection is idle when the loop ends
        return answer

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        for _ in range(3):
            assert len(asyncio.run(once())) == 1
    assert shop.settled("shop_loops", 1) == 1
    asyncio.run(provider.close())


def test_no_more_connections_than_allowed_are_opened(shop):
    """A burst of questions would fill the server."""
    shop.role("shop_bounded")
    relation = shop.stock([record("a", "word")])
    shop.offer(relation.table, "shop_bounded")
    provider = shop.reading("shop_bounded", most=3)

    async def go():
        answers = await asyncio.gather(
            *[provider.run(query(relation, optional=("word",))) for _ in range(60)]
        )
        opened = len(shop.backends("shop_bounded"))
        await provider.close()
        return answers, opened

    answers, opened = asyncio.run(go())
    assert all(len(answer) == 1 for answer in answers)
    assert 1 <= opened <= 3


def test_a_caller_who_finds_every_connection_busy_is_told_in_time(shop):
    """He would wait past his own deadline."""
    slow = trap(shop, "pg_sleep(1.5)::text")
    provider = shop.reading("shop_reader", most=1)

    async def go():
        first = asyncio.ensure_future(provider.run(query(slow, optional=("word",))))
        await asyncio.sleep(0.2)
        second = await provider.run(query(slow, optional=("word",), seconds=0.3))
        first.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await first
        await provider.close()
        return second

    assert asyncio.run(go()) == Failed(code=FailureCode.RESOURCE_EXHAUSTED)


def test_connections_the_server_closed_are_replaced_unseen(shop):
    """The first questions after a restart would fail, one for every idle connection."""
    shop.role("shop_restart")
    relation = shop.stock([record("a", "word")])
    shop.offer(relation.table, "shop_restart")
    provider = shop.reading("shop_restart", most=4)
    asked = query(relation, optional=("word",))

    async def go():
        await asyncio.gather(*[provider.run(asked) for _ in range(12)])
        await asyncio.sleep(0.1)
        killed = [
            shop.run("SELECT pg_terminate_backend(%s, 1000)", [pid]).fetchone()
            for pid, _, _ in shop.backends("shop_restart")
        ]
        after = await asyncio.gather(*[provider.run(asked) for _ in range(12)])
        await provider.close()
        return killed, after

    killed, after = asyncio.run(go())
    assert killed
    assert all(isinstance(answer, Hits) for answer in after)


def test_a_backend_that_dies_under_a_query_is_a_code_and_not_the_end(shop):
    """A crash of one backend would poison the provider."""
    provider = shop.reading("shop_reader", most=1)
    slow, quick = trap(shop, "pg_sleep(5)::text"), trap(shop, "'x'")

    async def go():
        asking = asyncio.ensure_future(provider.run(query(slow, optional=("word",))))
        for _ in range(200):
            active = [row[0] for row in shop.backends() if row[1] == "active"]
            if active:
                break
            await asyncio.sleep(0.02)
        shop.run("SELECT pg_terminate_backend(%s)", [active[0]])
        first = await asking
        second = await provider.run(query(quick, optional=("word",)))
        await provider.close()
        return first, second

    first, second = asyncio.run(go())
    assert first == Failed(code=FailureCode.CONNECTION_REFUSED)
    assert len(second) == 1


def test_random_cancellations_leave_the_pool_whole(shop):
    """Callers who leave would take their connections with them, until none is left."""
    dice = random.Random(11)
    relation = shop.stock([record(str(n), "word") for n in range(50)])
    shop.role("shop_leaving")
    shop.offer(relation.table, "shop_leaving")
    provider = shop.reading("shop_leaving", most=3)
    asked = query(relation, optional=("word",))

    async def leave(seconds: float):
        task = asyncio.ensure_future(provider.run(asked))
        await asyncio.sleep(seconds)
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task

    async def go():
        for _ in range(20):
            await asyncio.gather(*[leave(dice.uniform(0, 0.02)) for _ in range(10)])
        answers = await asyncio.gather(*[provider.run(asked) for _ in range(9)])
        await provider.close()
        return answers

    answers = asyncio.run(go())
    assert all(isinstance(answer, Hits) and len(answer) == 50 for answer in answers)
    assert shop.settled("shop_leaving", 0) == 0


def test_a_failed_attempt_gives_its_place_back(shop):
    """After as many failures as connections are allowed, nobody would be served again."""
    urls = ["postgresql://u@127.0.0.1:1/d"] * 5 + [shop.database.as_user("shop_reader")]
    connections = Connections(lambda: urls.pop(0), most=1, reset=run.forget)

    async def go():
        for _ in range(5):
            with pytest.raises(psycopg.OperationalError):
                await connections.take(1.0)
        connection = await connections.take(1.0)
        connections.give_back(connection)
        await connections.close()

    asyncio.run(go())
    assert urls == []
