"""Writes a file whole or not at all."""

import os
import tempfile
from pathlib import Path


def write_whole(file: Path, text: str) -> None:
    """A catalog that was cut off would read as a smaller one. Raises ``OSError``."""
    descriptor, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}-")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as fresh:
            fresh.write(text)
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, file)
    except BaseException:
        os.unlink(name)
        raise


def _umask() -> int:
    given = os.umask(0)
    os.umask(given)
    return given
