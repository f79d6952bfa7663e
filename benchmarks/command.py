"""What a command to PostgreSQL costs with all its safety, beside the same search with less of it.

``python -m benchmarks.command`` prints a table in microseconds of CPU time, of this process and of
the server's together: the same keyword query over the same 1,000 records on a throw-away server's
Unix socket. Linux alone says what a server's processes used (``/proc/PID/schedstat``).
"""

import asyncio
import random
import statistics
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import psycopg
from psycopg import AsyncConnection

from esra._stamp import stamp
from esra.domain.plan import Strategy
from esra.domain.source import Relation
from esra.embedded import throwaway
from esra.providers.postgres import PostgresProvider, fixed, run
from esra.providers.postgres.render import render
from esra.sealed import QueryContent

RECORDS, ROUNDS, EACH = 1_000, 60, 10
BACKENDS = "SELECT pid FROM pg_stat_activity WHERE usename = 'reader'"
RELATION = Relation(
    schema="public", table="docs", key="id", title="title", text="body", vector="lexemes"
)
CONTENT = QueryContent(
    invocation="i",
    configuration="c",
    source="s",
    mapping="m",
    query=0,
    relation=RELATION,
    strategy=Strategy.KEYWORD,
    required=(),
    optional=("w7", "w8"),
    excluded=(),
    phrases=(),
    visible=(),
    filters=(),
    projection=(),
    rows=50,
    fragment=400,
    seconds=5.0,
    snapshot=0,
)
COMMAND = render(CONTENT)
Variant = Callable[[], Awaitable[object]]


def fill(url: str) -> None:
    """A table of random words, one word in a hundred of each kind, and a role that reads it."""
    dice = random.Random(7)
    texts = [" ".join(f"w{dice.randrange(1_000)}" for _ in range(60)) for _ in range(RECORDS)]
    with psycopg.connect(url, autocommit=True) as owner:
        owner.execute("CREATE TABLE docs (id text, title text, body text, lexemes tsvector)")
        owner.cursor().executemany(
            "INSERT INTO docs SELECT x.i, x.i, x.t, to_tsvector('english', x.t)"
            " FROM (SELECT %s::text AS i, %s::text AS t) AS x",
            [(str(n), text) for n, text in enumerate(texts)],
        )
        owner.execute("CREATE INDEX ON docs USING gin (lexemes)")
        owner.execute("ANALYZE docs")
        owner.execute("CREATE ROLE reader LOGIN")
        owner.execute("GRANT SELECT ON docs TO reader")


async def connected(url: str, prepare: int | None) -> AsyncConnection:
    return await AsyncConnection.connect(url, autocommit=True, prepare_threshold=prepare)


def variants(
    prepared: AsyncConnection, plain: AsyncConnection, provider: PostgresProvider
) -> dict[str, Variant]:
    sealed = stamp(CONTENT)
    text = COMMAND.text.as_string(None)

    async def bare() -> object:
        cursor = await prepared.execute(text, COMMAND.values, prepare=True, binary=True)
        return await cursor.fetchall()

    async def unprepared() -> object:
        cursor = await plain.execute(text, COMMAND.values, binary=True)
        return await cursor.fetchall()

    async def one_by_one() -> object:
        await plain.execute(fixed.BEGIN)
        await plain.execute(fixed.SETTINGS, fixed.settings(5.0))
        cursor = await plain.execute(COMMAND.text, COMMAND.values, binary=True)
        rows = await cursor.fetchall()
        await plain.execute(fixed.COMMIT)
        return rows

    return {
        "the SELECT alone, prepared": bare,
        "the SELECT alone, not prepared": unprepared,
        "with its transaction, one round trip": lambda: run.fetch_rows(plain, COMMAND, 5.0),
        "with its transaction, step by step": one_by_one,
        "the provider: seal, render, pool, hits": lambda: provider.run(sealed),
    }


async def measured(work: dict[str, Variant], owner: psycopg.Connection) -> dict[str, float]:
    """CPU seconds of one command of each variant, the median of its rounds; they take turns."""
    taken: dict[str, list[float]] = {name: [] for name in work}
    for once in work.values():
        for _ in range(20):  # every connection is made and warm
            await once()
    pids = [pid for (pid,) in owner.execute(BACKENDS)]
    for _ in range(ROUNDS):
        for name, once in work.items():
            start = used(pids)
            for _ in range(EACH):
                await once()
            taken[name].append((used(pids) - start) / EACH)
    return {name: statistics.median(times) for name, times in taken.items()}


def used(pids: list[int]) -> float:
    """CPU seconds so far, of this process and of the server's processes ``pids``."""
    times = (Path(f"/proc/{pid}/schedstat").read_text().split()[0] for pid in pids)
    return time.process_time() + sum(map(int, times)) / 1e9


async def compared(url: str, owner: psycopg.Connection) -> dict[str, float]:
    provider = PostgresProvider(lambda: url)
    prepared, plain = await connected(url, 5), await connected(url, None)
    try:
        return await measured(variants(prepared, plain, provider), owner)
    finally:
        await provider.close()
        await prepared.close()
        await plain.close()


def main() -> None:
    with throwaway() as database:
        fill(database.url)
        with psycopg.connect(database.url, autocommit=True) as owner:
            found = asyncio.run(compared(database.as_user("reader"), owner))
    least = next(iter(found.values()))
    print(f"{RECORDS} records, median of {ROUNDS} rounds of {EACH}, rank {RELATION.rank.value}")
    print(f"{'':40}  CPU microseconds  times the first")
    for name, seconds in found.items():
        print(f"{name:40}  {seconds * 1e6:16.0f}  {seconds / least:15.2f}")


if __name__ == "__main__":
    main()
