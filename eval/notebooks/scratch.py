"""The folder a run works in: gone when the run ends, and where its process was killed, at the next.

It holds how to reach the kernel, so it is this account's alone and is locked while it is in use. A
lock ends with its process however that ended: a folder without one belongs to nobody.
"""

import os
import shutil
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import gettempdir, mkdtemp

PREFIX = "esra-notebook-"


@contextmanager
def scratch() -> Iterator[Path]:
    """A new folder in the system's place for such, after those of killed runs were taken away.

    While it lasts, a request to end (TERM, HUP) that nobody else handles raises ``SystemExit``.
    """
    sweep()
    with _ending_in_order():
        folder, held = _taken()
        try:
            yield folder
        finally:
            # A kernel that is about to end may still write.
            shutil.rmtree(folder, ignore_errors=True)
            os.close(held)


def sweep() -> None:
    """Removes this account's folders that no living process holds."""
    for folder in Path(gettempdir()).glob(f"{PREFIX}*"):
        held = _lock(folder, wait=False)
        if held is not None:
            shutil.rmtree(folder, ignore_errors=True)
            os.close(held)


def _taken() -> tuple[Path, int]:
    while True:
        folder = Path(mkdtemp(prefix=PREFIX))
        held = _lock(folder, wait=True)
        # Another run may have swept it before it was locked.
        if held is not None and folder.exists():
            return folder, held
        if held is not None:
            os.close(held)


def _lock(folder: Path, *, wait: bool) -> int | None:
    """The open folder, locked; None where it is gone, another's, no folder, or in use."""
    try:
        held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return None
    if os.fstat(held).st_uid == os.getuid() and _locked(held, wait):
        return held
    os.close(held)
    return None


def _locked(held: int, wait: bool) -> bool:
    # POSIX only, like the embedded server; imported here so that `check` works anywhere.
    from fcntl import LOCK_EX, LOCK_NB, flock

    try:
        flock(held, LOCK_EX if wait else LOCK_EX | LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def _ending_in_order() -> Iterator[None]:
    """TERM and HUP raise, so that kernel and folder are cleared; a second one ends at once."""

    def leave(number: int, frame: object) -> None:
        signal.signal(number, signal.SIG_DFL)
        raise SystemExit(128 + number)

    # Only the main thread may handle signals, and who handles or ignores one already has a reason.
    mine = threading.current_thread() is threading.main_thread()
    ending = (signal.SIGTERM, signal.SIGHUP)
    taken = [one for one in ending if mine and signal.getsignal(one) is signal.SIG_DFL]
    for one in taken:
        signal.signal(one, leave)
    try:
        yield
    finally:
        for one in taken:
            signal.signal(one, signal.SIG_DFL)
