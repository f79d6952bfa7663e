"""Addresses of the same server for other roles, and servers of the user's own."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from esra.embedded import Database, EmbeddedError, open_database
from esra.embedded.database import at_socket

SOCKET = at_socket(Path("/run/my esra"), "18.6")


@pytest.mark.parametrize(
    ("url", "user", "database", "reached"),
    [
        (
            SOCKET.url,
            "reader",
            None,
            {"user": "reader", "dbname": "postgres", "host": "/run/my esra", "port": "5432"},
        ),
        (
            SOCKET.url,
            'odd/@"ü',
            "a b/c",
            {"user": 'odd/@"ü', "dbname": "a b/c", "host": "/run/my esra", "port": "5432"},
        ),
        (
            "postgresql://owner:secret@db.example:5433/shop?sslmode=require",
            "reader",
            None,
            {
                "user": "reader",
                "dbname": "shop",
                "host": "db.example",
                "port": "5433",
                "sslmode": "require",
            },
        ),
        (
            "postgres://one:1,two:2/shop?user=owner&password=secret&application_name=a+b",
            "reader",
            None,
            {
                "user": "reader",
                "dbname": "shop",
                "host": "one,two",
                "port": "1,2",
                "application_name": "a+b",
            },
        ),
        (
            "postgresql:///?host=/tmp&dbname=shop",
            "reader",
            None,
            {"user": "reader", "dbname": "shop", "host": "/tmp"},
        ),
        (
            "postgresql:///?host=/tmp&dbname=shop",
            "reader",
            "other",
            {"user": "reader", "dbname": "other", "host": "/tmp"},
        ),
    ],
)
def test_another_role_reaches_the_same_server_without_the_first_ones_password(
    url, user, database, reached
):
    """The reader would connect elsewhere, or with the owner's secret."""
    found = Database(url=url, embedded=False, version="18").as_user(user, database)
    assert conninfo_to_dict(found) == reached


def test_the_users_own_server_is_given_and_nothing_is_started(monkeypatch, new_home):
    """Somebody with a database would get a second, empty one."""
    monkeypatch.setenv("ESRA_DATABASE_URL", " postgresql://me:secret@db.example/shop ")
    with open_database(new_home) as database:
        assert database.url == "postgresql://me:secret@db.example/shop"
        assert (database.embedded, database.version) == (False, "not asked")
        assert "secret" not in repr(database)
    assert not new_home.exists()


def test_an_address_that_is_no_url_is_refused_without_being_repeated(monkeypatch, new_home):
    """A password would end up in a log, or the embedded server be used by surprise."""
    monkeypatch.setenv("ESRA_DATABASE_URL", "host=db.example password=secret")
    with pytest.raises(EmbeddedError, match="postgresql://") as refused, open_database(new_home):
        pass
    assert "secret" not in str(refused.value)


def test_a_blank_address_is_none(monkeypatch, home, remains):
    """An empty line in a settings file would stop every command."""
    monkeypatch.setenv("ESRA_DATABASE_URL", " ")
    with open_database(home) as database:
        assert database.embedded


def test_a_role_of_the_embedded_server_needs_no_password(home, remains):
    """The reader role, which the runtime uses, could not connect."""
    with open_database(home) as server:
        with psycopg.connect(server.url, autocommit=True) as owner:
            owner.execute("create role reader login")
        with psycopg.connect(server.as_user("reader", "template1")) as reader:
            who = reader.execute("select current_user, current_database()").fetchone()
    assert who == ("reader", "template1")
