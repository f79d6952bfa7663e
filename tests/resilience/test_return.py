"""A real server is stopped for a while and started again, under callers who go on asking."""

import asyncio
import os
import shutil
import time
from contextlib import ExitStack

import psycopg
import pytest

from esra.domain.codes import FailureCode
from esra.domain.hit import Hits
from esra.domain.outcome import Failed
from esra.domain.resilience import BreakerCause, BreakerState
from esra.domain.source import Relation
from esra.embedded import open_database
from esra.embedded.account import server_account
from esra.embedded.places import cluster_folder
from esra.governance.clock import SystemClock
from esra.providers.postgres import PostgresProvider
from esra.providers.resilience import PerSource
from tests.house import source
from tests.providers.queries import query

STOPPED = 60.0 if os.environ.get("ESRA_LONG") == "1" else 2.0
PROMISED = 5.0  # seconds from the server's return to its first answer
RELATION = Relation(
    schema="public", table="kept", key="id", title="id", text="id", vector="lexemes"
)
MAKE = """
CREATE TABLE kept AS SELECT 'a'::text AS id, to_tsvector('english', 'word') AS lexemes;
CREATE ROLE returning_reader LOGIN; GRANT SELECT ON kept TO returning_reader;
"""


class Server:
    """One cluster that is started and stopped; ``address`` is where it is, or was."""

    def __init__(self, home) -> None:
        self.home, self.running, self.address = home, ExitStack(), ""

    def start(self) -> None:
        database = self.running.enter_context(open_database(self.home))
        self.address = database.as_user("returning_reader")

    def stop(self) -> None:
        self.running.close()


@pytest.fixture
def server(tmp_path, monkeypatch):
    monkeypatch.delenv("ESRA_DATABASE_URL", raising=False)
    home = tmp_path / "home"
    with open_database(home) as database, psycopg.connect(database.url) as owner:
        owner.execute(MAKE)
    made = Server(home)
    made.start()
    yield made
    made.stop()
    shutil.rmtree(cluster_folder(home, server_account()))


async def asking(resilience, provider, own, log: list):
    """Asks every twentieth of a second, and notes when it asked and what came back."""
    asked = query(RELATION, optional=("word",), seconds=5.0)
    while True:
        begun = time.monotonic()
        result = await resilience.run(own, lambda: provider.run(asked), 5.0)
        log.append((begun, time.monotonic(), result))
        await asyncio.sleep(0.05)


@pytest.mark.req("E093")
def test_a_server_that_was_stopped_is_used_within_five_seconds_of_its_return(server):
    """After a restart of the database somebody would have to restart esra, or wait for minutes."""
    provider = PostgresProvider(lambda: server.address, most=4)
    resilience = PerSource(SystemClock(), reachable={"fake": provider.reachable})
    own = source("kept")
    log: list[tuple[float, float, Hits | Failed]] = []

    async def go():
        callers = [asyncio.ensure_future(asking(resilience, provider, own, log)) for _ in range(4)]
        await asyncio.sleep(0.5)
        await asyncio.to_thread(server.stop)
        stopped = time.monotonic()
        await asyncio.sleep(STOPPED)
        await asyncio.to_thread(server.start)
        back = time.monotonic()
        await asyncio.sleep(PROMISED + 1.0)
        for caller in callers:
            caller.cancel()
        await asyncio.gather(*callers, return_exceptions=True)
        await resilience.close()
        await provider.close()
        return stopped, back, asyncio.all_tasks() - {asyncio.current_task()}

    stopped, back, left = asyncio.run(go())
    answered = [end for begun, end, result in log if begun > stopped and isinstance(result, Hits)]
    codes = {result.code for _, _, result in log if isinstance(result, Failed)}
    print(f"first answer {answered[0] - back:.2f} s after the return")
    assert answered[0] - back < PROMISED
    assert codes == {FailureCode.CONNECTION_REFUSED, FailureCode.CIRCUIT_OPEN}
    assert all(end - begun < 5.5 for begun, end, _ in log)
    # From the first answer on it answers everybody.
    assert {type(result) for begun, _, result in log if begun > back + PROMISED} == {Hits}
    changes = resilience.changes()
    assert changes[0].cause is BreakerCause.FAILURES
    assert BreakerCause.REACHABLE in {change.cause for change in changes}
    assert resilience.state(own) is BreakerState.CLOSED
    assert not left
