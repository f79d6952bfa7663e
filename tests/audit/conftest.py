"""Logs of nobody's: one in files, one in tables."""

import itertools

import psycopg
import pytest

from esra.governance.audit import PostgresAudit, tables
from esra.governance.audit.chain import keys_of
from esra.governance.audit.verify import verify
from esra.governance.audit.view import of_tables
from esra.governance.clock import SystemClock
from tests.audit.desk import SECRET, Desk

PATIENT = 20.0


@pytest.fixture
def desk(tmp_path):
    return Desk(tmp_path)


@pytest.fixture
def admin(database):
    """The administrator, beside tables that hold nothing."""
    with psycopg.connect(database.url, autocommit=True) as connection:
        connection.execute("DROP SCHEMA IF EXISTS esra_audit, esra_audit_head CASCADE")
        tables.prepare(database.url)
        tables.prepare(database.url)  # A second time changes nothing.
        yield connection


@pytest.fixture
def opened(database, admin):
    """Opens sinks, each as another instance would; closes them at the end."""
    sinks = []

    def open_sink(url=None, **more):
        address = url or database.as_user(tables.ROLE)
        more = {"patience": PATIENT, **more}
        sinks.append(PostgresAudit(lambda: address, lambda: SECRET, SystemClock(), **more))
        return sinks[-1]

    yield open_sink
    for sink in sinks:
        sink.close()


@pytest.fixture
def report(database):
    def look(secret=SECRET):
        keys = keys_of(secret)
        with of_tables(database.as_user(tables.ROLE), keys) as view:
            return verify(view, keys)

    return look


@pytest.fixture
def make(tmp_path):
    """A new log at each call."""
    numbers = itertools.count()
    return lambda: Desk(tmp_path / str(next(numbers)))
