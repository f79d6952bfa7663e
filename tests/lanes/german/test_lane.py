"""The lane's own words, where it cannot run. Needs no server."""

from __future__ import annotations

import pytest

from tests.lanes import debian
from tests.lanes.german import run


@pytest.mark.parametrize(
    ("apt", "uid", "why"),
    [(None, 0, "not Debian"), ("/usr/bin/apt-get", 1000, "only root installs packages")],
)
def test_where_it_cannot_run_it_says_so_and_passes(monkeypatch, capsys, apt, uid, why):
    """A lane that was skipped would look like one that passed, or fail every other machine."""
    monkeypatch.setattr(run, "lacking", lambda: True)
    monkeypatch.setattr(debian.shutil, "which", lambda name: apt)
    monkeypatch.setattr(debian.os, "geteuid", lambda: uid)
    assert run.main([]) == 0
    said = capsys.readouterr().out
    assert said.startswith("german lane: not run: ")
    assert why in said


def test_the_newest_server_with_german_words_is_taken(monkeypatch, tmp_path):
    """Version 9 would come after version 15, or one be taken that speaks English only."""
    monkeypatch.setattr(run, "SERVERS", tmp_path)
    monkeypatch.setattr(run, "MESSAGES", tmp_path)
    assert run.programs() is None
    for version in ("9.6", "15", "17"):
        (tmp_path / version / "bin").mkdir(parents=True)
        (tmp_path / version / "bin" / "initdb").touch()
    for version in ("9.6", "15"):
        (tmp_path / f"postgres-{version}.mo").touch()
    assert run.programs() == tmp_path / "15" / "bin"
