"""A database with a room for esra's own tables, and stores that open its door."""

import asyncio

import psycopg
import pytest

from esra.governance import store as own
from esra.governance.clock import SystemClock
from esra.governance.store import Store, prepare
from tests.governance.desk import PATIENT


@pytest.fixture
def owner(database):
    """The administrator, beside a store's room that holds nothing."""
    with psycopg.connect(database.url, autocommit=True) as connection:
        connection.execute("DROP SCHEMA IF EXISTS esra_own CASCADE")
        prepare(database.url)
        yield connection


@pytest.fixture
def opened(database, owner):
    """Opens stores, each as another instance of the runtime would; closes them at the end."""
    stores = []

    def open_store(url=None, **more):
        address = url or database.as_user(own.ROLE)
        stores.append(Store(lambda: address, SystemClock(), **{"patience": PATIENT, **more}))
        return stores[-1]

    yield open_store
    for one in stores:
        asyncio.run(one.close())
