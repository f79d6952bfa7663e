"""A cluster for tests, of which nothing is left."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from urllib.parse import unquote

import psycopg

from esra.embedded import throwaway
from esra.embedded.orphans import sweep_throwaways


def _base(url: str) -> Path:
    return Path(unquote(url.partition("host=")[2].partition("&")[0])).parent


def test_two_throwaways_are_two_clusters_and_both_go(monkeypatch, capfd):
    """Tests that run side by side would see each other's tables, or delete them."""
    monkeypatch.setenv("ESRA_DATABASE_URL", "postgresql://db.example/shop")
    with throwaway() as first, throwaway() as second:
        assert first.embedded
        for server in (first, second):
            with psycopg.connect(server.url) as connection:
                connection.execute("create table one as select 1")
                assert connection.execute("show fsync").fetchone() == ("off",)
        folders = [_base(first.url), _base(second.url)]
        assert all(folder.is_dir() for folder in folders)
    assert not any(folder.exists() for folder in folders)
    assert capfd.readouterr() == ("", "")


def test_nothing_is_left_when_the_test_run_is_killed(command_of, remains_in, wait):
    """Each aborted test run would leave a server and forty megabytes."""
    held = command_of(None)
    base = _base(held.url)
    assert base.is_dir()
    held.kill()
    assert wait(lambda: not base.exists() and not remains_in(base).processes())


def test_what_a_killed_supervisor_left_goes_with_the_next_throwaway(command_of, remains_in):
    """After a crash of the machine, old clusters would fill /tmp for ever."""
    held = command_of(None)
    base = _base(held.url)
    left = remains_in(base)
    os.kill(left.supervisor(), signal.SIGKILL)
    assert left.end()
    assert base.is_dir()
    sweep_throwaways()
    assert not base.exists()
