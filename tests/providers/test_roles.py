"""A role that can do more than read is refused, with what to take away."""

import asyncio
import re
from dataclasses import fields, replace
from pathlib import Path

import psycopg
import pytest

from esra.providers.postgres import PowerfulRole
from esra.providers.postgres.roles import Role, refuse_powerful
from tests.providers.queries import query, record

HARMLESS = Role(
    name="reader",
    superuser=False,
    bypasses_row_security=False,
    creates_roles=False,
    replicates=False,
    powers=(),
    owns=(),
    writes=(),
)


def check(shop, role: str, relation) -> None:
    provider = shop.reading(role)

    async def go():
        try:
            await provider.refuse_powerful_role([relation])
        finally:
            await provider.close()

    asyncio.run(go())


def test_a_role_that_only_reads_passes(shop):
    """The very role we ask for would be refused."""
    check(shop, "shop_reader", shop.stock([record("a", "word")]))


@pytest.mark.parametrize(
    ("rights", "grant", "reason"),
    [
        ("SUPERUSER", "", "is a superuser"),
        ("BYPASSRLS", "", "BYPASSRLS"),
        ("CREATEROLE", "", "CREATEROLE"),
        ("REPLICATION", "", "REPLICATION"),
        ("", "GRANT pg_write_all_data TO {role}", "pg_write_all_data"),
        ("", "GRANT pg_execute_server_program TO {role}", "pg_execute_server_program"),
        ("", "GRANT INSERT ON {table} TO {role}", "may write to"),
        ("", "GRANT UPDATE (body) ON {table} TO {role}", "may write to"),
        ("", "GRANT TRUNCATE ON {table} TO PUBLIC", "may write to"),
        ("", "ALTER TABLE {table} OWNER TO {role}", "owns"),
        ("", "GRANT shop_mighty TO {role}", "is a superuser"),
    ],
)
def test_a_role_that_could_do_more_is_refused(shop, rights, grant, reason):
    """A read-only transaction would be all that stands between a search and the data."""
    role = "shop_suspect"
    shop.role("shop_mighty", "SUPERUSER")
    relation = shop.stock([record("a", "word")])
    table = f"shelf.{relation.table}"
    shop.run(f"CREATE ROLE {role} LOGIN {rights}")
    try:
        shop.run(grant.format(role=role, table=table) or "SELECT 1")
        with pytest.raises(PowerfulRole) as refused:
            check(shop, role, relation)
    finally:
        shop.run(f"REASSIGN OWNED BY {role} TO postgres")
        shop.run(f"DROP OWNED BY {role}")
        shop.run(f"DROP ROLE {role}")
    assert reason in str(refused.value)
    assert "SELECT on its relations and nothing else" in str(refused.value)


def test_each_power_alone_is_enough_and_none_is_none():
    """One of the powers would count only beside another."""
    refuse_powerful(HARMLESS)
    for field in fields(Role):
        if field.name != "name":
            mighty = ("x",) if getattr(HARMLESS, field.name) == () else True
            with pytest.raises(PowerfulRole):
                refuse_powerful(replace(HARMLESS, **{field.name: mighty}))


def test_a_role_that_can_make_no_large_object_searches_as_before(shop):
    """The statement in docs/sources.md would shut the source, or take nothing away."""
    page = (Path(__file__).resolve().parents[2] / "docs" / "sources.md").read_text("utf-8")
    (revoke,) = re.findall(r"`(REVOKE EXECUTE [^`]+)`", page)
    relation = shop.stock([record("a", "word")])
    reader = psycopg.connect(shop.database.as_user("shop_reader"))
    try:
        shop.run(revoke)
        check(shop, "shop_reader", relation)
        answer = asyncio.run(ask(shop, relation))
        for call in ("lo_create(0)", "lo_creat(0)", "lo_from_bytea(0, 'x')"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                reader.execute(f"SELECT {call}")
            reader.rollback()
    finally:
        shop.run(revoke.replace("REVOKE", "GRANT").replace("FROM", "TO"))
        reader.close()
    assert [hit.id.key for hit in answer] == ["a"]


async def ask(shop, relation):
    provider = shop.reading("shop_reader")
    try:
        return await provider.run(query(relation, optional=("word",)))
    finally:
        await provider.close()
