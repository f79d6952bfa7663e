"""Each known way out of a read-only transaction has its refusal, as a role that could use it."""

import asyncio

import psycopg
import pytest
from psycopg import AsyncConnection, sql

from esra.domain.codes import FailureCode
from esra.domain.outcome import Failed
from esra.providers.postgres import PowerfulRole, run
from esra.providers.postgres.pool import Connections
from esra.providers.postgres.render import Command
from tests.providers.asking import keys
from tests.providers.queries import RELATION, query, record
from tests.security.escapes import EVERY, PASSING, REFUSED, STACKED, Fate
from tests.security.ground import WRITER
from tests.security.parsed import objections
from tests.security.witness import LEFT_BEHIND, NOTHING, state

SECONDS = 0.4


def names(escapes):
    return [escape.name for escape in escapes]


@pytest.fixture(scope="module")
def writer(ground):
    ground.decoy()
    return ground


def attempt(ground, text: str, role: str = WRITER) -> tuple[str | None, tuple, bool]:
    """(SQLSTATE or None, what the next borrower finds in the session, whether it is the same)."""

    async def go():
        connections = Connections(lambda: ground.database.as_user(role), most=1, reset=run.forget)
        first = await connections.take(5.0)
        pid, refused = first.info.backend_pid, None
        command = Command(text=sql.SQL(text), values={"x": "y"})
        try:
            await run.fetch_rows(first, command, SECONDS)
        except psycopg.Error as error:
            refused = error.sqlstate
        connections.give_back(first)
        next_one = await connections.take(5.0)
        found = await (await next_one.execute(LEFT_BEHIND)).fetchone()
        same = next_one.info.backend_pid == pid
        connections.give_back(next_one)
        await connections.close()
        return refused, found, same

    return asyncio.run(go())


@pytest.mark.req("E011", "E096")
@pytest.mark.parametrize("escape", [*STACKED, *REFUSED], ids=names((*STACKED, *REFUSED)))
def test_a_known_escape_ends_with_its_sqlstate(writer, escape):
    """One of the ways by which others' read-only servers were written to would be open."""
    before = state(writer.run)
    refused, found, _ = attempt(writer, escape.text)
    assert refused == (None if escape.fate == Fate.GONE else escape.fate)
    assert state(writer.run) == before
    assert found == NOTHING


@pytest.mark.parametrize("escape", PASSING, ids=names(PASSING))
def test_what_a_read_only_transaction_lets_pass_is_gone_before_the_next_borrower(writer, escape):
    """A lock, a listener or another tenant's setting would wait for the next caller."""
    before = state(writer.run)
    refused, found, same = attempt(writer, escape.text)
    assert refused is None
    assert same
    assert found == NOTHING
    assert state(writer.run) == before


@pytest.mark.req("E101")
@pytest.mark.parametrize("escape", EVERY, ids=names(EVERY))
def test_no_command_could_be_an_escape(escape):
    """What the server lets pass would be in a command one day, and nobody would object."""
    assert objections(escape.text, RELATION) != []


def test_without_a_bound_value_none_of_them_is_sent(writer):
    """The driver would fall back to the protocol that takes several statements at once."""

    async def send(connection: AsyncConnection, text: str):
        with pytest.raises(ValueError, match="at least one parameter"):
            await run.fetch_rows(connection, Command(text=sql.SQL(text), values={}), SECONDS)

    async def go():
        address = writer.database.as_user(WRITER)
        async with await AsyncConnection.connect(address, autocommit=True) as connection:
            for escape in EVERY:
                await send(connection, escape.text)

    before = state(writer.run)
    asyncio.run(go())
    assert state(writer.run) == before


def test_the_escapes_are_escapes(writer):
    """The table would be about statements that never did any harm."""
    with psycopg.connect(writer.database.as_user(WRITER), autocommit=True) as connection:
        connection.execute("BEGIN READ ONLY")
        connection.execute("SELECT 1; COMMIT; CREATE TABLE decoy.mine (x int)")
        connection.execute("BEGIN READ ONLY")
        connection.execute("SET TRANSACTION READ WRITE")
        connection.execute("SELECT decoy.write()")
        connection.execute("COMMIT")
    assert "decoy.mine" in state(writer.run)
    assert writer.run("SELECT count(*) FROM decoy.ledger").fetchone() == (501,)
    writer.decoy()


def test_the_role_that_could_write_is_refused_at_the_start(writer):
    """The transaction alone would stand between a question and the data."""
    relation = writer.stock([record("a", "word")])
    writer.run(f"GRANT INSERT ON {relation.schema}.{relation.table} TO {WRITER}")
    provider = writer.reading(WRITER)

    async def go():
        try:
            await provider.refuse_powerful_role([relation])
        finally:
            await provider.close()

    with pytest.raises(PowerfulRole, match="may write to"):
        asyncio.run(go())


# Each fits a call or an operator of ours at least as well as the server's own.
HIJACKS = (
    "FUNCTION public.left(varchar, integer) RETURNS text",
    "FUNCTION public.left(text, integer) RETURNS text",
    "FUNCTION public.unnest(text[]) RETURNS SETOF text",
    "FUNCTION public.plainto_tsquery(regconfig, text) RETURNS tsquery",
    "FUNCTION public.phraseto_tsquery(regconfig, text) RETURNS tsquery",
    "FUNCTION public.to_tsvector(regconfig, text) RETURNS tsvector",
    "FUNCTION public.numnode(tsquery) RETURNS integer",
    "FUNCTION public.ts_rank(tsvector, tsquery, integer) RETURNS real",
    "FUNCTION public.matches(tsvector, tsquery) RETURNS boolean",
)


@pytest.mark.req("E098")
@pytest.mark.parametrize("path", ["public, pg_catalog", "public", ""])
def test_no_function_or_operator_of_the_same_name_is_picked_up(writer, path):
    """Who may create in ``public`` would run his own code in every search."""
    role = "security_hijacked"
    writer.role(role)
    relation = writer.stock([record("a", "word"), record("b", "other")])
    writer.offer(relation.table, role)
    for made in HIJACKS:
        body = "LANGUAGE plpgsql AS $$ BEGIN RAISE 'hijacked'; END $$"
        writer.run(f"CREATE OR REPLACE {made} {body}")
    operator = "public.@@ (tsvector, tsquery)"
    writer.run(
        "CREATE OPERATOR public.@@ (LEFTARG = tsvector, RIGHTARG = tsquery,"
        " FUNCTION = public.matches)"
    )
    writer.run(f"ALTER ROLE {role} SET search_path = {path or repr('')}")
    provider = writer.reading(role)

    async def go():
        answer = await provider.run(query(relation, required=("word",)))
        await provider.close()
        return answer

    try:
        answer = asyncio.run(go())
        with psycopg.connect(writer.database.as_user(role)) as other:
            other.execute("SET search_path = public, pg_catalog")
            with pytest.raises(psycopg.errors.RaiseException, match="hijacked"):
                other.execute("SELECT left('abc'::text, 1)")
    finally:
        writer.run(f"DROP OPERATOR {operator}")
        for made in HIJACKS:
            writer.run(f"DROP {made.partition(' RETURNS')[0]}")
        writer.run(f"REVOKE ALL ON ALL TABLES IN SCHEMA shelf FROM {role}")
        writer.run(f"REVOKE ALL ON SCHEMA shelf FROM {role}")
        writer.run(f"DROP ROLE {role}")
    assert answer != Failed(code=FailureCode.UNKNOWN)
    assert keys(answer) == ["a"]
