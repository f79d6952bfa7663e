"""Clears away what killed supervisors left: servers, notes, throw-away folders."""

from __future__ import annotations

import os
import shutil
import signal
from contextlib import suppress
from pathlib import Path

from .cluster import DATA
from .locks import SERVING, open_lock, take_within, try_take
from .places import TEMPORARY_FOLDERS, TEMPORARY_PREFIX, trusted
from .server import PID_FILE, pid_in
from .trouble import EmbeddedError

# A server whose supervisor was killed is going by itself; then it is asked, then made to.
STEPS = ((None, 5), (signal.SIGINT, 10), (signal.SIGQUIT, 6), (signal.SIGKILL, 5))


def claim(base: Path) -> int:
    """The lock ``serving``, once nothing of an earlier server is alive.

    Raises EmbeddedError where something stays, or somebody else serves this data.
    """
    lock = open_lock(base / SERVING)
    for number, seconds in STEPS:
        if number is not None:
            _signal_server(base / DATA, number)
        if take_within(lock, seconds):
            _forget_server(base / DATA)
            return lock
    os.close(lock)
    raise EmbeddedError(
        f"an earlier server still holds {base / SERVING} and cannot be ended; "
        "end the processes that have this file open"
    )


def sweep_throwaways() -> None:
    """Deletes throw-away clusters that nothing serves any more."""
    for parent in TEMPORARY_FOLDERS:
        for folder in parent.glob(f"{TEMPORARY_PREFIX}*"):
            # Data is made with the lock in hand: data and no lock is an end, not a start.
            if trusted(folder) and (folder / DATA).is_dir():
                _delete_unserved(folder)


def _delete_unserved(folder: Path) -> None:
    lock = open_lock(folder / SERVING)
    if try_take(lock):
        shutil.rmtree(folder, ignore_errors=True)
    os.close(lock)


def _signal_server(data: Path, number: signal.Signals) -> None:
    pid = pid_in(data)
    if pid and _serves(pid, data):
        with suppress(ProcessLookupError):
            os.kill(pid, number)


def _forget_server(data: Path) -> None:
    """Removes a killed server's note: its number may be another process by now."""
    pid = pid_in(data)
    if pid is None:
        return
    if _serves(pid, data):
        raise EmbeddedError(
            f"a PostgreSQL that was started by hand (process {pid}) serves {data}; stop it first"
        )
    (data / PID_FILE).unlink(missing_ok=True)


def _serves(pid: int, data: Path) -> bool:
    """Whether that process works in the data folder, as every PostgreSQL does."""
    try:
        return os.path.samefile(f"/proc/{pid}/cwd", data)
    except OSError:
        return False
