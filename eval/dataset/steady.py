"""Reads a folder that may be replaced at the same time: what is read is all old or all new."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from eval.dataset.errors import DatasetError
from eval.formats.findings import Finding, FormatError
from eval.formats.swap import restored

_T = TypeVar("_T")
TRIES = 20


def steady(folder: Path, read: Callable[[], _T]) -> _T:
    """What ``read`` makes of the folder, once the same one was there from its first file to its
    last. Raises what it raises; DatasetError where the folder is replaced again and again.
    """
    for _ in range(TRIES):
        restored(folder)
        with _held(folder) as seen:
            try:
                found = read()
            except FormatError:
                if _same(folder, seen):
                    raise
                continue
            if _same(folder, seen):
                return found
    said = "is replaced again and again while it is read: try later"
    raise DatasetError([Finding(file=str(folder), line=0, message=said)])


@contextmanager
def _held(folder: Path) -> Iterator[os.stat_result | None]:
    """What the folder is known by; None where there is none. Held open, as the number of a folder
    that is gone may be given to the next one; one that may be entered and not opened cannot be.
    """
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        yield _there(folder)
        return
    try:
        yield os.fstat(handle)
    finally:
        os.close(handle)


def _there(folder: Path) -> os.stat_result | None:
    try:
        return folder.stat()
    except OSError:
        return None


def _same(folder: Path, seen: os.stat_result | None) -> bool:
    there = _there(folder)
    if there is None or seen is None:
        return there is seen
    return os.path.samestat(there, seen)
