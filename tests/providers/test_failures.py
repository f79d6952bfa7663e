"""Real faults on a live server, each with its code; what the driver said stays in the log."""

import asyncio
import socket
import time

import psycopg
import pytest
from psycopg import sql

from esra.domain.codes import FailureCode
from esra.domain.outcome import Failed
from esra.domain.source import FieldType, Operator
from esra.providers.base import GRACE
from esra.providers.postgres import PostgresProvider
from esra.providers.postgres.errors import Trouble
from tests.providers.queries import RELATION, query, record, where
from tests.providers.traps import ask, trap


def asked_of(address, **given):
    provider = PostgresProvider(address)

    async def go():
        try:
            return await provider.run(query(RELATION, optional=("word",), **given))
        finally:
            await provider.close()

    return asyncio.run(go())


def test_a_dead_port_is_refused_at_once():
    """A source that is down would cost every question its whole time."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        started = time.monotonic()
        result = asked_of(lambda: f"postgresql://u@127.0.0.1:{port}/d")
    assert result == Failed(code=FailureCode.CONNECTION_REFUSED)
    assert time.monotonic() - started < 1.0


def test_a_name_that_does_not_resolve_is_refused():
    """A typing error in a host would be called a fault of the query."""
    result = asked_of(lambda: "postgresql://u@no-such-host.invalid/d")
    assert result == Failed(code=FailureCode.CONNECTION_REFUSED)


def test_a_server_that_never_answers_is_a_timeout():
    """A host that swallows packets would hold the invocation for ever."""
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        port = silent.getsockname()[1]
        provider = PostgresProvider(lambda: f"postgresql://u@127.0.0.1:{port}/d")

        async def go():
            started = time.monotonic()
            result = await provider.run(query(RELATION, optional=("word",), seconds=0.3))
            return result, time.monotonic() - started

        result, took = asyncio.run(go())
    assert result == Failed(code=FailureCode.TIMEOUT)
    assert took < 0.3 + GRACE + 0.25


@pytest.mark.req("E112")
@pytest.mark.parametrize("look", ["describe", "survey", "learn", "role", "sample"])
def test_asking_a_server_about_itself_ends_as_well(look):
    """A doctor, a draft or a house that opens would wait for the driver's own 130 seconds."""
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        provider = PostgresProvider(lambda: f"postgresql://u@127.0.0.1:{silent.getsockname()[1]}/d")

        async def go():
            match look:
                case "describe":
                    return await provider.inspector.describe([RELATION], 0.3)
                case "survey":
                    return await provider.inspector.survey(None, 1, 0.3)
                case "learn":
                    return await provider.inspector.learn([RELATION], 0.3)
                case "sample":
                    return await provider.sample(RELATION, rows=1, widest=1, seconds=0.3)
            try:
                return await provider.refuse_powerful_role([RELATION], 0.3)
            except Trouble as trouble:
                return Failed(code=provider.classify(trouble))

        started = time.monotonic()
        result = asyncio.run(asyncio.wait_for(go(), 5.0))
    assert result == (None if look == "learn" else Failed(code=FailureCode.TIMEOUT))
    assert time.monotonic() - started < 0.3 + GRACE + 0.25


@pytest.fixture(scope="module")
def locked(shop):
    """A role whose password is asked for. The server is a throw-away one."""
    shop.run("DROP ROLE IF EXISTS shop_locked")
    shop.run("CREATE ROLE shop_locked LOGIN PASSWORD 'right'")
    (path,) = shop.run("SHOW hba_file").fetchone()
    (rules,) = shop.run("SELECT pg_read_file(%s)", [path]).fetchone()
    wanted = "local all shop_locked scram-sha-256"
    shop.run("CREATE TEMP TABLE rules (line text)")
    shop.owner.cursor().executemany(
        "INSERT INTO rules VALUES (%s)", [(line,) for line in [wanted, *rules.splitlines()]]
    )
    shop.run(sql.SQL("COPY rules TO {}").format(sql.Literal(path)))
    shop.run("SELECT pg_reload_conf()")
    time.sleep(0.2)
    return shop.database.as_user("shop_locked")


@pytest.mark.req("E114")
@pytest.mark.parametrize("password", ["wrong", None])
def test_a_wrong_or_missing_password_is_an_authentication_failure(locked, password):
    """A rotated password would be retried for ever as a server that is down."""
    secret = "" if password is None else f":{password}"
    result = asked_of(lambda: locked.replace("shop_locked@", f"shop_locked{secret}@"))
    assert result == Failed(code=FailureCode.AUTH_FAILED)


@pytest.mark.req("E114", "E125")
def test_a_password_file_of_whoever_runs_this_is_not_read(locked, tmp_path, monkeypatch):
    """A source would be opened with somebody's private password."""
    file = tmp_path / ".pgpass"
    file.write_text("*:*:*:*:right\n")
    file.chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", str(file))
    with psycopg.connect(locked):
        pass  # the file would open the door
    assert asked_of(lambda: locked) == Failed(code=FailureCode.AUTH_FAILED)


@pytest.mark.req("E113", "E114", "E125")
@pytest.mark.parametrize(
    ("role", "name", "code"),
    [
        ("nobody_here", None, FailureCode.AUTH_FAILED),
        ("shop_reader", "no_such_database", FailureCode.CONNECTION_TEMPLATE_INVALID),
    ],
)
def test_a_role_or_database_that_is_not_there(shop, role, name, code):
    """An operator would look for the fault in the wrong place."""
    assert asked_of(lambda: shop.database.as_user(role, name)) == Failed(code=code)


@pytest.mark.req("E120")
def test_too_many_connections_are_an_exhausted_resource(shop):
    """A full server would be given up on, where another try may work."""
    shop.role("shop_single", "LOGIN CONNECTION LIMIT 1")
    with psycopg.connect(shop.database.as_user("shop_single")):
        result = asked_of(lambda: shop.database.as_user("shop_single"))
    assert result == Failed(code=FailureCode.RESOURCE_EXHAUSTED)


@pytest.mark.req("E124")
@pytest.mark.parametrize("answer", [KeyError("ESRA_DB"), OSError("no file"), "", "  ", None])
def test_a_secret_that_cannot_be_had(answer):
    """A missing secret would look like a server that is down."""

    def address():
        if isinstance(answer, Exception):
            raise answer
        return answer

    assert asked_of(address) == Failed(code=FailureCode.SECRET_UNRESOLVED)


@pytest.mark.req("E125")
@pytest.mark.parametrize(
    "url",
    [
        "rubbish",
        "postgresql://u@h:port/d",
        "postgresql://u@h:0/d",
        "postgresql://u@h:70000/d",
        "postgresql://u@h/d?sslmode=maybe",
        "postgresql://u@ok.example/d?hostaddr=127.1",
        "postgresql://u@/d",
        "postgresql://u@h/d?service=other",
        "postgresql://u@h/d?passfile=/etc/passwd",
        "postgresql://u@h/d?sslkey=/etc/ssl/key",
        "postgresql://u@h/d?options=-csearch_path%3Dpublic",
        "postgresql://u@h/d?nonsense=1",
    ],
)
def test_an_address_that_says_more_than_where_is_refused(url):
    """A connection string would name another host, a file or a setting behind our back."""
    assert asked_of(lambda: url) == Failed(code=FailureCode.CONNECTION_TEMPLATE_INVALID)


@pytest.mark.req("E115", "E116", "E118")
def test_what_a_mapping_gets_wrong_is_told_apart(shop, caplog):
    """Every wrong mapping would look the same to who has to mend it."""
    good = shop.stock([record("a", "word")])
    values = {name: getattr(good, name) for name in good.__slots__}
    closed = shop.stock([])
    shop.run(f"REVOKE SELECT ON shelf.{closed.table} FROM shop_reader")
    cases = {
        FailureCode.RELATION_NOT_FOUND: [
            {"table": "nowhere"},
            {"schema": "nowhere"},
            {"key": "nothing"},
            {"vector": "nothing"},
        ],
        FailureCode.PERMISSION_DENIED: [{"table": closed.table}],
        FailureCode.TEXT_INDEX_UNAVAILABLE: [{"language": "klingon"}, {"vector": "body"}],
    }
    for code, changes in cases.items():
        for change in changes:
            result = ask(shop, type(good)(**(values | change)))
            assert result == Failed(code=code), change
    assert '"klingon" does not exist' in caplog.text
    assert '"shelf.nowhere" does not exist' in caplog.text


@pytest.mark.req("E119")
def test_a_value_the_server_cannot_read_is_a_syntax_error(shop):
    """Our own bad input would be retried, or blamed on the server."""
    relation = shop.stock([record("a", "word", price=1)])
    for kind, value in ((FieldType.NUMBER, "x"), (FieldType.TIMESTAMP, "yesterday-ish")):
        result = ask(shop, relation, filters=where(kind, Operator.EQ, value))
        assert result == Failed(code=FailureCode.SYNTAX_ERROR)


@pytest.mark.req("E126")
def test_an_error_of_no_kind_we_know_is_unknown(shop):
    """A trigger's message would be retried, or leave the provider as an exception."""
    shop.run(
        "CREATE FUNCTION shelf.fail() RETURNS text LANGUAGE plpgsql AS"
        " $$ BEGIN RAISE EXCEPTION 'my own trouble'; END $$"
    )
    assert ask(shop, trap(shop, "shelf.fail()")) == Failed(code=FailureCode.UNKNOWN)


@pytest.mark.req("E121")
def test_an_administrator_who_cancels_is_told_from_a_timeout(shop):
    """A cancelled query would be sent again, against the administrator's wish."""
    relation = trap(shop, "pg_sleep(20)::text")

    async def go():
        asking = asyncio.ensure_future(
            shop.provider.run(query(relation, optional=("word",), seconds=10.0))
        )
        pid = await busy(shop)
        shop.run("SELECT pg_cancel_backend(%s)", [pid])
        return await asking

    assert asyncio.run(go()) == Failed(code=FailureCode.CANCELLED)


async def busy(shop) -> int:
    """The backend that runs our query, once it does."""
    for _ in range(200):
        rows = [row for row in shop.backends() if row[1] == "active"]
        if rows:
            return rows[0][0]
        await asyncio.sleep(0.02)
    raise AssertionError("no query was running within four seconds")


@pytest.mark.req("E121")
def test_a_caller_who_leaves_is_let_go_at_once_and_his_query_ends(shop):
    """The server would work on for somebody who has gone, and he would wait to leave."""
    relation = trap(shop, "pg_sleep(20)::text")

    async def go():
        asking = asyncio.ensure_future(
            shop.provider.run(query(relation, optional=("word",), seconds=10.0))
        )
        await busy(shop)
        started = time.monotonic()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        left = time.monotonic() - started
        for _ in range(100):
            if all(state != "active" for _, state, _ in shop.backends()):
                break
            await asyncio.sleep(0.02)
        quiet = time.monotonic() - started
        again = await shop.provider.run(query(trap(shop, "'x'"), optional=("word",)))
        await shop.provider.close()
        return left, quiet, again

    left, quiet, again = asyncio.run(go())
    assert left < 0.5
    assert quiet < 2.0
    assert len(again) == 1


@pytest.mark.req("E130")
def test_what_the_driver_said_goes_to_the_log_without_the_values(shop, caplog):
    """A host, a table or somebody's question would be read by who must not see it."""
    relation = shop.stock([record("a", "word", price=1)])
    filters = where(FieldType.NUMBER, Operator.EQ, "canary word")
    result = ask(shop, relation, filters=filters)
    assert result == Failed(code=FailureCode.SYNTAX_ERROR)
    assert list(Failed.__slots__) == ["code", "internal"]
    assert "22P02" in caplog.text
    assert "invalid input syntax for type numeric" in caplog.text
    assert "canary" not in caplog.text


@pytest.mark.req("E130")
def test_a_connection_error_names_its_host_in_the_log_only(caplog):
    """An internal address would travel with a failure."""
    result = asked_of(lambda: "postgresql://canaryuser:canarypass@canaryhost.invalid/canarydb")
    assert "canaryhost" in caplog.text
    assert "canarypass" not in caplog.text
    assert "canary" not in repr(result)
