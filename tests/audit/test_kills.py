"""Processes that ask real questions and are killed, at any moment."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from esra.governance.audit import tables
from esra.governance.audit.chain import keys_of
from esra.governance.audit.view import of_tables
from tests.audit.desk import SECRET, end

LONG = bool(os.environ.get("ESRA_LONG"))
KILLS = 100 if LONG else 10


@contextmanager
def worker(where, folder):
    program = Path(__file__).with_name("worker.py")
    with subprocess.Popen(
        [sys.executable, program, where, folder],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield process


def kill_again_and_again(where, folder, kills, longest, seed=7):
    """Each child dies somewhere in its first ``longest`` seconds."""
    dice = random.Random(seed)
    with worker(where, folder) as process:
        for _ in range(kills):
            process.stdin.write("\n")
            process.stdin.flush()
            child = int(process.stdout.readline())
            time.sleep(dice.uniform(0.002, longest))
            os.kill(child, signal.SIGKILL)
            assert process.stdout.readline() == "gone\n"
        process.stdin.close()
        assert process.wait(60) == 0


def acknowledged(folder):
    words = [line.split() for line in (folder / "acknowledged").read_text().splitlines()]
    return [{id for word, id in words if word == which} for which in ("begun", "answered")]


def shows_every_call(records, folder):
    """One begin record for each call that began, and one record that says how it ended."""
    begun, answered = acknowledged(folder)
    assert begun
    of = {}
    for record in records:
        of.setdefault(record["invocation"], []).append(record["event"])
    of.pop("last")
    of.pop("", None)  # of torn lines
    assert begun <= of.keys()
    for invocation, events in of.items():
        ends = [e for e in events if e in ("esra.invocation.end", "esra.invocation.abandoned")]
        assert events.count("esra.invocation.begin") == 1
        assert len(ends) == 1, events
        if invocation in answered:
            assert ends == ["esra.invocation.end"]
            assert events.count("esra.sources.resolve") == 1


@pytest.mark.timeout(600)
def test_the_audit_in_files_survives_being_killed_at_any_moment(desk):
    """Else a crash would lose a call, or look like tampering, or hide it."""
    kill_again_and_again("FILES", desk.base, KILLS, 0.15)
    before = desk.report()
    assert (before.findings, len(before.open) <= 1) == ((), True)
    sink = desk.sink()
    sink.write([end("last")])
    sink.close()
    after = desk.report()
    assert (after.findings, after.open, after.crash) == ((), (), "")
    shows_every_call(desk.records(), desk.base)
    assert list((desk.base / "head" / "writers").iterdir()) == []


@pytest.mark.timeout(600)
def test_the_audit_in_tables_survives_being_killed_at_any_moment(opened, report, database, desk):
    """Else a crash of one instance would leave a call without an end, or the chain broken."""
    address = database.as_user(tables.ROLE)
    kill_again_and_again(address, desk.base, 30 if LONG else 3, 0.8)
    until = time.monotonic() + 20
    while True:
        # The server learns of a death when it next listens; until then the dead count as alive.
        opened().write([end("last")])
        said = report()
        if not said.open or time.monotonic() > until:
            break
        time.sleep(0.2)
    assert (said.findings, said.open) == ((), ())
    with of_tables(address, keys_of(SECRET)) as view:
        shows_every_call([json.loads(line.data) for line in view.lines()], desk.base)


@pytest.mark.parametrize("where", ["FILES", "TABLES"])
def test_processes_that_write_at_once_make_one_chain(where, desk, request):
    """Else a server with several workers would have several truths."""
    if where == "TABLES":
        request.getfixturevalue("admin")
        where = request.getfixturevalue("database").as_user(tables.ROLE)
    with worker(where, desk.base) as process:
        process.stdin.write("40\n" * 4)
        process.stdin.close()
        assert process.wait(120) == 0
    said = desk.report() if where == "FILES" else request.getfixturevalue("report")()
    assert (said.findings, said.open) == ((), ())
    begun, answered = acknowledged(desk.base)
    assert len(begun) == len(answered) == 160
    assert said.records >= 160 * 5
