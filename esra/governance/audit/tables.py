"""The audit's tables, and the fixed commands on them. The driver and its words stay here.

The log is in the schema ``esra_audit``, where its role may insert and select and nothing else; the
head and the presence of the writers are in ``esra_audit_head``. The address must lead to the server
itself or to a pooler of sessions: a process is known by the lock that its session holds.
"""

import select
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from esra.governance.audit.files import Line
from esra.typed import typed

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[Any]

ROLE = "esra_auditor"
_CONNECT_SECONDS = 2
# The server notices within some 10 s that a process is gone whose machine is gone with it.
_LIMITS = (
    "-c statement_timeout=2000 -c lock_timeout=2000 -c tcp_keepalives_idle=5"
    " -c tcp_keepalives_interval=2 -c tcp_keepalives_count=3"
)
_PRESENT = 7236834  # the first half of the advisory locks by which writers are known to live

_TABLES = """
CREATE SCHEMA IF NOT EXISTS esra_audit;
CREATE SCHEMA IF NOT EXISTS esra_audit_head;
CREATE TABLE IF NOT EXISTS esra_audit.records (
    sequence bigint PRIMARY KEY, line text NOT NULL);
CREATE TABLE IF NOT EXISTS esra_audit_head.head (
    one boolean PRIMARY KEY DEFAULT true CHECK (one), sealed text NOT NULL);
CREATE TABLE IF NOT EXISTS esra_audit_head.writers (
    writer integer PRIMARY KEY, since bigint NOT NULL);
INSERT INTO esra_audit_head.head (sealed) VALUES ('') ON CONFLICT DO NOTHING;
"""
# Whoever holds the head's row holds the chain: nobody else appends before the commit.
_HOLD = "SELECT sealed FROM esra_audit_head.head FOR UPDATE"
_EMPTY = "SELECT NOT EXISTS (SELECT FROM esra_audit.records)"
_APPEND = """INSERT INTO esra_audit.records (sequence, line)
SELECT * FROM unnest(%s::bigint[], %s::text[])"""
_SAVE = "UPDATE esra_audit_head.head SET sealed = %s"
_LIVE = "SELECT pg_advisory_lock(%s, %s)"
_POINT = """INSERT INTO esra_audit_head.writers VALUES (%s, %s)
ON CONFLICT (writer) DO UPDATE SET since = excluded.since"""
_GONE = """SELECT writer, since FROM esra_audit_head.writers
WHERE writer <> %s AND pg_try_advisory_xact_lock(%s, writer)"""
_FORGET = "DELETE FROM esra_audit_head.writers WHERE writer = %s"
_SINCE = "SELECT line FROM esra_audit.records WHERE sequence > %s ORDER BY sequence"
_HEAD = "SELECT sealed FROM esra_audit_head.head"
_PAGE = """SELECT sequence, line FROM esra_audit.records
WHERE sequence > %s ORDER BY sequence LIMIT 5000"""


class ServerTrouble(OSError):
    """The server or the way to it failed; the message is the kind of trouble, no word of either."""


@contextmanager
def kept_in() -> Iterator[None]:
    """What the driver raises comes out as ``ServerTrouble``."""
    from psycopg import Error

    try:
        yield
    except Error as error:
        raise ServerTrouble(type(error).__name__) from error


def prepare(url: str, role: str = ROLE) -> None:
    """Makes the audit's role, if there is none, and its tables; ``url`` is an administrator's.

    The tables stay the administrator's, so that the role can neither change nor drop them. Give the
    role a password where the server asks for one. What is there already stays. ``ServerTrouble``.
    """
    import psycopg
    from psycopg import sql

    name = sql.Identifier(role)
    with kept_in(), psycopg.connect(url) as admin:
        if not admin.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role]).fetchone():
            admin.execute(sql.SQL("CREATE ROLE {} LOGIN").format(name))
        admin.execute(_TABLES)
        grants = sql.SQL("""
            GRANT USAGE ON SCHEMA esra_audit, esra_audit_head TO {role};
            GRANT SELECT, INSERT ON esra_audit.records TO {role};
            GRANT SELECT, UPDATE ON esra_audit_head.head TO {role};
            GRANT SELECT, INSERT, UPDATE, DELETE ON esra_audit_head.writers TO {role};
        """)
        admin.execute(grants.format(role=name))


def connect(address: str) -> "Connection":
    """A connection of the audit's role, with time limits. Raises psycopg's errors."""
    import psycopg
    from psycopg.conninfo import conninfo_to_dict

    parts: dict[str, Any] = {
        "connect_timeout": _CONNECT_SECONDS,
        **conninfo_to_dict(address),
        "application_name": "esra audit",
    }
    parts["options"] = f"{parts.get('options', '')} {_LIMITS}".strip()
    return psycopg.connect(**parts, autocommit=True)


def alive(connection: "Connection") -> bool:
    """False when the server has hung up (or has something to say that nobody asked)."""
    if connection.closed:
        return False
    heard = select.poll()
    heard.register(connection.fileno(), select.POLLIN)
    return not heard.poll(0)


def be_present(connection: "Connection", writer: int) -> None:
    """For as long as the connection lives."""
    connection.execute(_LIVE, [_PRESENT, writer])


class Turn:
    """One transaction that holds the chain, from its start to its commit."""

    def __init__(self, connection: "Connection") -> None:
        self._connection = connection
        self.sealed = str(_first(connection.execute(_HOLD).fetchone()))

    def empty(self) -> bool:
        return bool(_first(self._connection.execute(_EMPTY).fetchone()))

    def append(self, first: int, made: Sequence[str], sealed: str) -> None:
        """The lines ``made`` from sequence ``first`` on, and the head that has seen them."""
        numbers = list(range(first, first + len(made)))
        self._connection.execute(_APPEND, [numbers, list(made)])
        self._connection.execute(_SAVE, [sealed])
        self.sealed = sealed

    def point(self, writer: int, since: int) -> None:
        self._connection.execute(_POINT, [writer, since])

    def gone(self, own: int) -> list[tuple[int, int]]:
        """(writer, before its oldest open invocation) of those that live no more."""
        rows = self._connection.execute(_GONE, [own, _PRESENT]).fetchall()
        return [(writer, since) for writer, since in rows]

    def since(self, sequence: int) -> Iterator[bytes]:
        for (line,) in self._connection.execute(_SINCE, [sequence]):
            yield line.encode()

    def forget(self, writer: int) -> None:
        self._connection.execute(_FORGET, [writer])


@contextmanager
def turn(connection: "Connection") -> Iterator[Turn]:
    """Committed at the end; its commands travel together, so that a write is two journeys."""
    with connection.pipeline(), connection.transaction():
        yield Turn(connection)


def head(connection: "Connection") -> bytes:
    return str(_first(connection.execute(_HEAD).fetchone())).encode()


def lines(connection: "Connection") -> Iterator[Line]:
    """All of them, by their sequence."""
    last = -(2**63)
    while rows := connection.execute(_PAGE, [last]).fetchall():
        for last, line in rows:
            yield Line(file="esra_audit.records", number=last, data=line.encode())


@contextmanager
def snapshot(address: str) -> "Iterator[Connection]":
    """A connection that sees one moment, and may only look. ``ServerTrouble``."""
    import psycopg

    with kept_in(), connect(address) as connection:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.read_only = True
        with connection.transaction():
            yield connection


def _first(row: tuple[Any, ...] | None) -> Any:
    if row is None:
        raise LookupError(f"the audit's tables are not prepared: run `{typed('audit init')}`")
    return row[0]
