"""Runs statements on a source's connection. The only file in the house that does.

One command is one round trip: BEGIN READ ONLY, the settings, the SELECT and COMMIT go out
together. The settings come first because any SELECT freezes the transaction's mode: after it
``SET TRANSACTION READ WRITE`` is refused (25001). Every setting is local to the transaction, so
the next borrower of the connection finds none of it.

That a statement is one statement is the server's promise, and only in its extended protocol:
``_execute`` asks for binary results, which no other protocol gives, uses the cursor class that
binds on the server, and refuses a command without a bound parameter. The transaction being
read-only is not trusted alone: ``roles`` says which roles may not read at all.
"""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from psycopg import AsyncCursor, sql

from esra.domain.source import Relation
from esra.providers.postgres import facts, fixed
from esra.providers.postgres.pool import CLEANING, Connection
from esra.providers.postgres.render import Command

Row = tuple[Any, ...]


async def fetch_rows(connection: Connection, command: Command, seconds: float) -> list[Row]:
    """The rows of ``command``, which the server stops after ``seconds``."""
    return await _transaction(connection, command.text, command.values, seconds)


async def fetch_role(
    connection: Connection, relations: Sequence[Relation], seconds: float
) -> list[Row]:
    """What the connection's role may do beyond reading ``relations`` (see ``roles``)."""
    return await _transaction(connection, fixed.ROLE, fixed.role_values(relations), seconds)


async def fetch_facts(
    connection: Connection, relations: Sequence[Relation], seconds: float
) -> list[Row]:
    """What the server's catalogue holds about ``relations`` (see ``catalogue``)."""
    return await _transaction(connection, *facts.named(relations), seconds)


async def fetch_all_facts(
    connection: Connection, schema: str | None, most: int, seconds: float
) -> list[Row]:
    """The same about the first ``most`` relations of a schema, or of all, that may be read."""
    return await _transaction(connection, *facts.listed(schema, most), seconds)


async def fetch_size(connection: Connection, relation: Relation, seconds: float) -> list[Row]:
    """(kind, rows about) of the relation, if it is there."""
    values = {"schema": relation.schema, "table": relation.table}
    return await _transaction(connection, fixed.SIZE, values, seconds)


async def fetch_sample(
    connection: Connection,
    relation: Relation,
    percent: float,
    rows: int,
    widest: int,
    seconds: float,
) -> list[Row]:
    """(title, text) of at most ``rows`` rows of ``percent`` of it, ``widest`` characters each."""
    values: dict[str, object] = {"rows": rows, "widest": widest}
    if percent < 100:
        values["percent"] = percent
    text = fixed.sample(relation, part=percent < 100)
    return await _transaction(connection, text, values, seconds)


async def forget(connection: Connection) -> None:
    """Clears whatever the session holds: the pool's reset between two borrowers."""
    await _execute(connection, fixed.FORGET, None)


async def open_snapshot(connection: Connection, seconds: float) -> None:
    """Begins a transaction whose every command sees the state of now; each has ``seconds``."""
    async with connection.pipeline():
        await _execute(connection, fixed.BEGIN_SNAPSHOT, None)
        await _execute(connection, fixed.SETTINGS, fixed.settings(seconds))


async def fetch_in_snapshot(connection: Connection, command: Command) -> list[Row]:
    """The rows of ``command`` in the open snapshot, which survives its failure."""
    try:
        async with connection.pipeline():
            await _execute(connection, fixed.MARK, None)
            cursor = await _execute(connection, command.text, _bound(command.values))
        return await cursor.fetchall()
    except Exception:
        if not connection.closed:
            await _execute(connection, fixed.BACK_TO_MARK, None)
        raise


async def close_snapshot(connection: Connection) -> None:
    """Ends the transaction."""
    await _execute(connection, fixed.COMMIT, None)


async def _transaction(
    connection: Connection,
    text: sql.SQL | sql.Composed,
    values: Mapping[str, object],
    seconds: float,
) -> list[Row]:
    values = _bound(values)
    try:
        async with connection.pipeline():
            # Not the driver's own BEGIN and COMMIT: each of those waits for the server.
            await _execute(connection, fixed.BEGIN, None)
            await _execute(connection, fixed.SETTINGS, fixed.settings(seconds))
            cursor = await _execute(connection, text, values)
            await _execute(connection, fixed.COMMIT, None)
        return await cursor.fetchall()
    except BaseException:
        if not connection.closed:
            await _undo(connection)
        raise


async def _undo(connection: Connection) -> None:
    """Rolls back, if the server says so in time; the pool lends no connection that is not idle."""
    with suppress(TimeoutError):
        async with asyncio.timeout(CLEANING):
            await connection.rollback()


def _bound(values: Mapping[str, object]) -> Mapping[str, object]:
    if not values:
        raise ValueError("a command binds at least one parameter")
    return values


async def _execute(
    connection: Connection, text: sql.SQL | sql.Composed, values: Mapping[str, object] | None
) -> AsyncCursor[Row]:
    cursor: AsyncCursor[Row] = AsyncCursor(connection)
    await cursor.execute(text, values, binary=True)
    return cursor
