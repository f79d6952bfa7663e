"""A command's lease on a server: joins the one that runs, or starts it.

Of commands that come at once, one starts the server and the others join it.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from .database import Database, at_socket
from .locks import DOOR, open_lock, take, take_within
from .log import LOG, last_lines, start_log
from .server import START_SECONDS
from .spot import find_spot
from .trouble import EmbeddedError, impossible
from .wire import Order, hear

# Isolated: no packages of the environment, no start-up files, no PYTHON* variables.
# The launcher needs none of them, and nothing around its own folder is imported.
_PROGRAM = "import sys; sys.path.append(sys.argv[1]); from embedded.supervisor import main; main()"
_NO_DOOR = -1
_JOIN_SECONDS = 30
# The supervisor gives up first, and says more.
_BEGIN_SECONDS = 2 * START_SECONDS
_LEAVE_SECONDS = 15
# Starting a server that exists, or stopping one, takes less: not worth a word.
_QUIET_SECONDS = 0.5


@contextmanager
def hold_shared(order: Order, say: Callable[[str], None]) -> Iterator[Database]:
    """The server of a cluster that other commands may use at the same time."""
    lease, database = _enter(order, say)
    with _held(lease):
        yield database


@contextmanager
def hold_alone(order: Order, say: Callable[[str], None]) -> Iterator[Database]:
    """The server of a cluster that nobody else knows."""
    try:
        lease, database = _begin(order, _NO_DOOR, say)
    except BaseException:
        # Usually the supervisor has deleted it; not where it never came to life.
        shutil.rmtree(order.base, ignore_errors=True)
        raise
    with _held(lease):
        yield database


def _enter(order: Order, say: Callable[[str], None]) -> tuple[socket.socket, Database]:
    base = Path(order.base)
    try:
        door = open_lock(base / DOOR)
    except OSError as error:
        raise impossible(base, error) from error
    try:
        if not take_within(door, _QUIET_SECONDS):
            say("waiting for another command that starts or stops the database")
            take(door)
        return _join(base) or _begin(order, door, say)
    finally:
        # Closed, not unlocked: a supervisor that is starting shares this lock.
        os.close(door)


def _join(base: Path) -> tuple[socket.socket, Database] | None:
    spot = find_spot(base)
    if spot is None:
        return None
    lease = socket.socket(socket.AF_UNIX)
    lease.settimeout(_JOIN_SECONDS)
    try:
        lease.connect(str(spot.leases))
        for greeting in hear(lease):
            return lease, at_socket(Path(greeting["sockets"]), greeting["version"])
    except TimeoutError:
        lease.close()
        raise EmbeddedError(
            f"the database in {base} runs but does not answer; end the processes that "
            f"have {base / LOG} open and try again"
        ) from None
    except OSError:
        # Nobody listens: what is left of a killed supervisor is cleaned at the start.
        pass
    lease.close()
    return None


def _begin(order: Order, door: int, say: Callable[[str], None]) -> tuple[socket.socket, Database]:
    lease, given = socket.socketpair()
    lease.settimeout(_BEGIN_SECONDS)
    try:
        with given:
            _start_supervisor(order, given.fileno(), door)
        return lease, _await(order, lease, say)
    except OSError as error:
        lease.close()
        raise impossible(Path(order.base), error) from error
    except BaseException:
        lease.close()
        raise


def _await(order: Order, lease: socket.socket, say: Callable[[str], None]) -> Database:
    base = Path(order.base)
    for message in hear(lease):
        if "say" in message:
            say(message["say"])
        elif "error" in message:
            raise EmbeddedError(message["error"])
        else:
            return at_socket(Path(message["sockets"]), message["version"])
    raise EmbeddedError(f"the database in {base} did not start; the log says:\n{last_lines(base)}")


def _start_supervisor(order: Order, lease: int, door: int) -> None:
    log = start_log(Path(order.base))
    try:
        child = subprocess.Popen(
            [
                *(sys.executable, "-I", "-S", "-c", _PROGRAM, str(Path(__file__).parents[1])),
                *(order.written(), str(lease), str(door)),
            ],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd="/",
            pass_fds=[number for number in (lease, door) if number != _NO_DOOR],
            # Out of reach of the terminal: Ctrl-C ends the command, not its database.
            start_new_session=True,
        )
        child.wait()
    finally:
        os.close(log)


@contextmanager
def _held(lease: socket.socket) -> Iterator[None]:
    holder = os.getpid()
    with lease:
        try:
            yield
        finally:
            # In a forked child the lease is still its parent's.
            if os.getpid() == holder:
                _leave(lease)


def _leave(lease: socket.socket) -> None:
    """Gives the lease back and, if it was the last one, waits until the server is gone."""
    lease.settimeout(_LEAVE_SECONDS)
    try:
        lease.shutdown(socket.SHUT_WR)
        lease.recv(1)
    except OSError:
        # Gone already, or busy writing down much data: it goes by itself.
        return
