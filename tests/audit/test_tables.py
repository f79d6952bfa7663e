"""The audit in PostgreSQL: the same chain, under a role that can add and nothing else."""

import threading

import psycopg
import pytest

from esra.governance.audit import tables
from esra.governance.audit.findings import Kind
from esra.governance.clock import SystemClock
from esra.ports import AuditUnavailable
from tests.audit.desk import begin, end

RECORDS = "esra_audit.records"


def fill(sink, invocations=5):
    for number in range(invocations):
        sink.write([begin(f"i{number}")])
        sink.write([end(f"i{number}"), end("of nobody")])


def test_what_is_written_is_a_chain_that_verifies(opened, report):
    """Else instances that share a server would have no audit worth the name."""
    sink = opened()
    sink.ready()
    fill(sink)
    said = report()
    assert (said.records, said.findings, said.open) == (15, (), ())


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        (
            f"UPDATE {RECORDS} SET line = replace(line, '\"t\"', '\"u\"') WHERE sequence = 5",
            "edited",
        ),
        (f"DELETE FROM {RECORDS} WHERE sequence = 5", "deleted"),
        (f"DELETE FROM {RECORDS} WHERE sequence > 5", "cut off"),
        (f"TRUNCATE {RECORDS}", "cut off"),
        (f"UPDATE {RECORDS} SET sequence = 99 WHERE sequence = 5", "moved"),
        (f"INSERT INTO {RECORDS} SELECT 99, line FROM {RECORDS} WHERE sequence = 5", "duplicated"),
        (f"INSERT INTO {RECORDS} VALUES (99, '{{}}')", "inserted"),
        ("UPDATE esra_audit_head.head SET sealed = replace(sealed, '15', '14')", "head"),
        ("UPDATE esra_audit_head.head SET sealed = ''", "head"),
    ],
)
def test_what_an_administrator_does_to_the_tables_is_found(opened, report, admin, command, kind):
    """Else whoever runs the server could rewrite what happened."""
    fill(opened())
    admin.execute(command)
    assert report().findings[0].kind == kind


def test_the_audits_role_can_add_and_read_and_nothing_else(opened, database):
    """Else a stolen password of the runtime would be enough to empty the log."""
    fill(opened())
    with psycopg.connect(database.as_user(tables.ROLE), autocommit=True) as own:
        for command in (
            f"UPDATE {RECORDS} SET line = ''",
            f"DELETE FROM {RECORDS}",
            f"TRUNCATE {RECORDS}",
            f"DROP TABLE {RECORDS}",
            "DELETE FROM esra_audit_head.head",
            f"ALTER TABLE {RECORDS} ADD COLUMN x int",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                own.execute(command)


def test_instances_that_write_at_once_make_one_chain(opened, report):
    """Else two instances would fork the log, and each fork would look cut off."""
    threads = [threading.Thread(target=fill, args=(opened(), 20)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    said = report()
    assert (said.records, said.findings) == (240, ())


def test_what_a_killed_instance_left_open_is_closed_once(opened, report, admin):
    """Else nobody could tell a call that was cut off from one that still runs."""
    killed, living = opened(), opened()
    killed.write([begin("cut off")])
    living.write([begin("runs")])
    cut(admin)
    opened().write([end("other")])
    opened().write([end("other")])
    said = report()
    assert (said.abandoned, [one.invocation for one in said.open]) == (1, ["runs"])
    assert said.whole


def cut(admin):
    """Ends the first session of the audit, as the death of its process does."""
    admin.execute(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
        " WHERE application_name = 'esra audit' ORDER BY backend_start LIMIT 1"
    )


def test_a_connection_that_the_server_closed_is_opened_again(opened, report, admin):
    """Else an idle night would end in refused calls."""
    sink = opened()
    fill(sink, 1)
    cut(admin)
    fill(sink, 1)
    assert report().records == 6


def test_a_server_that_is_down_takes_nothing(opened):
    """Else calls would run that nobody recorded."""
    with pytest.raises(AuditUnavailable):
        opened("postgresql://u@127.0.0.1:1/d").write([begin()])


def test_a_server_that_says_nothing_costs_its_patience_once(opened, admin):
    """Else a hung server would stop every caller for as long as it hangs."""
    clock = SystemClock()
    sink = opened(patience=0.3, rest=30.0)
    fill(sink, 1)
    with admin.transaction():
        admin.execute("SELECT FROM esra_audit_head.head FOR UPDATE")
        started = clock.monotonic()
        for _ in range(5):
            with pytest.raises(AuditUnavailable):
                sink.write([begin("x")])
        assert clock.monotonic() - started < 1.5


def test_tables_that_nobody_prepared_are_named(opened, admin):
    """Else the first start would end in a riddle."""
    admin.execute("DELETE FROM esra_audit_head.head")
    with pytest.raises(AuditUnavailable, match="esra audit init"):
        opened().ready()


def test_another_key_is_told_apart_from_tampering(opened, report):
    """Else a mislaid key would look like a burglary."""
    fill(opened())
    (finding,) = report(b"x" * 40).findings
    assert finding.kind is Kind.KEY
