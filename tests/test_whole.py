"""A file of the workbench is whole, whatever befalls its writer."""

import os

import pytest

from eval.whole import write_whole


def test_the_file_before_stands_until_the_new_one_is_whole(tmp_path, monkeypatch):
    """A disk that fills up would leave half a report, and a second file that nobody knows."""
    path = tmp_path / "report.txt"
    write_whole(path, b"before")
    seen = []

    def full(fresh, target):
        seen.append((fresh.read_bytes(), target.read_bytes()))
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="No space left"):
        write_whole(path, b"after")
    assert seen == [(b"after", b"before")]
    assert [(one.name, one.read_bytes()) for one in tmp_path.iterdir()] == [
        ("report.txt", b"before")
    ]


def test_two_writers_at_once_have_a_file_each(tmp_path, monkeypatch):
    """Two runs of one command would write into one another's half."""
    names, replace = [], os.replace

    def named(fresh, target):
        names.append(fresh.name)
        replace(fresh, target)

    monkeypatch.setattr(os, "replace", named)
    for process in (1, 2):
        monkeypatch.setattr(os, "getpid", lambda process=process: process)
        write_whole(tmp_path / "x", b"")
    assert len(set(names)) == 2
