"""Gives every command a PostgreSQL without anybody setting one up.

A server of the user's own, named by ``ESRA_DATABASE_URL``, comes first. Otherwise
a server is started that listens on a socket in a folder nobody else can enter,
shared by the commands that run, and gone with the last of them however it ends.
The data stays. Imports nothing else of esra, and prints nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from .database import Database, at_url
from .trouble import EmbeddedError

__all__ = ["Database", "EmbeddedError", "open_database", "throwaway"]

URL_VARIABLE = "ESRA_DATABASE_URL"


def silent(text: str) -> None:
    """Takes a line of progress and shows it to nobody."""


@contextmanager
def open_database(home: Path, *, say: Callable[[str], None] = silent) -> Iterator[Database]:
    """The database that belongs to ``home``, the folder where esra keeps its things.

    ``say`` is given lines of progress for a person. Raises EmbeddedError, whose
    message says what to do. The server is running inside the ``with`` block.
    """
    url = os.environ.get(URL_VARIABLE, "").strip()
    if url:
        yield at_url(url)
        return
    _need_posix()
    # Only here: a user's own server needs none of this, and works on any system.
    from .account import server_account
    from .binaries import find_programs
    from .lease import hold_shared
    from .places import cluster_folder
    from .wire import Order

    programs = find_programs()
    base = cluster_folder(home, server_account())
    order = Order(base=str(base), programs=str(programs), throwaway=False)
    with hold_shared(order, say) as database:
        yield database


@contextmanager
def throwaway(*, say: Callable[[str], None] = silent) -> Iterator[Database]:
    """A fresh server that is deleted afterwards, for tests; a power cut may spoil it.

    Ignores the environment. Raises EmbeddedError like ``open_database``.
    """
    _need_posix()
    from .account import server_account
    from .binaries import find_programs
    from .lease import hold_alone
    from .places import temporary_folder
    from .wire import Order

    programs = find_programs()
    base = temporary_folder(server_account())
    order = Order(base=str(base), programs=str(programs), throwaway=True)
    with hold_alone(order, say) as database:
        yield database


def _need_posix() -> None:
    if os.name != "posix":
        raise EmbeddedError(
            f"the embedded database needs Linux or macOS; set {URL_VARIABLE} to a server you have"
        )
