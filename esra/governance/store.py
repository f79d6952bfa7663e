"""The door to esra's own tables: a schema, a role and a connection that no source shares.

Promises: whoever asks has an answer within ``patience`` seconds. A store that is down, slow or
refuses counts as one that knows nothing, and is then left alone for ``rest`` seconds. The driver's
words stay here; the log gets the kind of trouble.

One thread holds the one connection, because a thread has no event loop to belong to and keeps the
callers' loop free. The address must lead to the server itself or to a pooler of sessions: the
time limit is a setting of the session. The role needs no right but those that ``prepare`` gives.
"""

import asyncio
import logging
import math
import secrets
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

from esra.governance.line import Line
from esra.ports import Clock

if TYPE_CHECKING:
    import psycopg

_T = TypeVar("_T")
_log = logging.getLogger(__name__)

ROLE = "esra_keeper"
PATIENCE = 0.1
REST = 5.0
_CONNECT_SECONDS = 2
# What the server may still do for a caller who has gone.
_LIMIT = "-c statement_timeout=1000"

# One after the other: of two who create the same thing at once, one fails. The schema's existence
# is asked first, because CREATE ... IF NOT EXISTS wants the right to create before it looks.
# Not logged: what stems from prompts stays out of the log's archives; a crash costs only misses.
_TABLES = """
SELECT pg_advisory_xact_lock(7236832);
DO $$ BEGIN
    IF to_regnamespace('esra_own') IS NULL THEN CREATE SCHEMA esra_own; END IF;
    IF to_regclass('esra_own.salts') IS NULL THEN
        CREATE TABLE esra_own.salts (name text PRIMARY KEY, salt bytea NOT NULL);
    END IF;
    IF to_regclass('esra_own.selections') IS NULL THEN
        CREATE UNLOGGED TABLE esra_own.selections (
            entry bytea PRIMARY KEY, value bytea NOT NULL, kept timestamptz NOT NULL);
        CREATE INDEX selections_kept ON esra_own.selections (kept);
    END IF;
END $$;
"""
_ADD_SALT = "INSERT INTO esra_own.salts VALUES ('selections', %s) ON CONFLICT DO NOTHING"
_SALT = "SELECT salt FROM esra_own.salts WHERE name = 'selections'"
_READ = """SELECT value FROM esra_own.selections
WHERE entry = %s AND kept > now() - make_interval(secs => %s)"""
_WRITE = """INSERT INTO esra_own.selections VALUES (%s, %s, now())
ON CONFLICT (entry) DO UPDATE SET value = excluded.value, kept = excluded.kept"""
# By one instance at a time: two that delete the same rows can wait for each other.
_CLEAR = """DELETE FROM esra_own.selections
WHERE (SELECT pg_try_advisory_xact_lock(7236833)) AND kept <= greatest(
    now() - make_interval(secs => %s),
    (SELECT kept FROM esra_own.selections ORDER BY kept DESC OFFSET %s LIMIT 1))"""


def prepare(url: str, role: str = ROLE) -> None:
    """Makes the store's role, if there is none, and its schema; ``url`` is an administrator's.

    The role can log in and owns the schema, nothing else. Give it a password where the server
    asks for one. Raises psycopg's errors.
    """
    import psycopg
    from psycopg import sql

    name = sql.Identifier(role)
    with psycopg.connect(url, autocommit=True) as admin:
        if not admin.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role]).fetchone():
            admin.execute(sql.SQL("CREATE ROLE {} LOGIN").format(name))
        admin.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS esra_own AUTHORIZATION {}").format(name))


class Store:
    """``address`` gives the URL of the store's own role; it is asked at each connection."""

    def __init__(
        self,
        address: Callable[[], str],
        clock: Clock,
        *,
        patience: float = PATIENCE,
        rest: float = REST,
    ) -> None:
        self._address, self._clock, self._patience, self._rest = address, clock, patience, rest
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="esra-store")
        self._rests_until = -math.inf
        self._line = Line["psycopg.Connection[Any]"]()

    async def salt(self) -> bytes | None:
        """32 random bytes, made once for the store, the same for all who use it."""

        def work(connection: "psycopg.Connection[Any]") -> bytes:
            connection.execute(_ADD_SALT, [secrets.token_bytes(32)])
            return bytes(_first(connection.execute(_SALT).fetchone()))

        return await self._ask(work)

    async def read(self, entry: bytes, ttl: float) -> bytes | None:
        """The value written under ``entry`` in the last ``ttl`` seconds, by the server's clock."""
        return await self._ask(
            lambda connection: _first(connection.execute(_READ, [entry, ttl]).fetchone())
        )

    def write(self, entry: bytes, value: bytes, ttl: float, most: int) -> None:
        """Returns at once. What is older than ``ttl`` or beyond the newest ``most`` rows goes."""

        def work(connection: "psycopg.Connection[Any]") -> None:
            connection.execute(_WRITE, [entry, value])
            connection.execute(_CLEAR, [ttl, most])

        if self._awake():
            self._send(work)

    async def close(self) -> None:
        """Closes the connection; a closed store knows nothing."""
        if self._rests_until == math.inf:
            return
        self._rests_until = math.inf
        closing = asyncio.wrap_future(self._worker.submit(self._line.drop))
        self._worker.shutdown(wait=False)
        done, _ = await asyncio.wait({closing}, timeout=self._patience)
        if not done:
            self._line.hang_up()

    def _awake(self) -> bool:
        return self._clock.monotonic() >= self._rests_until

    async def _ask(self, work: Callable[["psycopg.Connection[Any]"], _T]) -> _T | None:
        if not self._awake():
            return None
        try:
            async with asyncio.timeout(self._patience):
                return await asyncio.wrap_future(self._send(work))
        except TimeoutError:
            self._line.hang_up()
            self._leave_alone("no answer in time")
            return None

    def _send(self, work: Callable[["psycopg.Connection[Any]"], _T]) -> Future[_T | None]:
        return self._worker.submit(self._attempt, work)

    # From here on in the thread; ``hang_up`` and ``_leave_alone`` also outside of it.

    def _attempt(self, work: Callable[["psycopg.Connection[Any]"], _T]) -> _T | None:
        from psycopg import OperationalError

        try:
            held = self._line.connection
            try:
                return work(held or self._connected())
            except OperationalError:
                if held is None or not held.broken:
                    raise
                # The server had closed it while it lay idle; a new one tells how things are.
                return work(self._connected())
        except Exception as trouble:
            # Whatever it was: an invocation is worth more than what could be remembered for it.
            self._leave_alone(type(trouble).__name__)
            self._line.drop()
            return None

    def _connected(self) -> "psycopg.Connection[Any]":
        import psycopg
        from psycopg.conninfo import conninfo_to_dict

        self._line.drop()
        parts: dict[str, Any] = {
            "connect_timeout": _CONNECT_SECONDS,
            **conninfo_to_dict(self._address()),
            "application_name": "esra own",
        }
        parts["options"] = f"{parts.get('options', '')} {_LIMIT}".strip()
        connection = psycopg.connect(**parts, autocommit=True)
        self._line.hold(connection)
        connection.execute(_TABLES)
        return connection

    def _leave_alone(self, trouble: str) -> None:
        self._rests_until = max(self._rests_until, self._clock.monotonic() + self._rest)
        _log.warning("esra's own store is left alone for %g s: %s", self._rest, trouble)


def _first(row: tuple[Any, ...] | None) -> Any:
    return row[0] if row else None
