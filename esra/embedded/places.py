"""Where the embedded database keeps its things.

An ordinary user's cluster lies in ``home/postgres``. Root's home is closed to
the account that serves root, so root's cluster lies in a system folder under a
name made from ``home``: two homes never share one. No mode of a folder that
was there before is changed.

A cluster's folder holds ``data``, ``server.log``, the lock files ``door`` and
``serving``, root's also the name of its ``home``, and while a server runs its sockets.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path

from .account import Account
from .trouble import EmbeddedError

SYSTEM_FOLDERS = (Path("/var/lib/esra"), Path("/var/tmp/esra"), Path("/tmp/esra"))
TEMPORARY_FOLDERS = (Path("/tmp"), Path("/var/tmp"))
TEMPORARY_PREFIX = "esra-"


def cluster_folder(home: Path, account: Account) -> Path:
    """The folder of the cluster that belongs to ``home``, made if need be."""
    real = Path(os.path.realpath(home))
    if not account.foreign:
        return _private_folder(real)
    name = hashlib.sha256(os.fsencode(real)).hexdigest()[:16]
    # A cluster that exists wins: a better folder that appears later is not its home.
    for system in SYSTEM_FOLDERS:
        if trusted(system / "clusters" / name):
            return system / "clusters" / name
    made = make_folder(system_folder(account) / "clusters" / name, 0o711)
    # For a person who looks: the name alone does not tell whose it is.
    (made / "home").write_bytes(os.fsencode(real) + b"\n")
    return made


def system_folder(account: Account, *, executable: bool = False) -> Path:
    """A folder of root's that ``account`` can read, and run programs from if asked."""
    for folder in SYSTEM_FOLDERS:
        try:
            make_folder(folder, 0o755)
        except OSError:
            continue
        runs = not os.statvfs(folder).f_flag & os.ST_NOEXEC
        if _usable(folder, account) and (runs or not executable):
            return folder
    raise EmbeddedError(
        f"none of {', '.join(map(str, SYSTEM_FOLDERS))} can be written by root and read by "
        f"{account.name}; make one of them so, or set ESRA_DATABASE_URL"
    )


def temporary_folder(account: Account) -> Path:
    """A new folder with a short name, which ``account`` can walk into."""
    for parent in TEMPORARY_FOLDERS:
        if os.access(parent, os.W_OK | os.X_OK) and account.reaches(parent):
            made = Path(tempfile.mkdtemp(prefix=TEMPORARY_PREFIX, dir=parent))
            made.chmod(0o711 if account.foreign else 0o700)
            return made
    raise EmbeddedError(
        f"none of {', '.join(map(str, TEMPORARY_FOLDERS))} can be written; "
        "make one of them so, or set ESRA_DATABASE_URL"
    )


def make_folder(path: Path, mode: int) -> Path:
    """Makes a folder and its parents with ``mode``; leaves what is there alone."""
    if path.is_dir():
        return path
    if not path.parent.is_dir():
        make_folder(path.parent, mode)
    # Under another name until the mode is right: the umask may have narrowed it,
    # and a folder once in place is never corrected.
    fresh = Path(tempfile.mkdtemp(prefix=f".{path.name}-", dir=path.parent))
    fresh.chmod(mode)
    try:
        fresh.rename(path)
    except OSError:
        fresh.rmdir()
        if not path.is_dir():
            raise
    return path


def trusted(folder: Path) -> bool:
    """Whether it is a folder of our own that nobody else can write to."""
    try:
        found = folder.lstat()
    except OSError:
        return False
    return folder.is_dir() and found.st_uid == os.geteuid() and not found.st_mode & 0o022


def _private_folder(home: Path) -> Path:
    try:
        home.mkdir(parents=True, exist_ok=True)
        return make_folder(home / "postgres", 0o700).resolve()
    except OSError as error:
        raise EmbeddedError(
            f"the database's folder {home / 'postgres'} cannot be made ({error.strerror}); "
            "make it writable or set ESRA_DATABASE_URL"
        ) from error


def _usable(folder: Path, account: Account) -> bool:
    return trusted(folder) and os.access(folder, os.W_OK) and account.reaches(folder)
