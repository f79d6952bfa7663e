"""The server lives exactly as long as somebody holds it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest

from esra.embedded import open_database
from esra.embedded.account import server_account

POSTMASTER = "select pg_postmaster_start_time()::text"


def test_one_server_serves_commands_that_start_at_once(command, remains):
    """Two servers on one folder would destroy the data."""
    held = [command() for _ in range(10)]
    assert len({each.ask(POSTMASTER) for each in held}) == 1
    assert len(remains.named("supervisor")) == 1
    for each in held:
        each.end()
    assert remains.vanish()


def test_nothing_is_left_when_the_holder_is_killed(command, remains):
    """Servers would pile up on the machine with every command that crashes."""
    held = command()
    held.ask(POSTMASTER)
    held.kill()
    assert remains.vanish()


def test_nothing_is_left_the_moment_the_last_holder_ends(command, remains):
    """A script that deletes the folder after the command would race with a server."""
    held = command()
    held.ask(POSTMASTER)
    held.end()
    assert (remains.processes(), remains.files()) == ([], [])


def test_the_server_stays_for_whoever_still_holds_it(command, remains):
    """A command that ends would pull the database from under the others."""
    first, second = command(), command()
    started = first.ask(POSTMASTER)
    assert second.ask(POSTMASTER) == started
    first.kill()
    assert second.ask(POSTMASTER) == started
    second.end()
    assert remains.vanish()


def test_the_server_of_a_killed_supervisor_goes_and_the_next_start_works(command, remains):
    """A server without a supervisor would run until the machine is switched off."""
    held = command()
    _keep_seven(held)
    os.kill(remains.supervisor(), signal.SIGKILL)
    assert remains.end()
    assert command().ask("select seven from kept") == 7


def test_a_start_works_after_everything_was_killed_at_once(command, remains):
    """A power cut would need a person who knows which files to delete."""
    held = command()
    _keep_seven(held)
    remains.kill_all()
    assert "data/postmaster.pid" in remains.files()
    assert command().ask("select seven from kept") == 7


def test_a_killed_servers_note_that_names_another_process_is_no_obstacle(command, remains):
    """In containers process numbers come again: the database would refuse to start."""
    held = command()
    held.ask(POSTMASTER)
    remains.kill_all()
    with subprocess.Popen(["sleep", "60"], **server_account().becoming()) as other:
        note = remains.base / "data" / "postmaster.pid"
        note.write_text(note.read_text().replace(note.read_text().split()[0], str(other.pid), 1))
        try:
            assert command().ask("select 1") == 1
            assert other.poll() is None
        finally:
            other.kill()


def test_a_server_that_dies_is_started_again_by_the_next_command(command, remains):
    """One crash would make every later command fail until all holders end."""
    held = command()
    held.ask(POSTMASTER)
    os.kill(remains.postmaster(), signal.SIGKILL)
    assert remains.end()
    assert command().ask("select 1") == 1


def test_a_supervisor_that_is_told_to_end_stops_its_server_in_good_order(command, remains):
    """Switching the machine off would cut the server off in the middle of a write."""
    held = command()
    _keep_seven(held)
    os.kill(remains.supervisor(), signal.SIGTERM)
    assert remains.vanish()
    assert "database system is shut down" in (remains.base / "server.log").read_text()


@pytest.mark.parametrize("number", [signal.SIGCHLD, signal.SIGINT, signal.SIGTERM])
def test_a_command_that_ignores_signals_gets_a_server_that_does_not(number, command, remains):
    """Started in the background of a script, the server would never stop."""
    before = signal.signal(number, signal.SIG_IGN)
    try:
        held = command()
        assert held.ask("select 1") == 1
    finally:
        signal.signal(number, before)
    os.kill(remains.supervisor(), signal.SIGTERM)
    assert remains.vanish()


@pytest.mark.parametrize("victim", ["supervisor", "initdb"])
def test_a_database_that_was_cut_off_in_the_making_is_made_anew(
    victim, new_home, new_remains, command_of, wait
):
    """A kill in the first second would leave a folder that never works again."""
    cut_off = command_of(new_home)
    assert wait((new_remains.base / "data.new" / "PG_VERSION").exists)
    for pid in new_remains.named(victim):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    cut_off.end()
    assert cut_off.process.returncode != 0
    assert not (new_remains.base / "data").exists()
    assert command_of(new_home).ask("select 1") == 1


def test_ctrl_c_reaches_the_command_and_not_its_database(command, remains):
    """A command that tidies up on Ctrl-C would find its database gone."""
    held, other = command(), command()
    held.ask(POSTMASTER)
    started = other.ask(POSTMASTER)
    os.killpg(held.process.pid, signal.SIGINT)
    held.process.wait()
    assert other.ask(POSTMASTER) == started
    assert os.getsid(remains.supervisor()) not in (held.process.pid, other.process.pid)


def test_a_forked_child_does_not_end_its_parents_lease(home, remains):
    """A worker process that finishes would take the database from its parent."""
    with open_database(home) as database:
        child = os.fork()
        if not child:
            # Leaves the block as a worker would that fails inside it.
            with suppress(SystemExit):
                sys.exit()
            os._exit(0)
        os.waitpid(child, 0)
        with psycopg.connect(database.url) as connection:
            assert connection.execute("select 1").fetchone() == (1,)


def test_commands_that_come_while_others_go_always_get_a_database(home, remains):
    """A command would fail now and then, and nobody could say why."""

    def often(_: int) -> list[object]:
        return [_ask_once(home) for _ in range(6)]

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(often, range(4))) == [[1] * 6] * 4
    assert remains.vanish()


def _keep_seven(held) -> None:
    with psycopg.connect(held.url, autocommit=True) as connection:
        connection.execute("drop table if exists kept")
        connection.execute("create table kept as select 7 as seven")


def _ask_once(home: Path) -> object:
    with open_database(home) as database, psycopg.connect(database.url) as connection:
        return connection.execute("select 1").fetchone()[0]
