"""Connections to one source, lent and taken back; made when first needed, one set per event loop.

Why not psycopg_pool: it tells a caller nothing of a failed attempt to connect (he waits out his
time and gets "timeout", where sixteen codes are promised), goes on trying behind his back, and
its workers swallow cancellation, so that a program ended while one connects never ends.

An idle connection that has something to read has been closed by the server (a restart, an
administrator): it is dropped before anybody meets it, without a round trip.
"""

import asyncio
import select
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any
from weakref import WeakSet

from psycopg import AsyncConnection, AsyncCursor
from psycopg.pq import TransactionStatus

from esra.providers.postgres.address import OWN, Address, read, resolve
from esra.providers.postgres.hosts import Hosts, checked

Connection = AsyncConnection[Any]
Reset = Callable[[Connection], Awaitable[None]]
Connect = Callable[[], Awaitable[Connection]]


# Seconds in which a connection is clean for its next borrower, or is dropped: on a line that went
# silent nothing would ever come back, and its place would be lost.
CLEANING = 1.0


class Busy(Exception):
    """Every connection was lent out for as long as the caller could wait."""


class Connections:
    """Lends clean read-only connections to one address, at most ``most`` per event loop."""

    def __init__(
        self, address: Address, *, most: int, reset: Reset, hosts: Hosts | None = None
    ) -> None:
        self._connect: Connect = partial(_connect, address, hosts)
        self._most = most
        self._reset = reset
        self._lenders: dict[asyncio.AbstractEventLoop, _Lender] = {}

    async def take(self, seconds: float) -> Connection:
        """A connection within ``seconds``; ``Busy``, ``TimeoutError`` where the server says nothing
        for so long, or the error of connecting as it was."""
        return await self._lender().take(seconds)

    def give_back(self, connection: Connection) -> None:
        """Returns at once; the connection is cleaned before the next borrower has it."""
        self._lender().give_back(connection)

    async def knock(self) -> None:
        """Makes a connection beside those that are lent and closes it; the error as it was.

        It sends nothing and takes nobody's place, so it says how the server is and not how busy.
        """
        connection = await self._connect()
        await connection.close()

    async def close(self) -> None:
        """Closes the running loop's idle connections."""
        lender = self._lenders.pop(asyncio.get_running_loop(), None)
        if lender is not None:
            await lender.close()

    def _lender(self) -> "_Lender":
        loop = asyncio.get_running_loop()
        for ended in [other for other in self._lenders if other.is_closed()]:
            self._lenders.pop(ended).drop()
        if loop not in self._lenders:
            self._lenders[loop] = _Lender(self._connect, self._most, self._reset)
        return self._lenders[loop]


class _Lender:
    """One event loop's connections."""

    def __init__(self, connect: Connect, most: int, reset: Reset) -> None:
        self._connect = connect
        self._reset = reset
        self._free = asyncio.Semaphore(most)
        self._idle: list[Connection] = []
        self._made: WeakSet[Connection] = WeakSet()
        self._cleaning: set[asyncio.Task[None]] = set()

    async def take(self, seconds: float) -> Connection:
        end = asyncio.get_running_loop().time() + seconds
        try:
            async with asyncio.timeout_at(end):
                await self._free.acquire()
        except TimeoutError:
            raise Busy(f"no connection became free in {seconds:g} s") from None
        try:
            async with asyncio.timeout_at(end):  # the driver's own patience is 130 s
                return await self._idle_one() or await self._new_one()
        except BaseException:
            self._free.release()
            raise

    def give_back(self, connection: Connection) -> None:
        task = asyncio.get_running_loop().create_task(self._clean(connection))
        self._cleaning.add(task)
        task.add_done_callback(self._cleaning.discard)

    async def close(self) -> None:
        await asyncio.gather(*self._cleaning, return_exceptions=True)
        while self._idle:
            await self._idle.pop().close()

    def drop(self) -> None:
        """Closes the sockets of a loop that has ended, without it."""
        for connection in self._made:
            connection.pgconn.finish()

    async def _idle_one(self) -> Connection | None:
        while self._idle:
            connection = self._idle.pop()
            if not connection.closed and not _has_news(connection):
                return connection
            await connection.close()
        return None

    async def _new_one(self) -> Connection:
        connection = await self._connect()
        self._made.add(connection)
        return connection

    async def _clean(self, connection: Connection) -> None:
        clean = False
        try:
            if connection.info.transaction_status is TransactionStatus.IDLE:
                async with asyncio.timeout(CLEANING):
                    await self._reset(connection)
                clean = True
        except Exception:
            clean = False  # whatever it was, this connection is not lent again
        finally:
            if clean:
                self._idle.append(connection)
            else:
                await connection.close()
            self._free.release()


async def _connect(address: Address, hosts: Hosts | None) -> Connection:
    where = await checked(read(resolve(address)), hosts)
    parts: dict[str, Any] = {"application_name": "esra", **OWN, **where}
    return await AsyncConnection.connect(
        **parts,
        autocommit=True,  # transactions are begun and ended by ``run``, in one round trip
        client_encoding="UTF8",
        cursor_factory=AsyncCursor,  # binds on the server; the client's own does not
        prepare_threshold=None,  # no prepared statement to miss behind a transaction pooler
    )


def _has_news(connection: Connection) -> bool:
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN | select.POLLHUP | select.POLLERR)
    return bool(poll.poll(0))
