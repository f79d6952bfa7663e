"""File locks that the system gives back when their last holder is gone.

``door``     held while a command joins or starts a server, and by a supervisor
             while it stops one: nobody joins a server that is going.
``serving``  held by a supervisor and, by inheritance, by every process of its
             server: free means that nothing of that server is left.

A lock belongs to the open file, and children share it. It is therefore given
back by closing, never by LOCK_UN, which would take it from the children too.
"""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path

DOOR = "door"
SERVING = "serving"
_PAUSE = 0.02


def open_lock(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def take(lock: int) -> None:
    """Waits for the lock."""
    fcntl.flock(lock, fcntl.LOCK_EX)


def try_take(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def take_within(lock: int, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while not try_take(lock):
        if time.monotonic() > deadline:
            return False
        time.sleep(_PAUSE)
    return True
