"""A federation gets into PostgreSQL whole or not at all, and a reader can read it and no more."""

import os
import signal
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from eval.dataset import Document, Federation, SourceFolder
from eval.load import LONGEST, READER, LoadError, load

SCHEMA = "esra_test"
NEIGHBOUR = f"{SCHEMA}_building"


def document(key: str, text: str = "word", **more) -> Document:
    return Document(key=key, title=more.pop("title", ""), text=text, **more)


def federation(**sources) -> Federation:
    return Federation(
        sources=tuple(
            SourceFolder(
                name=name,
                path=Path(name),
                documents=tuple(documents),
                queries=(),
                judgements={},
                unjudged=(),
                findings=(),
                fingerprint=name,
            )
            for name, documents in sources.items()
        ),
        queries=(),
        judgements={},
        unjudged=(),
        findings=(),
        fingerprint=repr(sources),
    )


BOOKS = federation(
    books=[
        document("0001", "The first e-mail", title="COVID-19"),
        document("a|b c", "tab\there\nand\\there", date=datetime(2020, 1, 2, tzinfo=UTC)),
    ],
    films=[document("0001", "Another one")],
)


@pytest.fixture
def owner(database):
    with psycopg.connect(database.url, autocommit=True) as connection:
        drop(connection)
        yield connection
        drop(connection)


def drop(connection) -> None:
    for schema in (SCHEMA, NEIGHBOUR):
        connection.execute(f"DROP SCHEMA IF EXISTS {schema} CASCADE")
    if connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [READER]).fetchone():
        connection.execute(f"DROP OWNED BY {READER}")
        connection.execute(f"DROP ROLE {READER}")


def rows(connection, statement: str, *values) -> list[tuple]:
    return connection.execute(statement, values).fetchall()


def tables(connection) -> set[str]:
    found = rows(connection, "SELECT tablename FROM pg_tables WHERE schemaname = %s", SCHEMA)
    return {name for (name,) in found}


def schemas(connection) -> set[str]:
    """Those of this file and those that loads are built in."""
    found = rows(
        connection,
        "SELECT nspname FROM pg_namespace WHERE nspname LIKE ANY (%s)",
        [f"{SCHEMA}%", "esra-%"],
    )
    return {name for (name,) in found}


def test_every_document_arrives_to_the_letter(owner, database):
    """An id with a leading zero or a text with a tab would be another one."""
    loaded = load(BOOKS, database.url, schema=SCHEMA)
    found = rows(owner, f'SELECT key, title, text, "timestamp" FROM {SCHEMA}.books ORDER BY key')
    assert found == [
        ("0001", "COVID-19", "The first e-mail", None),
        ("a|b c", "", "tab\there\nand\\there", datetime(2020, 1, 2, tzinfo=UTC)),
    ]
    assert [(t.source, t.table, t.documents, t.dated) for t in loaded.tables] == [
        ("books", "books", 2, True),
        ("films", "films", 1, False),
    ]
    assert (loaded.schema, loaded.fresh, loaded.reader) == (SCHEMA, True, READER)


def test_words_are_indexed_as_a_question_asks_for_them(owner, database):
    """`COVID-19` would be stored as a word that no question holds."""
    load(BOOKS, database.url, schema=SCHEMA)
    (found,) = rows(
        owner,
        f"SELECT array_agg(lexeme ORDER BY lexeme) FROM {SCHEMA}.books, unnest(vector)"
        " WHERE key = '0001'",
    )
    assert found == (["19", "covid", "e", "email", "first", "mail"],)


def test_a_second_load_does_nothing_and_a_changed_one_replaces(owner, database):
    """Each start would load for minutes, or an edited folder would never be read again."""
    assert load(BOOKS, database.url, schema=SCHEMA).fresh
    before = rows(owner, "SELECT oid FROM pg_namespace WHERE nspname = %s", SCHEMA)
    again = load(BOOKS, database.url, schema=SCHEMA)
    assert rows(owner, "SELECT oid FROM pg_namespace WHERE nspname = %s", SCHEMA) == before
    assert (again.fresh, again.password) == (False, None)
    changed = load(federation(books=[document("2")]), database.url, schema=SCHEMA)
    assert changed.fresh
    assert tables(owner) == {"books"}
    assert rows(owner, f"SELECT key FROM {SCHEMA}.books") == [("2",)]
    assert load(
        federation(books=[document("2")]), database.url, schema=SCHEMA, language="simple"
    ).fresh


def test_the_reader_reads_these_tables_and_does_nothing_else(owner, database):
    """What a search connects as could write, or read what was never loaded."""
    owner.execute("CREATE TABLE IF NOT EXISTS public.payroll (x int)")
    loaded = load(BOOKS, database.url, schema=SCHEMA)
    with psycopg.connect(database.as_user(loaded.reader), autocommit=True) as reader:
        assert rows(reader, f"SELECT count(*) FROM {SCHEMA}.books") == [(2,)]
        for attempt in (
            f"INSERT INTO {SCHEMA}.books (key) VALUES ('x')",
            f"DELETE FROM {SCHEMA}.films",
            f"CREATE TABLE {SCHEMA}.mine (x int)",
            "SELECT * FROM public.payroll",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                reader.execute(attempt)
    assert loaded.password


def test_a_schema_somebody_else_made_is_left_alone(owner, database):
    """A person's own data would be dropped because of its name."""
    owner.execute(f"CREATE SCHEMA {SCHEMA}")
    owner.execute(f"CREATE TABLE {SCHEMA}.dear (x int)")
    with pytest.raises(LoadError, match="was not loaded by esra"):
        load(BOOKS, database.url, schema=SCHEMA)
    assert tables(owner) == {"dear"}


def test_a_capability_called_building_keeps_its_tables(owner, database):
    """Loading "a" would drop what was loaded for "a building"."""
    load(BOOKS, database.url, schema=NEIGHBOUR)
    load(BOOKS, database.url, schema=SCHEMA)
    assert load(federation(books=[document("2")]), database.url, schema=SCHEMA).fresh
    assert rows(owner, f"SELECT count(*) FROM {NEIGHBOUR}.books") == [(2,)]
    assert not load(BOOKS, database.url, schema=NEIGHBOUR).fresh


def test_a_strangers_schema_is_never_in_the_way(owner, database):
    """A person's own data would be dropped because a load once used such a name."""
    owner.execute(f"CREATE SCHEMA {NEIGHBOUR}")
    owner.execute(f"CREATE TABLE {NEIGHBOUR}.dear AS SELECT 1 AS x")
    load(BOOKS, database.url, schema=SCHEMA)
    assert rows(owner, f"SELECT x FROM {NEIGHBOUR}.dear") == [(1,)]
    assert schemas(owner) == {SCHEMA, NEIGHBOUR}


@pytest.mark.parametrize("loaded_before", [True, False])
def test_a_schema_made_during_a_load_is_left_alone(owner, database, loaded_before):
    """What somebody put there while the tables were filled would go without a word."""
    if loaded_before:
        load(federation(books=[document("2")]), database.url, schema=SCHEMA)

    def take_the_name(line: str) -> None:
        if "films" in line:
            owner.execute(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE")
            owner.execute(f"CREATE SCHEMA {SCHEMA}")
            owner.execute(f"CREATE TABLE {SCHEMA}.dear (x int)")

    with pytest.raises(LoadError, match="was not loaded by esra"):
        load(BOOKS, database.url, schema=SCHEMA, say=take_the_name)
    assert tables(owner) == {"dear"}
    assert schemas(owner) == {SCHEMA}


def test_a_load_that_fails_leaves_what_was_there(owner, database):
    """One bad document would cost all the good ones."""
    load(BOOKS, database.url, schema=SCHEMA)
    with pytest.raises(LoadError, match="refused to load"):
        load(federation(books=[document("1"), document("1")]), database.url, schema=SCHEMA)
    assert tables(owner) == {"books", "films"}
    assert rows(owner, f"SELECT count(*) FROM {SCHEMA}.books") == [(2,)]


KILLED = """
import os, signal, sys
sys.path.insert(0, {root!r})
from tests.providers.test_load import SCHEMA, document, federation
from eval.load import load

def say(line):
    if "films" in line:
        os.kill(os.getpid(), signal.SIGKILL)

new = federation(books=[document("new")], films=[document("new")])
load(new, sys.argv[1], schema=SCHEMA, say=say)
"""


def test_a_load_that_is_killed_leaves_what_was_there(owner, database):
    """A closed laptop in the middle of a load would leave half a federation."""
    load(BOOKS, database.url, schema=SCHEMA)
    root = str(Path(__file__).resolve().parents[2])
    child = subprocess.run(
        [sys.executable, "-c", KILLED.format(root=root), database.url],
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
        check=False,
    )
    assert child.returncode == -signal.SIGKILL
    assert tables(owner) == {"books", "films"}
    assert rows(owner, f"SELECT count(*) FROM {SCHEMA}.books") == [(2,)]
    assert schemas(owner) == {SCHEMA}
    assert load(federation(books=[document("2")]), database.url, schema=SCHEMA).fresh


def test_a_document_of_a_million_different_words_is_bounded_and_loaded(owner, database):
    """One long record would stop the load of all of them."""
    long = " ".join(f"w{n:x}" for n in range(300_000))
    told: list[str] = []
    assert len(long) > 4 * LONGEST
    books = federation(books=[document("long", long), document("short")])
    load(books, database.url, schema=SCHEMA, say=told.append)
    (found,) = rows(owner, f"SELECT text, length(vector) FROM {SCHEMA}.books WHERE key = 'long'")
    assert found[0] == long
    assert found[1] > 40_000
    assert any("1 of them are too long" in line for line in told)


def test_a_loading_role_that_may_not_make_a_reader_is_told_what_to_do(owner, database):
    """A managed database would end the load with the server's own words."""
    owner.execute("DROP ROLE IF EXISTS loader_test")
    owner.execute("CREATE ROLE loader_test LOGIN")
    (name,) = rows(owner, "SELECT current_database()")[0]
    owner.execute(
        sql.SQL("GRANT CREATE ON DATABASE {} TO loader_test").format(sql.Identifier(name))
    )
    try:
        with pytest.raises(LoadError, match="ESRA_READER_URL"):
            load(BOOKS, database.as_user("loader_test"), schema=SCHEMA)
        assert tables(owner) == set()
        owner.execute(f"CREATE ROLE {READER} LOGIN")
        loaded = load(BOOKS, database.as_user("loader_test"), schema=SCHEMA, reader=READER)
        assert (loaded.fresh, loaded.password) == (True, None)
        with psycopg.connect(database.as_user(READER)) as reader:
            assert rows(reader, f"SELECT count(*) FROM {SCHEMA}.books") == [(2,)]
    finally:
        owner.execute(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE")
        owner.execute("DROP OWNED BY loader_test")
        owner.execute("DROP ROLE loader_test")


def test_a_role_that_may_not_create_a_schema_is_told_what_it_lacks(owner, database):
    """The first wall would look like the last."""
    owner.execute(f"CREATE ROLE {READER} LOGIN")
    with pytest.raises(LoadError, match="needs CREATE on the database"):
        load(BOOKS, database.as_user(READER), schema=SCHEMA)


@pytest.mark.parametrize(
    ("more", "said"),
    [({"language": "klingon"}, "klingon"), ({"reader": "nobody_here"}, "nobody_here")],
)
def test_what_is_not_on_the_server_is_named(owner, database, more, said):
    """A typing error would leave a half-loaded schema."""
    with pytest.raises(LoadError, match=said):
        load(BOOKS, database.url, schema=SCHEMA, **more)
    assert tables(owner) == set()


def test_a_server_that_is_not_there_is_one_line():
    """A stack trace would be the first thing a user sees."""
    with pytest.raises(LoadError, match="cannot be reached") as refused:
        load(BOOKS, "postgresql://u@127.0.0.1:1/d", schema=SCHEMA)
    assert "\n" not in str(refused.value)


def test_two_federations_of_equal_content_but_other_names_differ(owner, database):
    """A renamed folder would search the table of its old name."""
    load(BOOKS, database.url, schema=SCHEMA)
    renamed = replace(BOOKS, sources=tuple(replace(s, name=f"{s.name}_2") for s in BOOKS.sources))
    assert load(renamed, database.url, schema=SCHEMA).fresh
    assert tables(owner) == {"books_2", "films_2"}
