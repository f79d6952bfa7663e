"""A server that speaks German is understood by its codes and our own clock, not by its words."""

from __future__ import annotations

import asyncio
import logging
import time

import psycopg
import pytest

from esra.domain.codes import RETRYABLE, FailureCode
from esra.domain.outcome import Failed
from tests.doctor.clinic import faults, told
from tests.providers.queries import query, record
from tests.providers.test_failures import asked_of
from tests.providers.traps import ask, trap


@pytest.fixture(autouse=True)
def words(caplog):
    caplog.set_level(logging.WARNING, "esra.providers.postgres")
    return caplog


def test_the_server_speaks_german(database):
    """Everything below would pass on a server that speaks English, and show nothing."""
    missing = pytest.raises(psycopg.errors.UndefinedTable, match="existiert nicht")
    with psycopg.connect(database.url) as connection, missing:
        connection.execute("SELECT * FROM nirgends")
    with pytest.raises(psycopg.OperationalError, match="existiert nicht"):
        psycopg.connect(database.as_user("postgres", "nirgends"))


def test_a_search_finds_what_it_should(shop):
    """A German server would not answer at all."""
    assert [hit.id.key for hit in ask(shop, shop.stock([record("a", "word")]))] == ["a"]


@pytest.mark.req("E112")
def test_a_statement_timeout_is_a_timeout(shop, words):
    """The server's 57014 says "Zeitüberschreitung", and the source would count as cancelled."""
    result = ask(shop, trap(shop, "pg_sleep(20)::text"), seconds=0.3)
    assert result == Failed(code=FailureCode.TIMEOUT)
    assert "57014" in words.text
    assert "statement timeout" not in words.text


@pytest.mark.req("E121")
def test_a_cancel_by_an_administrator_is_cancelled(shop, words):
    """The same 57014 says "Benutzeraufforderung", and would be retried as a timeout."""
    relation = trap(shop, "pg_sleep(20)::text")

    async def go():
        task = asyncio.create_task(shop.provider.run(query(relation, optional=("word",))))
        while not _sleeping(shop):
            await asyncio.sleep(0.02)
        shop.run(
            "SELECT pg_cancel_backend(pid) FROM pg_stat_activity"
            " WHERE usename = 'shop_reader' AND state = 'active'"
        )
        result = await task
        await shop.provider.close()
        return result

    assert asyncio.run(go()) == Failed(code=FailureCode.CANCELLED)
    assert "57014" in words.text


def _sleeping(shop) -> bool:
    """Whether the reader's command has come as far as its ``pg_sleep``."""
    [waiting] = shop.run(
        "SELECT count(*) FROM pg_stat_activity WHERE usename = 'shop_reader'"
        " AND state = 'active' AND wait_event = 'PgSleep'"
    ).fetchone()
    return waiting > 0


def test_our_own_cancel_leaves_the_server_idle(shop):
    """A caller who went away would leave his query running."""
    relation = trap(shop, "pg_sleep(20)::text")

    async def go():
        task = asyncio.create_task(shop.provider.run(query(relation, optional=("word",))))
        while not _sleeping(shop):
            await asyncio.sleep(0.02)
        task.cancel()
        started = time.monotonic()
        with pytest.raises(asyncio.CancelledError):
            await task
        answered = time.monotonic() - started
        await shop.provider.close()
        return answered

    assert asyncio.run(go()) < 0.5
    assert not _sleeping(shop)


@pytest.fixture(scope="module")
def locked(database):
    """A role whose password is asked for, and one that may connect once."""
    with psycopg.connect(database.url, autocommit=True) as connection:
        connection.execute("CREATE ROLE tor LOGIN PASSWORD 'richtig'")
        connection.execute("CREATE ROLE einzeln LOGIN CONNECTION LIMIT 1")
        [path] = connection.execute("SHOW hba_file").fetchone()
        connection.execute("CREATE TEMP TABLE rules (number serial, line text)")
        connection.execute(
            "INSERT INTO rules (line) SELECT 'local all tor scram-sha-256' UNION ALL"
            " SELECT regexp_split_to_table(pg_read_file(%s), '\\n')",
            [path],
        )
        connection.execute(f"COPY (SELECT line FROM rules ORDER BY number) TO '{path}'")
        connection.execute("SELECT pg_reload_conf()")
    time.sleep(0.3)


@pytest.mark.req("E114", "E125", "E126")
@pytest.mark.parametrize(
    ("role", "password", "name", "right"),
    [
        ("tor", ":falsch", None, FailureCode.AUTH_FAILED),
        ("tor", "", None, FailureCode.AUTH_FAILED),
        ("niemand", "", None, FailureCode.AUTH_FAILED),
        ("postgres", "", "nirgends", FailureCode.CONNECTION_TEMPLATE_INVALID),
    ],
)
def test_a_failure_to_connect_is_named_rightly_or_not_at_all(
    database, locked, role, password, name, right
):
    """A password that was changed would be tried again and again as a server that is down."""
    url = database.as_user(role, name).replace(f"{role}@", f"{role}{password}@")
    result = asked_of(lambda: url)
    assert isinstance(result, Failed)
    assert result.code in (right, FailureCode.UNKNOWN)
    assert result.code not in RETRYABLE


@pytest.mark.req("E120", "E126")
def test_too_many_connections_are_named_rightly_or_not_at_all(database, locked):
    """What the server refuses in words nobody reads would be called a wrong password."""
    with psycopg.connect(database.as_user("einzeln")):
        result = asked_of(lambda: database.as_user("einzeln"))
    assert isinstance(result, Failed)
    assert result.code in (FailureCode.RESOURCE_EXHAUSTED, FailureCode.UNKNOWN)


@pytest.mark.req("E115", "E116", "E118", "E119")
@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"table": "nirgends"}, FailureCode.RELATION_NOT_FOUND),
        ({"vector": "nirgends"}, FailureCode.RELATION_NOT_FOUND),
        ({"language": "klingonisch"}, FailureCode.TEXT_INDEX_UNAVAILABLE),
        ({"vector": "written"}, FailureCode.TEXT_INDEX_UNAVAILABLE),
    ],
)
def test_a_fault_of_the_mapping_has_its_code(shop, changed, code):
    """A German server would give every mistake one name."""
    relation = shop.stock([record("a", "word")])
    values = {name: getattr(relation, name) for name in relation.__slots__}
    assert ask(shop, type(relation)(**(values | changed))) == Failed(code=code)


def test_a_right_that_is_missing_has_its_code(shop):
    """Somebody would look for a table that is there."""
    relation = shop.stock([record("a", "word")])
    shop.run(f"REVOKE SELECT ON shelf.{relation.table} FROM shop_reader")
    assert ask(shop, relation) == Failed(code=FailureCode.PERMISSION_DENIED)


def test_a_lock_that_takes_too_long_is_a_timeout(shop):
    """A source whose table is being altered would be called broken."""
    relation = shop.stock([record("a", "word")])
    with psycopg.connect(shop.database.url) as other:
        other.execute(f"LOCK TABLE shelf.{relation.table} IN ACCESS EXCLUSIVE MODE")
        assert ask(shop, relation, seconds=0.3) == Failed(code=FailureCode.TIMEOUT)


def test_the_doctor_says_so_and_its_advice_cures(clinic, capsys):
    """Nobody would know why failures to connect are UNKNOWN."""
    file = clinic.catalog(clinic.patient())
    code, findings = told(capsys, file)
    assert (code, faults(findings)) == (1, ["MESSAGE_LANGUAGE"])
    assert "de_DE" in findings[0]["text"]
    try:
        for statement in filter(None, findings[0]["advice"].split(";")):
            clinic.run(statement)
        time.sleep(0.3)
        assert told(capsys, file) == (0, [])
        address = clinic.database.as_user("postgres", "nirgends")
        wanted = Failed(code=FailureCode.CONNECTION_TEMPLATE_INVALID)
        assert asked_of(lambda: address) == wanted
    finally:
        clinic.run("ALTER SYSTEM RESET lc_messages")
        clinic.run("SELECT pg_reload_conf()")
