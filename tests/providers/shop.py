"""A PostgreSQL with a schema of its own, filled from records and read by a role that only reads."""

import asyncio
import itertools
import time
from collections.abc import Iterable
from datetime import UTC, datetime

import psycopg
from psycopg import sql

from esra.domain.source import Relation
from esra.providers.memory import Record
from esra.providers.postgres import PostgresProvider
from esra.sources.relation import search_text
from tests.providers.queries import RELATION
from tests.schemas import admit, fresh_schema

READER = "shop_reader"
SCHEMA = "shelf"
_NUMBERS = itertools.count()


class Shop:
    """Owner's connection and reader's provider. ``stock`` makes a relation of its own each time."""

    def __init__(self, database) -> None:
        self.owner = psycopg.connect(database.url, autocommit=True)
        self.database = database
        fresh_schema(self.owner, SCHEMA)
        self.role(READER)
        self.provider = self.reading(READER)

    def run(self, statement: str, values=None):
        return self.owner.execute(statement, values)

    def role(self, name: str, rights: str = "LOGIN") -> None:
        admit(self.owner, SCHEMA, name, rights)

    def reading(self, role: str, **more) -> PostgresProvider:
        return PostgresProvider(lambda: self.database.as_user(role), **more)

    def stock(self, records: Iterable[Record]) -> Relation:
        table = f"docs_{next(_NUMBERS)}"
        self.run(
            f"CREATE TABLE {SCHEMA}.{table} (id text, name text, body text, written timestamptz,"
            " lexemes tsvector, colour text, price numeric, sold boolean, seen timestamptz)"
        )
        with self.owner.cursor() as cursor:
            cursor.executemany(
                f"INSERT INTO {SCHEMA}.{table} VALUES"
                " (%s, %s, %s, %s, to_tsvector('english', %s), %s, %s, %s, %s)",
                [_row(record) for record in records],
            )
        self.run(f"CREATE INDEX ON {SCHEMA}.{table} USING gin (lexemes)")
        self.run(f"ANALYZE {SCHEMA}.{table}")
        return self.offer(table)

    def view(self, select: str, **more) -> Relation:
        """A relation whose rows come from ``select``: the way to put a trap in a query's path."""
        name = f"view_{next(_NUMBERS)}"
        self.run(f"CREATE VIEW {SCHEMA}.{name} AS {select}")
        return self.offer(name, **more)

    def offer(self, table: str, role: str = READER, **more) -> Relation:
        self.run(f"GRANT SELECT ON {SCHEMA}.{table} TO {role}")
        values = {name: getattr(RELATION, name) for name in RELATION.__slots__}
        return Relation(**(values | {"schema": SCHEMA, "table": table} | more))

    def backends(self, role: str = READER) -> list[tuple]:
        """(pid, state, query) of the reader's connections, busy ones first."""
        return self.run(
            "SELECT pid, state, query FROM pg_stat_activity WHERE usename = %s"
            " ORDER BY state <> 'active', pid",
            [role],
        ).fetchall()

    def settled(self, role: str, count: int, seconds: float = 2.0) -> int:
        """How many connections ``role`` has, once it has ``count`` or the time is up."""
        end = time.monotonic() + seconds
        while (found := len(self.backends(role))) != count and time.monotonic() < end:
            time.sleep(0.02)
        return found

    def close(self) -> None:
        asyncio.run(self.provider.close())
        self.run(sql.SQL("DROP SCHEMA {} CASCADE").format(sql.Identifier(SCHEMA)))
        self.owner.close()


def _row(record: Record) -> tuple:
    fields = record.fields
    return (
        record.key,
        record.title,
        record.text,
        _time(record.timestamp),
        search_text(record.title, record.text),
        fields.get("colour"),
        fields.get("price"),
        fields.get("sold"),
        _time(fields.get("seen")),
    )


def _time(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
