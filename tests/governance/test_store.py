"""esra's own tables: shared by instances, out of a source's reach, and never in an answer's way."""

import asyncio
import socket
import time
from contextlib import contextmanager
from dataclasses import replace

import psycopg
import pytest

from esra.domain.invocation import Caller, Identity
from esra.governance import store as own
from esra.governance.cache import SelectionKey, SharedSelections
from tests.governance.desk import PATIENT, Desk, chosen, rows, settle

SECRET = b"a key by reference, 32 bytes and more"
KEY = SelectionKey(tenant="t", exposure="ask", prompt="p", version="v", candidates="c")
DARK = "postgresql://u@127.0.0.1:1/d"


def get(cache, key=KEY):
    return asyncio.run(cache.get(key))


@pytest.mark.req("E041")
@pytest.mark.parametrize("secret", [SECRET, b""], ids=["key by reference", "the store's key"])
def test_what_one_instance_asked_another_knows(opened, secret):
    """Else every instance would pay for the same model call."""
    one, two = (Desk(SharedSelections(opened(), secret)) for _ in range(2))
    first = one.ask()
    one.ask()  # one thread: the first answer is in the table when this one has been read
    second = two.ask()
    assert (one.calls, two.calls) == (1, 0)
    assert chosen(first) == chosen(second) == ["must", "hr"]


def test_instances_with_different_keys_share_nothing(opened):
    """Else a key that was changed because it leaked would still open what was kept."""
    one, two = (Desk(SharedSelections(opened(), key)) for key in (SECRET, SECRET[::-1]))
    one.ask()
    one.ask()
    two.ask()
    assert two.calls == 1


def test_instances_that_start_at_once_make_the_tables_once(opened):
    """Else a fleet's first start would fail on "already exists"."""

    async def salts():
        return await asyncio.gather(*(opened().salt() for _ in range(6)))

    found = asyncio.run(salts())
    assert len(found[0]) == 32
    assert set(found) == {found[0]}


@pytest.mark.req("E046")
def test_two_tenants_share_no_row(opened, owner):
    """Else one tenant could tell from a hit what another has asked."""
    desk = Desk(SharedSelections(store := opened(), SECRET))
    for tenant in ("one", "two"):
        desk.ask(caller=Caller(tenant=tenant, subject="s", identity=Identity.LOCAL))
    settle(store)
    assert desk.calls == 2
    assert len({entry for entry, _ in rows(owner)}) == 2


@pytest.mark.req("E047")
@pytest.mark.parametrize("retention", ["redacted", "none"])
def test_no_connection_is_made_where_retention_forbids_it(opened, owner, retention):
    """Else a hash of a prompt would lie in a table where none may."""
    Desk(SharedSelections(opened(), SECRET)).ask(retention=retention)
    assert owner.execute("SELECT to_regclass('esra_own.selections')").fetchone() == (None,)


def test_the_table_holds_a_hash_a_seal_and_ids(opened, owner):
    """Else whoever reads the table would read what was asked, and by whom."""
    store = opened()
    Desk(SharedSelections(store, SECRET)).ask(
        "zanzibar quagga", caller=Caller(tenant="acme", subject="ann", identity=Identity.LOCAL)
    )
    settle(store)
    ((entry, value),) = rows(owner)
    assert len(entry) == 32
    assert value[32:] == b'{"sources":["hr"]}'


def test_an_old_row_is_forgotten_and_cleared(opened, owner):
    """Else a choice would be repeated long after its sources have changed."""
    store = opened()
    cache = SharedSelections(store, SECRET, ttl=60)
    cache.put(KEY, ("hr",))
    assert get(cache) == ("hr",)
    owner.execute("UPDATE esra_own.selections SET kept = now() - interval '61 seconds'")
    assert get(cache) is None
    cache.put(replace(KEY, prompt="q"), ("law",))
    settle(store)
    assert len(rows(owner)) == 1


def test_the_table_keeps_the_newest_rows_only(opened, owner):
    """Else a caller with many questions would fill the disk."""
    store = opened()
    cache = SharedSelections(store, SECRET, most=3)
    for number in range(7):
        cache.put(replace(KEY, prompt=str(number)), (str(number),))
    settle(store)
    assert len(rows(owner)) == 3
    found = [get(cache, replace(KEY, prompt=str(number))) for number in range(7)]
    assert found == [None] * 4 + [("4",), ("5",), ("6",)]


def test_nobody_else_gets_at_the_tables_and_the_role_at_nothing_else(opened, owner, database):
    """Else a query of a source could read or forge what esra keeps, or the door read a source."""
    store = opened()
    SharedSelections(store, SECRET).put(KEY, ("hr",))
    settle(store)
    owner.execute("DROP ROLE IF EXISTS stranger")
    owner.execute("CREATE ROLE stranger LOGIN")
    owner.execute("CREATE TABLE IF NOT EXISTS public.papers (id int)")
    for role, table in (("stranger", "esra_own.selections"), (own.ROLE, "public.papers")):
        with (
            psycopg.connect(database.as_user(role)) as connection,
            pytest.raises(psycopg.errors.InsufficientPrivilege),
        ):
            connection.execute(f"SELECT 1 FROM {table}")
    owner.execute("DROP TABLE public.papers")
    owner.execute("DROP ROLE stranger")


@contextmanager
def deaf():
    """A server that accepts and then says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"postgresql://u@127.0.0.1:{server.getsockname()[1]}/d"


def quickest(ask, times=3):
    """Seconds of the fastest try: the others may have waited for a busy machine."""
    seconds = []
    for _ in range(times):
        began = time.monotonic()
        ask()
        seconds.append(time.monotonic() - began)
    return min(seconds)


@pytest.mark.parametrize("kind", ["refused", "deaf", "no address", "no right"])
def test_a_store_that_is_down_is_a_miss_within_a_fifth_of_a_second(opened, database, kind):
    """Else an answer would wait for something it can do without."""
    with deaf() as silent:
        url = {
            "refused": DARK,
            "deaf": silent,
            "no address": "nonsense",
            "no right": database.as_user("nobody_at_all"),
        }[kind]
        desks = [Desk(SharedSelections(opened(url, patience=own.PATIENCE), SECRET)) for _ in "123"]
        fresh = iter(desks)

        def ask():
            outcome = next(fresh).ask()
            assert (chosen(outcome), outcome.warnings) == (["must", "hr"], ())

        assert quickest(ask) < 0.2
        again = quickest(lambda: [desks[0].ask() for _ in range(20)])
        assert again < 0.2, "a store that failed is left alone for a while"
    assert [desk.calls for desk in desks] == [61, 1, 1]


def test_a_store_that_comes_back_is_used_again(opened, owner, caplog):
    """Else one restart of the database would switch the cache off for good."""
    cache = SharedSelections(opened(rest=0.0), SECRET)
    cache.put(KEY, ("hr",))
    assert get(cache) == ("hr",)
    owner.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = %s", [own.ROLE]
    )
    assert get(cache) == ("hr",), "an idle connection that was closed is replaced"
    assert caplog.messages == []


def test_a_table_that_is_locked_costs_its_patience_and_no_more(opened, owner, database):
    """Else somebody's maintenance would stop every answer, and pile up connections."""
    cache = SharedSelections(opened(), SECRET)
    cache.put(KEY, ("hr",))
    assert get(cache) == ("hr",)
    hasty = SharedSelections(store := opened(rest=0.0), SECRET)
    assert get(hasty) == ("hr",)
    store._patience = own.PATIENCE
    with psycopg.connect(database.url) as other:
        other.execute("LOCK TABLE esra_own.selections")
        found = []
        assert quickest(lambda: found.append(get(hasty))) < 0.2
        assert found == [None] * 3
    store._patience = PATIENT
    assert get(hasty) == ("hr",)


def test_the_log_names_the_kind_of_trouble_and_no_address(opened, caplog):
    """Else a host or a password would stand in the log."""
    url = "postgresql://u:hunter2@127.0.0.1:1/d"
    assert get(SharedSelections(opened(url), SECRET)) is None
    (message,) = caplog.messages
    assert message.endswith("OperationalError") or message.endswith("ConnectionFailure")
    assert "hunter2" not in message
    assert "127.0.0.1" not in message


def test_a_closed_store_knows_nothing(opened):
    """Else a late answer would fail while a program ends."""
    store = opened()
    cache = SharedSelections(store, SECRET)
    asyncio.run(store.close())
    cache.put(KEY, ("hr",))
    assert get(cache) is None


def test_a_key_that_can_be_guessed_is_refused(opened):
    """Else a hash of a prompt would be as good as the prompt."""
    with pytest.raises(ValueError, match="16 bytes at least"):
        SharedSelections(opened(), b"short")
