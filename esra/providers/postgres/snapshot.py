"""One state of the data for all queries of an invocation that ask for it.

The first of them opens a repeatable-read transaction, and all of them run in it, one after another
on one connection: a snapshot that is exported to other connections would tie up more of them, and
is not to be had behind a pooler of transactions. A failed query costs the others nothing. The
transaction ends with the last answer, or when nobody has come for a query's own time.

Promises: no two answers of one snapshot show different states. Where the snapshot is gone once
somebody has an answer of it, the rest are told ``SnapshotLost``; a new one is never taken quietly.
"""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from esra.providers.postgres.errors import Circumstances, SnapshotLost, Stage, Trouble
from esra.providers.postgres.pool import CLEANING, Connection
from esra.providers.postgres.run import close_snapshot, open_snapshot
from esra.sealed import QueryContent

Take = Callable[[QueryContent], Awaitable[Connection]]
GiveBack = Callable[[Connection], None]
Key = tuple[str, str]

# Ended snapshots that are remembered, so that a late retry is not given another state.
REMEMBERED = 1_000


@dataclass(slots=True, kw_only=True)
class _Shared:
    """One invocation's snapshot of one source."""

    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    connection: Connection | None = None
    answered: set[int] = field(default_factory=set)
    over: bool = False
    patience: asyncio.TimerHandle | None = None


class Snapshots:
    """``take`` gives a connection that is ready for a query, ``give_back`` takes it back."""

    def __init__(self, take: Take, give_back: GiveBack) -> None:
        self._take, self._give_back = take, give_back
        self._known: OrderedDict[Key, _Shared] = OrderedDict()
        self._ending: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def turn(self, content: QueryContent) -> AsyncIterator[Connection]:
        """The snapshot's connection for one query, when it is this query's turn."""
        one = self._shared(content)
        async with one.turn:
            connection = await self._connection(one, content)
            try:
                yield connection
            except BaseException as trouble:
                # Cut off in the middle, a connection may still be busy with what was asked.
                if connection.closed or not isinstance(trouble, Exception):
                    lost = bool(one.answered)
                    await self._end(one)
                    if lost and isinstance(trouble, Exception):
                        raise SnapshotLost("the connection was lost") from trouble
                raise
            else:
                one.answered.add(content.query)
                if len(one.answered) >= content.snapshot:
                    await self._end(one)
            finally:
                self._wait_for_the_next(one, content.seconds)

    async def close(self) -> None:
        """Ends every snapshot; none may be in use."""
        for one in self._known.values():
            await self._end(one)
        await asyncio.gather(*self._ending, return_exceptions=True)

    def _shared(self, content: QueryContent) -> _Shared:
        key = (content.invocation, content.source)
        if key not in self._known:
            self._known[key] = _Shared()
        ended = [key for key, one in self._known.items() if one.over]
        for old in ended[:-REMEMBERED]:
            del self._known[old]
        return self._known[key]

    async def _connection(self, one: _Shared, content: QueryContent) -> Connection:
        if one.over:
            raise SnapshotLost("the snapshot has ended")
        if one.patience is not None:
            one.patience.cancel()
        if one.connection is None:
            connection = await self._take(content)
            try:
                await open_snapshot(connection, content.seconds)
            except BaseException as trouble:
                self._give_back(connection)
                if not isinstance(trouble, Exception):
                    raise
                raise Trouble(Circumstances(stage=Stage.SNAPSHOT)) from trouble
            one.connection = connection
        return one.connection

    def _wait_for_the_next(self, one: _Shared, seconds: float) -> None:
        if one.connection is not None:
            loop = asyncio.get_running_loop()
            one.patience = loop.call_later(seconds, self._give_up, one)

    def _give_up(self, one: _Shared) -> None:
        # Taken away here and now: a query that comes next must not meet what is being ended.
        connection = _taken_from(one)
        if connection is not None:
            task = asyncio.get_running_loop().create_task(self._close(connection))
            self._ending.add(task)
            task.add_done_callback(self._ending.discard)

    async def _end(self, one: _Shared) -> None:
        connection = _taken_from(one)
        if connection is not None:
            await self._close(connection)

    async def _close(self, connection: Connection) -> None:
        try:
            with suppress(Exception):  # one that cannot be ended is closed by who takes it back
                async with asyncio.timeout(CLEANING):
                    await close_snapshot(connection)
        finally:
            self._give_back(connection)


def _taken_from(one: _Shared) -> Connection | None:
    """Its connection, which it no longer has."""
    connection, one.connection = one.connection, None
    # Without an answer nobody has seen a state, so that another one may still be taken.
    one.over = one.over or bool(one.answered)
    if one.patience is not None:
        one.patience.cancel()
    return connection
