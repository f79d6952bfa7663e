"""Deadlines and callers who leave: limiter, retry, breaker and timeout before a live server."""

import asyncio
import contextlib
import os
import random
import time
from pathlib import Path

import pytest

from esra.domain.codes import FailureCode
from esra.domain.hit import Hits
from esra.domain.outcome import Failed
from esra.domain.resilience import BreakerState
from esra.domain.source import Limits
from esra.governance.clock import SystemClock
from esra.governance.gates import BoundedGates
from esra.providers.postgres import PostgresProvider
from esra.providers.resilience import PerSource
from esra.stages.execute import execute
from tests.house import scoped, source
from tests.providers.queries import query, record
from tests.providers.traps import trap

LONG = os.environ.get("ESRA_LONG") == "1"
LEAVING = 10_000 if LONG else 500
LATE = 0.5  # seconds beyond a deadline in which a caller has his answer
DESCRIPTORS = Path("/proc/self/fd")


class Way:
    """The way of a query from the execute stage to the server and back."""

    def __init__(self, provider, **limits) -> None:
        self.provider = provider
        self.resilience = PerSource(SystemClock(), reachable={"fake": provider.reachable})
        self.gates = BoundedGates()
        self.limits = Limits(**limits)
        self.source = source("shop", limits=self.limits)

    async def ask(self, *queries, seconds: float):
        """(results, seconds it took)."""
        started = time.monotonic()
        outcome = await execute(
            queries,
            (scoped(self.source),),
            {"fake": self.provider},
            self.gates,
            self.resilience,
            self.limits,
            SystemClock(),
            seconds,
        )
        return [answer.result for answer in outcome.value], time.monotonic() - started

    async def close(self) -> set:
        """Closes all of it; the tasks that are left."""
        await self.resilience.close()
        await self.provider.close()
        await asyncio.sleep(0)
        return asyncio.all_tasks() - {asyncio.current_task()}


async def quiet(shop, role: str, seconds: float) -> float | None:
    """After how many seconds no backend of ``role`` was at work; None if one still was."""
    started = time.monotonic()
    while time.monotonic() - started < seconds:
        if all(state != "active" for _, state, _ in shop.backends(role)):
            return time.monotonic() - started
        await asyncio.sleep(0.02)
    return None


@pytest.fixture
def reading(shop):
    """A provider over a role of its own, by the role's name."""

    def make(role: str, *relations, **more):
        shop.role(role)
        for relation in relations:
            shop.run(f"GRANT SELECT ON {relation.schema}.{relation.table} TO {role}")
        return shop.reading(role, **more)

    return make


@pytest.mark.req("E091", "E112")
@pytest.mark.parametrize(("own", "callers"), [(0.5, 30.0), (30.0, 0.5)])
def test_a_statement_that_outlives_its_deadline_ends_on_both_sides(shop, reading, own, callers):
    """The caller would wait for it, or the server work on for somebody who has his answer."""
    slow = trap(shop, "pg_sleep(60)::text")
    way = Way(reading("shop_late", slow), seconds=own)

    async def go():
        asked = [query(slow, optional=("word",), seconds=own, query=n) for n in range(3)]
        results, took = await way.ask(*asked, seconds=callers)
        rest = await quiet(shop, "shop_late", 2.0)
        return results, took, rest, await way.close()

    results, took, rest, left = asyncio.run(go())
    assert results == [Failed(code=FailureCode.TIMEOUT)] * 3
    assert took < 0.5 + LATE
    assert rest is not None
    assert not left


@pytest.mark.req("E121")
def test_whoever_leaves_at_any_moment_takes_nothing_along(shop, reading):
    """Connections, tasks or descriptors would be lost one by one, until nobody is served."""
    most, dice = 4, random.Random(5)
    relation = shop.stock([record(str(n), "word") for n in range(20)])
    sleepy = trap(shop, "pg_sleep(0.3)::text")
    way = Way(reading("shop_leavers", relation, sleepy, most=most), parallel=64)

    async def leave():
        asking = asyncio.ensure_future(
            way.ask(query(relation, optional=("word",), seconds=5.0), seconds=5.0)
        )
        await asyncio.sleep(dice.choice((0.0, dice.uniform(0, 0.004), dice.uniform(0, 0.03))))
        asking.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await asking

    async def go():
        before = descriptors()
        for _ in range(LEAVING // 20):
            await asyncio.gather(*[leave() for _ in range(20)])
        asked = [query(sleepy, optional=("word",), seconds=5.0, query=n) for n in range(most)]
        results, took = await way.ask(*asked, seconds=5.0)
        open_now = len(shop.backends("shop_leavers"))
        return before, results, took, open_now, await way.close(), descriptors()

    before, results, took, open_now, left, after = asyncio.run(go())
    # Every connection can be had at once: one that was lost would make somebody wait.
    assert all(isinstance(result, Hits) and len(result) == 1 for result in results)
    assert took < 0.3 + 0.3
    assert open_now == most
    assert not left
    assert after == before
    assert shop.settled("shop_leavers", 0) == 0
    assert not any(way.gates.running.values())
    assert way.resilience.state(way.source) is BreakerState.CLOSED


def descriptors() -> int:
    """How many files this process has open; 0 where the system does not say."""
    return len(list(DESCRIPTORS.iterdir())) if DESCRIPTORS.is_dir() else 0


async def answered(way: Way, *queries, seconds: float):
    """The results of the first time that all queries are answered, or of the last try."""
    ends = time.monotonic() + seconds
    while True:
        results, _ = await way.ask(*queries, seconds=5.0)
        if all(isinstance(result, Hits) for result in results) or time.monotonic() > ends:
            return results
        await asyncio.sleep(0.1)


class Proxy:
    """Carries bytes between TCP and the server's socket; once silent, it takes and gives none."""

    def __init__(self, path: str) -> None:
        self.path, self.silent, self.tasks = path, False, set()

    async def __aenter__(self):
        self.server = await asyncio.start_server(self._carry, "127.0.0.1", 0)
        self.port = self.server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *trouble):
        self.server.close()
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)

    async def _carry(self, reader, writer):
        self.tasks.add(asyncio.current_task())
        behind, there = await asyncio.open_unix_connection(self.path)
        # The server's own callback would report a task that ended cancelled.
        with contextlib.suppress(asyncio.CancelledError, ConnectionError):
            await asyncio.gather(self._pump(reader, there), self._pump(behind, writer))
        there.close()
        writer.close()

    async def _pump(self, reader, writer):
        while piece := await reader.read(65_536):
            if not self.silent:
                writer.write(piece)
        if not self.silent:
            writer.close()


@pytest.mark.req("E091", "E112")
def test_a_line_that_goes_silent_costs_no_more_than_the_deadline(shop, reading):
    """Behind a proxy that acknowledges and is silent, timeouts would never come (psycopg 1371)."""
    relation = shop.stock([record("a", "word")])
    reading("shop_silent", relation)
    (sockets,) = shop.run("SHOW unix_socket_directories").fetchone()
    path = f"{sockets.strip(chr(34))}/.s.PGSQL.5432"

    async def go():
        async with Proxy(path) as proxy:
            address = f"postgresql://shop_silent@127.0.0.1:{proxy.port}/postgres?sslmode=disable"
            provider = PostgresProvider(lambda: address, most=2)
            way = Way(provider, seconds=0.5)
            asked = [query(relation, optional=("word",), seconds=0.5, query=n) for n in range(2)]
            well, _ = await way.ask(*asked, seconds=5.0)
            proxy.silent = True
            silent = [await way.ask(*asked, seconds=5.0) for _ in range(4)]
            started = time.monotonic()
            if LONG:  # the driver gives its cancel ten seconds, whoever waits for it
                await provider.close()
            closing = time.monotonic() - started
            proxy.silent = False
            again = await answered(way, *asked, seconds=5.0) if LONG else well
        left = await way.close()
        return [*well, *again], silent, left, closing

    well, silent, left, closing = asyncio.run(go())
    assert all(isinstance(result, Hits) for result in well)
    for results, took in silent:
        # The first two hold the connections while they wind up; the rest find none free.
        assert {result.code for result in results} <= {
            FailureCode.TIMEOUT,
            FailureCode.RESOURCE_EXHAUSTED,
        }
        assert took < 0.5 + LATE
    # A second for cleaning, then the ten that the driver gives its cancel.
    assert closing < 1.0 + 10.0 + 1.0
    assert not left
