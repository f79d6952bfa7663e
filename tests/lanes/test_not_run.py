"""What a lane says where it cannot run. Needs neither browser nor server."""

from __future__ import annotations

import pytest

from tests.lanes import debian
from tests.lanes.browser import run as browser
from tests.lanes.german import run as german


@pytest.mark.parametrize(
    ("lane", "lacks", "name"),
    [(browser, ("program", None), "browser"), (german, ("lacking", True), "german")],
    ids=["browser", "german"],
)
@pytest.mark.parametrize(
    ("apt", "uid", "why"),
    [(None, 0, "not Debian"), ("/usr/bin/apt-get", 1000, "only root installs packages")],
)
def test_where_it_cannot_run_it_says_so_and_passes(
    monkeypatch, capsys, lane, lacks, name, apt, uid, why
):
    """A lane that was skipped would look like one that passed, or fail every other machine."""
    found, answer = lacks
    monkeypatch.setattr(lane, found, lambda: answer)
    monkeypatch.setattr(debian.shutil, "which", lambda name: apt)
    monkeypatch.setattr(debian.os, "geteuid", lambda: uid)
    assert lane.main([]) == 0
    said = capsys.readouterr().out
    assert said.startswith(f"{name} lane: not run: ")
    assert why in said
