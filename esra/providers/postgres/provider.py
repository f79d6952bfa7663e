"""The provider over a PostgreSQL server: what ``BaseProvider`` asks for, on one address."""

import asyncio
import math
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from decimal import Decimal

from esra.domain.codes import FailureCode
from esra.domain.hit import Hits, NativeHit, RecordId
from esra.domain.outcome import Failed
from esra.domain.plan import Strategy
from esra.domain.source import Relation
from esra.ports import Capabilities
from esra.providers.base import GRACE, BaseProvider
from esra.providers.postgres import errors
from esra.providers.postgres.address import Address, Invalid, Unresolved
from esra.providers.postgres.errors import Circumstances, Stage, Trouble
from esra.providers.postgres.hosts import Hosts, NotAllowed
from esra.providers.postgres.inspector import Inspector
from esra.providers.postgres.pool import Connection, Connections
from esra.providers.postgres.render import Command, render
from esra.providers.postgres.roles import refuse_powerful, role_of
from esra.providers.postgres.run import (
    Row,
    fetch_in_snapshot,
    fetch_role,
    fetch_rows,
    fetch_sample,
    fetch_size,
    forget,
)
from esra.providers.postgres.snapshot import Snapshots
from esra.sealed import QueryContent

# Seconds in which a server that is asked about itself lets us in, however long it may then think.
_CONNECTING = 5.0
# What a server that is not there is called.
_AWAY = (FailureCode.CONNECTION_REFUSED, FailureCode.TIMEOUT)


class PostgresProvider(BaseProvider[Command]):
    """Searches relations through a role that only reads. ``address`` gives a libpq URL.

    ``address`` is called for every new connection and its answer is not kept. At most ``most``
    connections are open per event loop. ``inspector`` asks the server's catalogue. ``hosts`` lists
    the servers that may be spoken to (see ``hosts``); None: those that the address names.
    """

    capabilities = Capabilities(strategies=frozenset(Strategy), snapshots=True, leaves_out=True)

    def __init__(
        self, address: Address, *, most: int = 8, hosts: Sequence[str] | None = None
    ) -> None:
        super().__init__()
        listed = None if hosts is None else Hosts.of(hosts)
        self._connections = Connections(address, most=most, reset=forget, hosts=listed)
        self._snapshots = Snapshots(self._ready, self._connections.give_back)
        self.inspector = Inspector(self._lent, self.classify)

    def render(self, content: QueryContent) -> Command:
        return render(content)

    async def fetch(self, command: Command, content: QueryContent) -> Hits:
        self.inspector.refuse(content.relation)
        if content.snapshot > 1:
            async with self._snapshots.turn(content) as connection:
                with _told(command, content):
                    return _hits(await fetch_in_snapshot(connection, command), content)
        connection = await self._ready(content)
        try:
            with _told(command, content):
                return _hits(await fetch_rows(connection, command, content.seconds), content)
        finally:
            self._connections.give_back(connection)

    def classify(self, trouble: BaseException) -> FailureCode:
        return errors.classify(trouble)

    def internal(self, trouble: BaseException) -> bool:
        return errors.internal(trouble)

    async def reachable(self, seconds: float = 2.0) -> bool:
        """Whether the server answers who connects to it, be it with a refusal. Sends no query."""
        try:
            await self._in_time(self._knock(), seconds)
        except Exception as trouble:
            return self.classify(trouble) not in _AWAY
        return True

    async def refuse_powerful_role(
        self, relations: Sequence[Relation], seconds: float = 5.0
    ) -> None:
        """Raises ``PowerfulRole`` if the role may do more than read ``relations``, else returns.

        Raises ``Trouble`` (for ``classify``) where the server cannot be asked.
        """
        try:
            async with self._lent(seconds) as connection:
                rows = await fetch_role(connection, relations, seconds)
        except Trouble:
            raise
        except Exception as trouble:
            raise Trouble(Circumstances(stage=Stage.RUN)) from trouble
        refuse_powerful(role_of(rows[0]))

    async def sample(
        self, relation: Relation, *, rows: int, widest: int, seconds: float
    ) -> tuple[str, ...] | Failed:
        """Title and text of a fixed choice of rows (``fixed.SAMPLE``), each row as one text."""
        try:
            found = await self._sample(relation, rows, widest, seconds)
        except Trouble as trouble:
            return Failed(code=self.classify(trouble))
        return tuple(f"{title}\n{text}" for title, text in found)

    async def close(self) -> None:
        """Closes the connections of the running event loop; the provider may be used again."""
        await super().close()
        await self._snapshots.close()
        await self._connections.close()

    async def _sample(
        self, relation: Relation, rows: int, widest: int, seconds: float
    ) -> Sequence[Row]:
        connection = await self._connection(seconds)
        started = time.monotonic()
        try:
            percent = _percent(await fetch_size(connection, relation, seconds), rows)
            return await fetch_sample(connection, relation, percent, rows, widest, seconds)
        except Exception as trouble:
            elapsed = time.monotonic() - started
            known = Circumstances(stage=Stage.RUN, elapsed=elapsed, allowed=seconds)
            raise Trouble(known) from trouble
        finally:
            self._connections.give_back(connection)

    @asynccontextmanager
    async def _lent(self, seconds: float) -> AsyncIterator[Connection]:
        """A connection for ``seconds`` in all: nobody else stops a server that went silent."""
        async with asyncio.timeout(seconds + GRACE):
            connection = await self._connection(min(seconds, _CONNECTING))
            try:
                yield connection
            finally:
                self._connections.give_back(connection)

    async def _ready(self, content: QueryContent) -> Connection:
        """A connection to a server that can answer this content."""
        connection = await self._connection(content.seconds)
        try:
            await self.inspector.look_again(connection, content.relation, content.seconds)
        except BaseException:
            self._connections.give_back(connection)
            raise
        return connection

    async def _knock(self) -> None:
        try:
            await self._connections.knock()
        except Exception as trouble:
            raise Trouble(Circumstances(stage=_stage(trouble))) from trouble

    async def _connection(self, seconds: float) -> Connection:
        try:
            return await self._connections.take(seconds)
        except Exception as trouble:
            raise Trouble(Circumstances(stage=_stage(trouble))) from trouble


@contextmanager
def _told(command: Command, content: QueryContent) -> Iterator[None]:
    """Whatever goes wrong goes out as ``Trouble``, with what is known of the command."""
    started = time.monotonic()
    try:
        yield
    except Exception as trouble:
        raise Trouble(
            Circumstances(
                stage=Stage.RUN,
                elapsed=time.monotonic() - started,
                allowed=content.seconds,
                language=content.relation.language,
                values=_private(command),
            )
        ) from trouble


def _percent(size: Sequence[Row], rows: int) -> float:
    """How much of a relation a choice of ``rows`` is made from: all, unless it is a large table."""
    # Neighbours on a page are often alike, so the choice is made from many more than it takes.
    enough = 10 * rows
    tables = [about for kind, about in size if kind in ("r", "m", "p")]
    return min(100.0, 100.0 * enough / max(*tables, 1.0)) if tables else 100.0


def _stage(trouble: Exception) -> Stage:
    match trouble:
        case Unresolved():
            return Stage.SECRET
        case Invalid():
            return Stage.ADDRESS
        case NotAllowed():
            return Stage.HOST
    return Stage.CONNECT


def _private(command: Command) -> tuple[object, ...]:
    """What must not be in the log: every value but the language, which is configuration."""
    return tuple(value for name, value in command.values.items() if name != "language")


def _hits(rows: Sequence[Row], content: QueryContent) -> Hits:
    return Hits.of((_hit(row, content) for row in rows), capped=any(row[5] for row in rows))


def _hit(row: Row, content: QueryContent) -> NativeHit:
    key, title, fragment, seconds, score, _, *fields = row
    names = (field.name for field in content.projection)
    return NativeHit(
        id=RecordId(content.source, content.mapping, key),
        native=score,
        title=title,
        fragment=fragment,
        timestamp=_plain(seconds),  # type: ignore[arg-type]  # a float8 or NULL
        fields=tuple(zip(names, map(_plain, fields), strict=True)),
    )


def _plain(value: object) -> object:
    """Exact numbers as int or float; what is not a finite number is no value (it fits no JSON)."""
    if isinstance(value, Decimal):
        if not value.is_finite():
            return None
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
