"""The lane's own words, where it cannot run. Needs no browser."""

from __future__ import annotations

import pytest

from tests.lanes import debian
from tests.lanes.browser import run


@pytest.mark.parametrize(
    ("apt", "uid", "why"),
    [(None, 0, "not Debian"), ("/usr/bin/apt-get", 1000, "only root installs packages")],
)
def test_where_it_cannot_run_it_says_so_and_passes(monkeypatch, capsys, apt, uid, why):
    """A lane that was skipped would look like one that passed, or fail every other machine."""
    monkeypatch.setattr(run, "program", lambda: None)
    monkeypatch.setattr(debian.shutil, "which", lambda name: apt)
    monkeypatch.setattr(debian.os, "geteuid", lambda: uid)
    assert run.main([]) == 0
    said = capsys.readouterr().out
    assert said.startswith("browser lane: not run: ")
    assert why in said
