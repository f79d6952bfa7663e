"""Writes a file so that a reader sees a whole one, or the one before."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def write_whole(path: Path, body: bytes, *, private: bool = False) -> None:
    """Replaces the file at the end, and where a link stands the one it leads to. The folder has to
    be there. What is no file, as a pipe or a device, takes the bytes itself: in its place there
    would be a file. A file that is replaced keeps who may read it; a new one that is ``private`` is
    for its owner alone. Raises OSError, which names it.
    """
    with naming(path):
        if path.exists() and not path.is_file():
            path.write_bytes(body)
            return
    path = path.resolve() if path.is_symlink() else path
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with naming(path):
            handle = os.open(
                fresh, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600 if private else 0o666
            )
            with open(handle, "wb") as file:
                if path.exists() and not private:
                    os.fchmod(handle, stat.S_IMODE(path.stat().st_mode))
                file.write(body)
            os.replace(fresh, path)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Of a full disk the system says that it is full, and not of which file."""
    try:
        yield
    except OSError as error:
        error.filename = error.filename if error.filename is not None else str(path)
        raise
