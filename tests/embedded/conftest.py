"""Commands that hold a database, in processes of their own, and what is left of them."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import psycopg
import pytest

from esra.embedded import open_database
from esra.embedded.account import server_account
from esra.embedded.places import cluster_folder, temporary_folder

ROOT = Path(__file__).parents[2]
SECONDS = 10.0

# Says where its database is, and holds it until its input ends.
HOLD = """
import signal, sys
from pathlib import Path
from esra.embedded import open_database, throwaway
# What runs in the background of a shell inherits that Ctrl-C is ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
home = sys.argv[1]
with (open_database(Path(home)) if home else throwaway()) as database:
    print(database.url, flush=True)
    sys.stdin.read()
"""


class Command:
    """A command that holds the database of ``home``; of a throw-away cluster with ``None``."""

    def __init__(self, home: Path | None) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", HOLD, str(home or "")],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
            text=True,
        )
        self._url = ""

    @property
    def url(self) -> str:
        if not self._url:
            self._url = self.process.stdout.readline().strip()
        return self._url

    def ask(self, query: str) -> object:
        with psycopg.connect(self.url) as connection:
            return connection.execute(query).fetchone()[0]

    def end(self) -> None:
        self.process.communicate(timeout=SECONDS)

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate(timeout=SECONDS)


class Remains:
    """What a cluster's folder has running, by the system's own list of processes."""

    def __init__(self, base: Path) -> None:
        self.base = base

    def named(self, word: str) -> list[int]:
        """The processes with that word in their command line."""
        return [pid for pid in self.processes() if word in _line(pid)]

    def supervisor(self) -> int:
        (pid,) = self.named("supervisor")
        return pid

    def postmaster(self) -> int:
        return int((self.base / "data" / "postmaster.pid").read_text().split()[0])

    def processes(self) -> list[int]:
        numbers = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal()]
        return [number for number in numbers if str(self.base) in _line(number) + _cwd(number)]

    def files(self) -> list[str]:
        """The sockets and the notes of running processes."""
        kept = ("leases", "run", "spot", "data/postmaster.pid")
        return [name for name in kept if (self.base / name).exists()]

    def vanish(self) -> bool:
        return wait(lambda: not self.processes() and not self.files())

    def end(self) -> bool:
        return wait(lambda: not self.processes())

    def kill_all(self) -> None:
        for pid in self.processes():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        assert self.end()


def wait(ready: Callable[[], object], seconds: float = SECONDS) -> bool:
    deadline = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def _line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode("utf-8", "replace")
    except OSError:
        return ""


def _cwd(pid: int) -> str:
    # A worker's title hides its command line, but it works in the data folder.
    try:
        return os.readlink(f"/proc/{pid}/cwd")
    except OSError:
        return ""


@pytest.fixture(autouse=True, scope="session")
def no_server_of_the_users_own() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("ESRA_DATABASE_URL", raising=False)
        yield


@pytest.fixture(name="wait")
def wait_fixture() -> Callable[..., bool]:
    return wait


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A home with a cluster. Tests share it, one after the other: making one takes long."""
    home = tmp_path_factory.mktemp("shared") / "home"
    with open_database(home):
        base = cluster_folder(home, server_account())
    # Processes are killed here and not the machine: nothing need reach the disk.
    with open(base / "data" / "postgresql.conf", "a") as settings:
        settings.write("fsync = off\n")
    yield home
    shutil.rmtree(base)


@pytest.fixture
def remains(home: Path) -> Iterator[Remains]:
    """Of ``home``. The next test finds no server."""
    found = Remains(cluster_folder(home, server_account()))
    yield found
    assert found.vanish()


@pytest.fixture
def new_home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def new_remains(new_home: Path) -> Iterator[Remains]:
    """Of ``new_home``, which has no cluster yet; its folder goes with the test."""
    found = Remains(cluster_folder(new_home, server_account()))
    yield found
    found.vanish()
    shutil.rmtree(found.base)


@pytest.fixture
def plant(remains: Remains) -> Callable[[Path], Path]:
    """Makes the cluster of ``home`` that of another folder."""

    def link(base: Path) -> Path:
        (base / "data").symlink_to(remains.base / "data")
        return base

    return link


@pytest.fixture
def command_of() -> Iterator[Callable[[Path | None], Command]]:
    """Starts commands on a home; those still there at the end are killed."""
    started: list[Command] = []

    def start(home: Path | None) -> Command:
        started.append(Command(home))
        return started[-1]

    yield start
    for held in started:
        held.kill()


@pytest.fixture
def command(
    home: Path, remains: Remains, command_of: Callable[[Path | None], Command]
) -> Callable[[], Command]:
    """Starts commands on ``home``, which ``remains`` watches until they have ended."""
    return partial(command_of, home)


@pytest.fixture
def remains_in() -> type[Remains]:
    return Remains


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that the server's account can walk into, unlike pytest's own."""
    folder = temporary_folder(server_account())
    yield folder
    Remains(folder).vanish()
    shutil.rmtree(folder)
