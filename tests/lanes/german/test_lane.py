"""Which of Debian's servers the lane takes. Needs none."""

from __future__ import annotations

from tests.lanes.german import run


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
