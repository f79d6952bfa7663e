"""A file of the workbench is whole, whatever befalls its writer."""

import os

import pytest

from eval.measure import cli
from eval.whole import write_whole
from tests.full import no_more_than


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


def test_a_pipe_stays_a_pipe_and_takes_the_bytes(tmp_path):
    """`--html /dev/null` would put a file in the place of the machine's own."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_whole(pipe, b"page")
        assert (os.read(reader, 9), pipe.is_fifo()) == (b"page", True)
    finally:
        os.close(reader)
    assert list(tmp_path.iterdir()) == [pipe]


def test_a_link_stays_and_leads_to_the_new_file(tmp_path):
    """The page that a server shows would stay as it was, beside a new one that nobody sees."""
    (tmp_path / "shown").mkdir()
    page, link = tmp_path / "shown" / "page.html", tmp_path / "page.html"
    page.write_bytes(b"before")
    link.symlink_to(page)
    write_whole(link, b"after")
    assert (link.is_symlink(), page.read_bytes()) == (True, b"after")
    assert list(page.parent.iterdir()) == [page]


def test_who_may_read_a_file_is_asked_no_second_time(tmp_path):
    """A report would be closed to its readers, or open to others again, after the next run."""
    page, private = tmp_path / "page.html", tmp_path / "known.json"
    write_whole(page, b"before")
    page.chmod(0o662)
    write_whole(page, b"after")
    write_whole(private, b"{}", private=True)
    assert [one.stat().st_mode & 0o777 for one in (page, private)] == [0o662, 0o600]


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


def test_a_full_disk_is_told_of_the_file_and_leaves_the_one_before(tmp_path, capsys):
    """The page that a team looks at would be empty, and nobody could tell which disk is full."""
    (tmp_path / "run").write_text("q Q0 a 1 1 t\n")
    (tmp_path / "qrels").write_text("q 0 a 1\n")
    page = tmp_path / "page.html"
    page.write_text("before")
    words = ["--run", str(tmp_path / "run"), "--qrels", str(tmp_path / "qrels")]
    with no_more_than(100):
        assert cli.main([*words, "--html", str(page)]) == 3
    told = capsys.readouterr()
    assert told.err.startswith(f"measure: {page}: ")
    assert (told.err.count("\n"), told.out, page.read_text()) == (1, "", "before")
    assert len(list(tmp_path.iterdir())) == 3
    assert cli.main([*words, "--html", str(page)]) == 0
    assert page.read_text().startswith("<!doctype html>")
