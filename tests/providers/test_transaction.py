"""On a live server: a command can read, for as long as it may, and can do nothing else."""

import asyncio
import os
import tempfile
import time

import psycopg
import pytest
from psycopg import AsyncConnection, sql

from esra.domain.codes import FailureCode
from esra.domain.outcome import Failed
from esra.domain.source import Operator
from esra.providers.postgres import facts, fixed, run
from esra.providers.postgres.pool import Connections
from esra.providers.postgres.render import Command, render
from esra.sealed import BoundFilter
from tests.providers.queries import content, record
from tests.providers.traps import ask, trap

COLUMNS = "written, lexemes, colour, price, sold, seen"


def on_connection(shop, work, role: str):
    """Runs ``work`` on one connection as the pool makes it."""

    async def go():
        connections = Connections(lambda: shop.database.as_user(role), most=1, reset=run.forget)
        connection = await connections.take(5.0)
        try:
            return await work(connection)
        finally:
            connections.give_back(connection)
            await connections.close()

    return asyncio.run(go())


@pytest.fixture(scope="module")
def writer(shop):
    """A role that could write: what stops it is the transaction alone."""
    shop.role("shop_writer")
    # A worker may come back to this module after another one, on the same server.
    shop.run("DROP TABLE IF EXISTS shelf.diary CASCADE")
    shop.run("CREATE TABLE shelf.diary (line text)")
    shop.run("GRANT ALL ON shelf.diary TO shop_writer")
    shop.run(
        "CREATE OR REPLACE FUNCTION shelf.write() RETURNS text LANGUAGE sql VOLATILE AS"
        " $$ INSERT INTO shelf.diary VALUES ('was here') RETURNING line $$"
    )
    return "shop_writer"


def diary(shop) -> list[str]:
    return [line for (line,) in shop.run("SELECT line FROM shelf.diary").fetchall()]


@pytest.mark.req("E011", "E096")
def test_a_write_is_refused_to_a_role_that_could_write(shop, writer, caplog):
    """A search would change the database it reads."""
    relation = trap(shop, "shelf.write()")
    shop.run(f"GRANT SELECT ON shelf.{relation.table} TO {writer}")
    result = ask(shop, relation, shop.reading(writer))
    assert result == Failed(code=FailureCode.PERMISSION_DENIED)
    assert "25006" in caplog.text
    assert diary(shop) == []


@pytest.mark.parametrize(
    ("statement", "sqlstate"),
    [
        ("INSERT INTO shelf.diary SELECT %(x)s::text", "25006"),
        ("WITH w AS (INSERT INTO shelf.diary VALUES (%(x)s) RETURNING 1) SELECT * FROM w", "25006"),
        ("SELECT 1 FROM shelf.diary WHERE line = %(x)s FOR UPDATE", "25006"),
        ("SELECT set_config('transaction_read_only', 'off', true) || %(x)s", "25001"),
        ("SELECT %(x)s; INSERT INTO shelf.diary VALUES ('two')", "42601"),
        ("SELECT %(x)s; COMMIT; INSERT INTO shelf.diary VALUES ('three')", "42601"),
        ("SELECT pg_read_file('/etc/passwd') || %(x)s", "42501"),
        ("SELECT lo_import('/etc/passwd') || %(x)s", "42501"),
    ],
)
def test_an_attempt_to_do_more_ends_with_its_sqlstate(shop, writer, statement, sqlstate):
    """One of the known ways out of a read-only transaction would be open."""
    command = Command(text=sql.SQL(statement), values={"x": "y"})
    with pytest.raises(psycopg.Error) as caught:
        on_connection(shop, lambda c: run.fetch_rows(c, command, 5.0), writer)
    assert caught.value.sqlstate == sqlstate
    assert diary(shop) == []


@pytest.mark.parametrize("text", ["SELECT 1; INSERT INTO shelf.diary VALUES ('x')", "SELECT 1"])
def test_a_command_that_binds_nothing_is_not_sent(shop, writer, text):
    """Without a parameter a driver may send several statements as one."""
    command = Command(text=sql.SQL(text), values={})
    with pytest.raises(ValueError, match="at least one parameter"):
        on_connection(shop, lambda c: run.fetch_rows(c, command, 5.0), writer)


def test_two_statements_are_refused_even_without_a_parameter(shop, writer):
    """The fixed statement that binds nothing would be the hole."""
    stacked = sql.SQL("DISCARD ALL; INSERT INTO shelf.diary VALUES ('four')")
    with pytest.raises(psycopg.errors.SyntaxError, match="multiple commands"):
        on_connection(shop, lambda c: run._execute(c, stacked, None), writer)
    assert diary(shop) == []


@pytest.mark.req("E098")
def test_a_name_is_looked_up_in_the_catalogue_alone(shop):
    """A function somebody put into `public` would run in place of the server's own."""
    for name in ("left(text, integer)", "plainto_tsquery(regconfig, text)"):
        back = name.partition("(")[0].replace("left", "text").replace("plainto_tsquery", "tsquery")
        shop.run(
            f"CREATE OR REPLACE FUNCTION public.{name} RETURNS {back} LANGUAGE plpgsql AS"
            " $$ BEGIN RAISE 'hijacked'; END $$"
        )
    shop.run("ALTER ROLE shop_reader SET search_path = public, pg_catalog")
    try:
        provider = shop.reading("shop_reader")
        result = ask(shop, trap(shop, "current_setting('search_path')"), provider)
    finally:
        shop.run("ALTER ROLE shop_reader RESET search_path")
        shop.run("DROP FUNCTION public.left(text, integer)")
        shop.run("DROP FUNCTION public.plainto_tsquery(regconfig, text)")
    assert result[0].fragment == "pg_catalog"


@pytest.mark.req("E097", "E112")
def test_the_server_itself_stops_a_command_in_its_time(shop, caplog):
    """A slow query would go on after everybody stopped waiting for it."""
    relation = trap(shop, "pg_sleep(20)::text")
    started = time.monotonic()
    result = ask(shop, relation, seconds=0.3)
    assert result == Failed(code=FailureCode.TIMEOUT)
    assert 0.3 <= time.monotonic() - started < 0.8
    assert "QueryCanceled 57014" in caplog.text
    assert all(state != "active" for _, state, _ in shop.backends())


def test_the_settings_hold_for_the_transaction_alone(shop):
    """A time limit or a search path would leak to the next borrower of a connection."""
    names = ("statement_timeout", "lock_timeout", "search_path", "TimeZone", "jit")
    body = " || ' ' || ".join(f"current_setting('{name}')" for name in names)
    assert ask(shop, trap(shop, body))[0].fragment == "5s 5s pg_catalog UTC off"

    async def after(connection):
        command = Command(text=sql.SQL("SELECT %(x)s"), values={"x": 1})
        await run.fetch_rows(connection, command, 5.0)
        cursor = await connection.execute("SHOW statement_timeout")
        return (await cursor.fetchone())[0]

    assert on_connection(shop, after, "shop_reader") == "0"


@pytest.mark.req("E010")
def test_a_command_is_one_round_trip(shop):
    """Safety would cost a wait for the network at each of its steps."""
    relation = shop.stock([record("a", "word")])
    command = render(content(relation, optional=("word",)))

    async def traced(connection: AsyncConnection):
        with tempfile.TemporaryFile("w+") as trace:
            connection.pgconn.trace(trace.fileno())
            rows = await run.fetch_rows(connection, command, 5.0)
            connection.pgconn.untrace()
            os.lseek(trace.fileno(), 0, os.SEEK_SET)
            return rows, trace.read()

    rows, trace = on_connection(shop, traced, "shop_reader")
    sides = [line.split("\t")[1] for line in trace.splitlines() if line.count("\t") > 1]
    turns = [side for place, side in enumerate(sides) if place == 0 or sides[place - 1] != side]
    assert len(rows) == 1
    assert turns == ["F", "B"]
    assert trace.count("\tParse\t") == 4  # begin, settings, select, commit


def test_no_statement_is_left_prepared(shop):
    """Behind a transaction pooler the next command would miss its prepared statement."""

    async def prepared(connection):
        command = Command(text=sql.SQL("SELECT %(x)s::int"), values={"x": 1})
        for _ in range(12):
            await run.fetch_rows(connection, command, 5.0)
        cursor = await connection.execute("SELECT count(*) FROM pg_prepared_statements")
        return (await cursor.fetchone())[0]

    assert on_connection(shop, prepared, "shop_reader") == 0


def test_rows_over_the_cap_never_leave_the_server(shop):
    """A cap of ten on a table of a million would still carry a million."""
    relation = shop.stock([record(str(n), "word") for n in range(30)])
    command = render(content(relation, optional=("word",), rows=7))
    rows = on_connection(shop, lambda c: run.fetch_rows(c, command, 5.0), "shop_reader")
    assert len(rows) == 7


@pytest.mark.req("E101")
def test_a_value_reaches_the_server_as_a_parameter(shop):
    """The text of a running command would show what somebody searched for."""
    relation = trap(shop, "(SELECT query FROM pg_stat_activity WHERE pid = pg_backend_pid())")
    given = BoundFilter(column="name", type="text", operator=Operator.NE, values=("canary9",))
    result = ask(shop, relation, filters=(given,), fragment=100_000, required=("word",))
    assert "plainto_tsquery" in result[0].fragment
    assert "canary9" not in result[0].fragment


def test_the_fixed_statements_are_these():
    """A statement that no query rendered would slip in unseen."""
    made = {**vars(fixed), **vars(facts)}
    named = {name for name, text in made.items() if isinstance(text, sql.SQL)}
    asked = {
        "BEGIN",
        "BEGIN_SNAPSHOT",
        "MARK",
        "BACK_TO_MARK",
        "SETTINGS",
        "COMMIT",
        "FORGET",
        "ROLE",
        "SIZE",
        "SAMPLE",
        "PART",
    }
    assert named == asked | {"DESCRIBE", "NAMED", "LISTED"}
