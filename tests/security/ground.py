"""A shop in a database of its own, and a role there that could write: what a campaign runs as.

Roles belong to the whole server, so these are not the ones of the other tests.
"""

import asyncio
from dataclasses import dataclass

import psycopg

from esra.domain.source import Relation
from tests.providers.shop import SCHEMA, Shop

DATABASE = "security"
READER = "security_reader"
WRITER = "security_writer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A database of the server, reached as the tests' own database is."""

    server: object

    @property
    def url(self) -> str:
        return self.as_user("postgres")

    def as_user(self, role: str) -> str:
        return self.server.as_user(role, DATABASE)


class Ground(Shop):
    """Its ``provider`` reads as ``READER``. ``WRITER`` has every right on the decoy schema."""

    def __init__(self, server) -> None:
        self._server = server
        with psycopg.connect(server.url, autocommit=True) as connection:
            connection.execute(f"DROP DATABASE IF EXISTS {DATABASE} WITH (FORCE)")
            connection.execute(f"CREATE DATABASE {DATABASE}")
        super().__init__(Place(server=server))
        for role in (READER, WRITER):
            self.role(role)
        self.provider = self.reading(READER)

    def offer(self, table: str, role: str = READER, **more) -> Relation:
        return super().offer(table, role, **more)

    def close(self) -> None:
        asyncio.run(self.provider.close())
        self.owner.close()
        with psycopg.connect(self._server.url, autocommit=True) as connection:
            connection.execute(f"DROP DATABASE {DATABASE} WITH (FORCE)")
            for role in (READER, WRITER):
                connection.execute(f"DROP ROLE {role}")

    def decoy(self) -> None:
        """A schema that the writing role may do anything in: rows, a sequence, a large object."""
        for statement in DECOY:
            self.run(statement)
        self.run(
            f"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {SCHEMA} TO {WRITER}"
        )


DECOY = (
    "DROP SCHEMA IF EXISTS decoy CASCADE",
    "CREATE SCHEMA decoy",
    "CREATE TABLE decoy.ledger (id serial PRIMARY KEY, line text, amount numeric)",
    "INSERT INTO decoy.ledger (line, amount) SELECT 'line ' || n, n FROM generate_series(1, 500) n",
    "CREATE FUNCTION decoy.write() RETURNS text LANGUAGE sql VOLATILE SECURITY DEFINER AS"
    " $$ INSERT INTO decoy.ledger (line) VALUES ('was here') RETURNING line $$",
    f"GRANT ALL ON SCHEMA decoy, public TO {WRITER}",
    f"GRANT ALL ON ALL TABLES IN SCHEMA decoy TO {WRITER}",
    f"GRANT ALL ON ALL SEQUENCES IN SCHEMA decoy TO {WRITER}",
    f"GRANT CREATE, TEMPORARY ON DATABASE {DATABASE} TO {WRITER}",
    "SELECT lo_from_bytea(424242, 'large and untouched')"
    " WHERE NOT EXISTS (SELECT FROM pg_largeobject_metadata WHERE oid = 424242)",
    f"ALTER LARGE OBJECT 424242 OWNER TO {WRITER}",
)
