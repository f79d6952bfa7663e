"""Puts the sample into the embedded database, for the role that esra reads with.

One transaction: whoever reads meanwhile reads the old pages.
Only the embedded database is written to; a server of somebody's own is none of the sample's.
"""

from typing import Any

import psycopg
from psycopg import sql

from esra.sample.pages import Page, pages
from esra.sources.relation import search_text

# No capability's schema has a hyphen in its name, so nothing of anybody's is in the way.
SCHEMA, TABLE = "esra-sample", "pages"
_LOCK = 7_236_834  # beside those of esra's own store

_CLEAR = sql.SQL("DROP SCHEMA IF EXISTS {} CASCADE")
_SCHEMA = sql.SQL("CREATE SCHEMA {}")
_TABLE = sql.SQL(
    'CREATE TABLE {}.{} (key text COLLATE "C" PRIMARY KEY, title text NOT NULL,'
    " text text NOT NULL, audience text NOT NULL, vector tsvector NOT NULL)"
)
_ROW = sql.SQL("INSERT INTO {}.{} VALUES (%s, %s, %s, %s, to_tsvector('english', %s))")
_INDEX = sql.SQL("CREATE INDEX ON {}.{} USING gin (vector)")
_ANALYZE = sql.SQL("ANALYZE {}.{}")
_ROLE = sql.SQL("CREATE ROLE {} LOGIN")
_USAGE = sql.SQL("GRANT USAGE ON SCHEMA {} TO {}")
_SELECT = sql.SQL("GRANT SELECT ON {}.{} TO {}")


def load(url: str, reader: str) -> int:
    """How many pages are there now. ``url`` is the embedded server's own, ``reader`` a role."""
    own = pages()
    with psycopg.connect(url, client_encoding="UTF8") as connection:
        # Of two that build at once the second would fail at its end.
        connection.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
        _build(connection, own)
        _let_read(connection, reader)
    return len(own)


def _build(connection: psycopg.Connection[Any], own: tuple[Page, ...]) -> None:
    schema, table = sql.Identifier(SCHEMA), sql.Identifier(TABLE)
    connection.execute(_CLEAR.format(schema))
    connection.execute(_SCHEMA.format(schema))
    connection.execute(_TABLE.format(schema, table))
    rows = [
        # Words are split here and not by the server's parser, so that a question's are split alike.
        (page.key, page.title, page.text, page.audience, search_text(page.title, page.text))
        for page in own
    ]
    connection.cursor().executemany(_ROW.format(schema, table), rows)
    connection.execute(_INDEX.format(schema, table))
    connection.execute(_ANALYZE.format(schema, table))


def _let_read(connection: psycopg.Connection[Any], reader: str) -> None:
    schema, table, role = map(sql.Identifier, (SCHEMA, TABLE, reader))
    known = connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [reader]).fetchone()
    if known is None:
        connection.execute(_ROLE.format(role))
    connection.execute(_USAGE.format(schema, role))
    connection.execute(_SELECT.format(schema, table, role))
