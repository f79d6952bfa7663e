"""Writes a file so that a reader sees a whole one, or the one before."""

import os
from pathlib import Path


def write_whole(path: Path, body: bytes) -> None:
    """Replaces the file at the end. The folder has to be there. Raises OSError."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        fresh.write_bytes(body)
        os.replace(fresh, path)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise
