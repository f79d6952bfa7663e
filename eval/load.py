"""Loads a federation into PostgreSQL: a schema of its own, a table a source, a role that reads.

Everything happens in one transaction that builds beside the old schema and puts the new one in
its place at the end: whoever reads meanwhile reads the old one, and a load that is killed leaves
nothing behind. A schema that this module did not make is never touched. What is loaded already,
by fingerprint, is left as it is.

Needs PostgreSQL 14 and a role that may create schemas; one that may create roles too, unless a
reader is named.
"""

import hashlib
import secrets
from collections.abc import Callable
from dataclasses import dataclass

import psycopg
from psycopg import Connection, sql

from esra.sources.relation import search_text
from eval.dataset import Federation, SourceFolder

READER = "esra_reader"
OLDEST = 140_000  # PostgreSQL 14, as the server counts
# A tsvector holds under 1 MiB. A word of n bytes takes at most 2.4 times its place in the text.
LONGEST = 400_000  # bytes of UTF-8
# Part of the fingerprint: raised when the tables would be built otherwise.
LAYOUT = 2
MARK = "esra load "

Say = Callable[[str], None]


class LoadError(Exception):
    """Why nothing was loaded, and what to do; one line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Where a source's documents are; ``dated`` if some have a timestamp."""

    source: str
    table: str
    documents: int
    dated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """What is in the database. ``password`` is the reader's, where the role was made just now.

    ``fresh`` is False where everything was there already.
    """

    schema: str
    tables: tuple[Table, ...]
    language: str
    fresh: bool
    reader: str
    password: str | None


def load(
    federation: Federation,
    database_url: str,
    *,
    schema: str,
    reader: str | None = None,
    language: str = "english",
    say: Say | None = None,
) -> Loaded:
    """Loads what is not loaded yet, and lets ``reader`` (a role) read it. Raises LoadError.

    ``language`` is a text search configuration of the server. Without a ``reader`` the role
    ``esra_reader`` is used, and made where it is missing.
    """
    say = say or (lambda _: None)
    tables = tuple(_table(source) for source in federation.sources)
    mark = _mark(federation, language)
    try:
        with psycopg.connect(database_url, client_encoding="UTF8") as connection:
            _check(connection, language)
            # Two loads of one name at a time would build twice and wait for each other at the end.
            connection.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", [schema])
            fresh = _marked(connection, schema) != mark
            if fresh:
                _build(connection, federation, schema, language, mark, say)
            name, password = _reader(connection, reader)
            _grant(connection, schema, tables, name)
    except psycopg.Error as trouble:
        raise LoadError(_advice(trouble)) from trouble
    return Loaded(
        schema=schema,
        tables=tables,
        language=language,
        fresh=fresh,
        reader=name,
        password=password,
    )


def _table(source: SourceFolder) -> Table:
    return Table(
        source=source.name,
        table=source.name,
        documents=len(source.documents),
        dated=any(document.date for document in source.documents),
    )


def _mark(federation: Federation, language: str) -> str:
    names = ",".join(source.name for source in federation.sources)
    told = f"{LAYOUT}\n{federation.fingerprint}\n{names}\n{language}"
    return MARK + hashlib.sha256(told.encode()).hexdigest()


def _check(connection: Connection, language: str) -> None:
    if connection.info.server_version < OLDEST:
        raise LoadError(
            f"the server is PostgreSQL {connection.info.server_version // 10_000}; "
            "14 or later is needed"
        )
    found = connection.execute("SELECT 1 FROM pg_ts_config WHERE cfgname = %s", [language])
    if not found.fetchone():
        raise LoadError(
            f"the server has no text search configuration {language!r}; "
            "SELECT cfgname FROM pg_ts_config lists them"
        )
    if connection.info.parameter_status("server_encoding") != "UTF8":
        raise LoadError("the database is not encoded in UTF8; create one that is")


def _marked(connection: Connection, schema: str) -> str | None:
    """The mark of the schema as it is; None where there is none. LoadError for a foreign one."""
    row = connection.execute(
        "SELECT obj_description(oid, 'pg_namespace') FROM pg_namespace WHERE nspname = %s", [schema]
    ).fetchone()
    if row and not (row[0] or "").startswith(MARK):
        raise LoadError(
            f"the schema {schema!r} exists and was not loaded by esra; choose another --name"
        )
    return row[0] if row else None


def _build(
    connection: Connection,
    federation: Federation,
    schema: str,
    language: str,
    mark: str,
    say: Say,
) -> None:
    # No capability's schema has a hyphen, and nobody else's has this name: nothing is in the way.
    building = f"esra-building-{secrets.token_hex(8)}"
    connection.execute(_named("CREATE SCHEMA {}", building))
    for source in federation.sources:
        say(f"loading {source.name}: {len(source.documents):,} documents")
        if cut := _fill(connection, building, source, language):
            say(f"  {cut} of them are too long to be found by the words at their end")
    # Looked at again: somebody may have made it while this one was filled.
    if _marked(connection, schema):
        connection.execute(_named("DROP SCHEMA {} CASCADE", schema))
    connection.execute(_named("ALTER SCHEMA {} RENAME TO {}", building, schema))
    comment = sql.SQL("COMMENT ON SCHEMA {} IS {}")
    connection.execute(comment.format(sql.Identifier(schema), sql.Literal(mark)))


def _fill(connection: Connection, schema: str, source: SourceFolder, language: str) -> int:
    """Makes and fills a source's table; how many documents are not indexed to their end."""
    # Words are split here and not by the server's parser, so that a question's are split alike.
    connection.execute(
        "CREATE TEMP TABLE esra_stage (key text, title text, text text, stamp timestamptz,"
        " words text) ON COMMIT DROP"
    )
    cut = 0
    with connection.cursor().copy("COPY esra_stage FROM STDIN") as copy:
        for document in source.documents:
            words = search_text(document.title, document.text)
            whole = _within(words)
            cut += len(whole) < len(words)
            copy.write_row((document.key, document.title, document.text, document.date, whole))
    connection.execute(
        _named(
            'CREATE TABLE {}.{} (key text COLLATE "C" PRIMARY KEY, title text NOT NULL,'
            ' text text NOT NULL, "timestamp" timestamptz, vector tsvector NOT NULL)',
            schema,
            source.name,
        )
    )
    connection.execute(
        _named(
            "INSERT INTO {}.{} SELECT key, title, text, stamp,"
            " to_tsvector(%s::regconfig, words) FROM esra_stage",
            schema,
            source.name,
        ),
        [language],
    )
    connection.execute(_named("CREATE INDEX ON {}.{} USING gin (vector)", schema, source.name))
    connection.execute(_named("ANALYZE {}.{}", schema, source.name))
    connection.execute("DROP TABLE esra_stage")
    return cut


def _within(words: str) -> str:
    """As many of the words, from the start, as an index takes."""
    coded = words.encode()
    if len(coded) <= LONGEST:
        return words
    return coded[:LONGEST].decode(errors="ignore").rpartition(" ")[0]


def _reader(connection: Connection, wished: str | None) -> tuple[str, str | None]:
    """The reading role, and its password where it was made just now."""
    name = wished or READER
    if connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [name]).fetchone():
        return name, None
    if wished:
        raise LoadError(f"the server has no role {wished!r}; create it, or name no reader")
    password = secrets.token_urlsafe(24)
    # The server is sent a SCRAM verifier: the password would stand in its log.
    verifier = connection.pgconn.encrypt_password(
        password.encode(), name.encode(), b"scram-sha-256"
    )
    create = sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}")
    connection.execute(create.format(sql.Identifier(name), sql.Literal(verifier.decode())))
    return name, password


def _grant(connection: Connection, schema: str, tables: tuple[Table, ...], reader: str) -> None:
    connection.execute(_named("GRANT USAGE ON SCHEMA {} TO {}", schema, reader))
    for table in tables:
        connection.execute(_named("GRANT SELECT ON {}.{} TO {}", schema, table.table, reader))


def _named(text: str, *names: str) -> sql.Composed:
    """A statement of this module with quoted names in it."""
    return sql.SQL(text).format(*map(sql.Identifier, names))  # type: ignore[arg-type]


def _advice(trouble: psycopg.Error) -> str:
    said = trouble.diag.message_primary or str(trouble).strip().splitlines()[0]
    match trouble:
        case psycopg.errors.InsufficientPrivilege() if "role" in said:
            return (
                f"the loading role may not create the reading role ({said}); create a role with "
                "LOGIN and set ESRA_READER_URL to the database as that role"
            )
        case psycopg.errors.InsufficientPrivilege():
            return f"{said}; the loading role needs CREATE on the database"
        case psycopg.OperationalError():
            return f"the database cannot be reached: {said}"
    return f"the database refused to load: {said}"
