"""Where a running server is met: its sockets, in a folder with a short name.

Usually the cluster's own folder; a long home does not fit into a socket's
address (108 bytes on Linux, 104 on macOS), which then lies in a temporary folder.
The file ``spot`` in the cluster's folder names it, for a temporary folder is
different every time.
"""

from __future__ import annotations

import os
import shutil
import socket
from dataclasses import dataclass
from pathlib import Path

from .account import Account
from .database import PORT
from .places import TEMPORARY_FOLDERS, TEMPORARY_PREFIX, temporary_folder, trusted

SPOT = "spot"
LONGEST = 103


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """``leases`` is the supervisor's socket, ``sockets`` the server's folder."""

    folder: Path

    @property
    def leases(self) -> Path:
        return self.folder / "leases"

    @property
    def sockets(self) -> Path:
        return self.folder / "run"


def make_spot(base: Path, account: Account) -> Spot:
    """A clean spot. Nothing of an earlier server may be alive."""
    remove_spot(base)
    spot = Spot(folder=base if _holds_sockets(base) else temporary_folder(account))
    (base / SPOT).write_bytes(os.fsencode(spot.folder))
    spot.sockets.mkdir(mode=0o700)
    account.own(spot.sockets)
    return spot


def find_spot(base: Path) -> Spot | None:
    """The spot of a server that runs, or was killed."""
    try:
        folder = Path(os.fsdecode((base / SPOT).read_bytes()))
    except FileNotFoundError:
        return None
    # A name in /tmp can be taken by anybody once the folder is gone.
    return Spot(folder=folder) if folder == base or trusted(folder) else None


def remove_spot(base: Path) -> None:
    spot = find_spot(base)
    if spot:
        shutil.rmtree(spot.sockets, ignore_errors=True)
        spot.leases.unlink(missing_ok=True)
        if _is_temporary(spot.folder) and spot.folder != base:
            spot.folder.rmdir()
    (base / SPOT).unlink(missing_ok=True)


def _is_temporary(folder: Path) -> bool:
    return folder.parent in TEMPORARY_FOLDERS and folder.name.startswith(TEMPORARY_PREFIX)


def _holds_sockets(base: Path) -> bool:
    """Whether the address fits, and the file system knows sockets (some mounts do not)."""
    longest = Spot(folder=base).sockets / f".s.PGSQL.{PORT}"
    # libpq takes a comma for the end of a host.
    if len(os.fsencode(longest)) > LONGEST or "," in str(longest):
        return False
    tried = Spot(folder=base).leases
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.bind(str(tried))
        except OSError:
            return False
    tried.unlink()
    return True
