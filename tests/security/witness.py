"""What a server has seen: the state of everything that could have changed, and its own log.

``state`` is read before and after. ``Sessions`` looks at each connection when a borrower gives it
back, before it is cleaned. ``ServerLog`` needs a server whose log is a file beside its data, and
empties that file, which the server appends to.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from psycopg import sql

from esra.providers.postgres import run
from esra.providers.postgres.pool import Connection, Connections

TABLES = """
SELECT n.nspname, c.relname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relkind = ANY(%s) AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
ORDER BY 1, 2"""
ROWS = """
SELECT count(*), md5(coalesce(string_agg(t::text, '|' ORDER BY t::text), ''))
FROM (SELECT * FROM {}.{}) AS t"""
# Names of whatever there is in the catalogue, so that nothing could be made or dropped.
CATALOGUE = """
SELECT 'relation', count(*), md5(string_agg(oid::text || relname, '|' ORDER BY oid)) FROM pg_class
UNION ALL SELECT 'function', count(*), md5(string_agg(oid::text || proname, '|' ORDER BY oid))
  FROM pg_proc
UNION ALL SELECT 'schema', count(*), md5(string_agg(nspname, '|' ORDER BY oid)) FROM pg_namespace
UNION ALL SELECT 'role', count(*), md5(string_agg(r::text, '|' ORDER BY oid)) FROM pg_roles AS r
UNION ALL SELECT 'setting', count(*), md5(coalesce(string_agg(s::text, '|' ORDER BY s::text), ''))
  FROM pg_db_role_setting AS s
UNION ALL SELECT 'large object', count(*),
  md5(coalesce(string_agg(oid::text || lo_get(oid)::text, '|' ORDER BY oid), ''))
  FROM pg_largeobject_metadata
UNION ALL SELECT 'advisory lock', count(*), '' FROM pg_locks WHERE locktype = 'advisory'
UNION ALL SELECT 'prepared transaction', count(*), '' FROM pg_prepared_xacts"""
LEFT_BEHIND = """
SELECT (SELECT count(*) FROM pg_listening_channels()),
  (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()),
  (SELECT count(*) FROM pg_prepared_statements), (SELECT count(*) FROM pg_cursors),
  pg_my_temp_schema()::int, (SELECT count(*) FROM pg_settings WHERE source = 'session')"""
NOTHING = (0, 0, 0, 0, 0, 0)


def state(run) -> dict[str, tuple]:
    """(count, checksum) of every table, sequence, large object and catalogue, by name."""
    seen: dict[str, tuple] = {}
    for kinds in (["r", "p", "m"], ["S"]):
        for schema, name in run(TABLES, [kinds]).fetchall():
            counted = sql.SQL(ROWS).format(sql.Identifier(schema), sql.Identifier(name))
            seen[f"{schema}.{name}"] = run(counted).fetchone()
    return seen | {kind: (count, check) for kind, count, check in run(CATALOGUE).fetchall()}


class Sessions:
    """Puts itself before the cleaning of a provider's connections; ``seen`` is what it found."""

    def __init__(self) -> None:
        self.seen: set[tuple] = set()

    def watch(self, provider, address, *, most: int) -> None:
        provider._connections = Connections(address, most=most, reset=self._look)

    async def _look(self, connection: Connection) -> None:
        cursor = await connection.execute(LEFT_BEHIND)
        self.seen.add(await cursor.fetchone())
        await run.forget(connection)


class ServerLog:
    """Statements of the one role that is logged, in the words of the server."""

    def __init__(self, run, role: str) -> None:
        (data,) = run("SELECT current_setting('data_directory')").fetchone()
        self._path = Path(data).parent / "server.log"
        for name, value in (("log_statement", "all"), ("log_parameter_max_length", "0")):
            run(f"ALTER ROLE {role} SET {name} = '{value}'")

    def taken(self) -> list[str]:
        """What has been logged since the last time; then the log is empty."""
        text = self._path.read_text("utf-8", "replace")
        os.truncate(self._path, 0)
        return list(_statements(text))


_ENTRY = re.compile(r"^\d{4}-\d\d-\d\d \S+ \S+ \[\d+\] ", re.MULTILINE)
_STATEMENT = re.compile(r"LOG:  (?:statement|execute [^:]*): ")


def _statements(log: str) -> Iterator[str]:
    for entry in _ENTRY.split(log):
        if found := _STATEMENT.match(entry):
            # The server indents the further lines of a message.
            yield entry[found.end() :].rstrip("\n").replace("\n\t", "\n")
