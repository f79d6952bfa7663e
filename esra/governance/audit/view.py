"""A look at the whole log at one moment: its lines and its head, while others go on writing."""

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from esra.governance.audit import files, tables
from esra.governance.audit.chain import Keys
from esra.governance.audit.file import HEAD, PATIENCE, lock
from esra.governance.audit.files import Line
from esra.governance.audit.head import SIZE, Head, HeadUnusable, opened
from esra.governance.audit.settings import Settings, address


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """``head`` None: ``trouble`` says why. ``lines`` may be read more than once.

    ``sizes`` are the bytes of each file; nothing for a table.
    """

    head: Head | None
    trouble: HeadUnusable | None
    lines: Callable[[], Iterator[Line]]
    sizes: dict[str, int]


def of_files(folder: Path, head: Path, keys: Keys) -> View:
    """The log in ``folder`` as it is now. ``OSError`` if it cannot be read."""
    with _held(head / HEAD) as data:
        sizes = {name: files.size_of(folder, name) for name in files.names(folder)}
    known, trouble = read_head(data, keys)
    return View(head=known, trouble=trouble, lines=partial(files.read, folder, sizes), sizes=sizes)


@contextmanager
def of_tables(address: str, keys: Keys) -> Iterator[View]:
    """The log in its tables, for as long as the block lasts. ``ServerTrouble``."""
    with tables.snapshot(address) as connection:
        known, trouble = read_head(tables.head(connection), keys)
        lines = partial(tables.lines, connection)
        yield View(head=known, trouble=trouble, lines=lines, sizes={})


@contextmanager
def view_of(own: Settings, keys: Keys) -> Iterator[View]:
    """The log where the settings have it. ``OSError`` if it cannot be read."""
    if own.in_tables:
        with of_tables(address(own), keys) as view:
            yield view
    else:
        yield of_files(own.log, own.head, keys)


@contextmanager
def lines_of(own: Settings) -> Iterator[Iterator[Line]]:
    """The lines alone, for which no key is needed and nothing is checked."""
    if own.in_tables:
        with tables.snapshot(address(own)) as connection:
            yield tables.lines(connection)
    else:
        names = files.names(own.log)
        yield files.read(own.log, {name: files.size_of(own.log, name) for name in names})


def read_head(data: bytes, keys: Keys) -> tuple[Head | None, HeadUnusable | None]:
    if not data:
        return None, HeadUnusable("the audit head is missing")
    try:
        return opened(data, keys), None
    except HeadUnusable as error:
        return None, error


@contextmanager
def _held(path: Path) -> Iterator[bytes]:
    """The head's bytes, with nobody writing meanwhile; b"" where there is none."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        yield b""
        return
    try:
        lock(handle, fcntl.LOCK_SH, PATIENCE)
        yield os.pread(handle, 2 * SIZE, 0)
    finally:
        os.close(handle)
