"""The process that runs the server for as long as somebody holds a lease on it.

A lease is an open socket: however a command ends, the system closes it. With the
last lease the server stops, its sockets go, and so does this process. It runs in a
session of its own, out of reach of the terminal's Ctrl-C.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from .account import server_account
from .binaries import belongs_to_wheel, copy_programs
from .cluster import Cluster, prepare, version_of
from .orphans import claim, sweep_throwaways
from .places import system_folder
from .register import Register
from .server import start_server, stop_server
from .spot import Spot, make_spot, remove_spot
from .trouble import EmbeddedError, impossible
from .wire import Order, tell

NO_DOOR = -1


def main() -> None:
    """``supervisor ORDER LEASE DOOR``: an order, and two inherited file numbers."""
    order, lease, door = Order.read(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    # The command waits for its child: with this it has none, and leaves no zombie.
    if os.fork():
        os._exit(0)
    for inherited in (lease, door):
        if inherited != NO_DOOR:
            os.set_inheritable(inherited, False)
    os.umask(0o022)
    signals = _hear_signals()
    first = socket.socket(fileno=lease)
    try:
        register = _reign(order, first, door, signals)
    except EmbeddedError as error:
        tell(first, error=str(error))
    except OSError as error:
        tell(first, error=str(impossible(Path(order.base), error)))
    else:
        # Before the leases are closed: who waits for that finds this process gone, too.
        register.end_process()


def _reign(order: Order, first: socket.socket, door: int, signals: socket.socket) -> Register:
    base = Path(order.base)

    def say(text: str) -> None:
        tell(first, say=text)

    with ExitStack() as ends:
        if order.throwaway:
            ends.callback(shutil.rmtree, base, ignore_errors=True)
            sweep_throwaways()
        # Held until the end of this process: whoever comes next waits for our cleaning.
        serving = claim(base)
        cluster = _cluster(order, say)
        prepare(cluster, serving, say)
        spot = make_spot(base, cluster.account)
        ends.callback(remove_spot, base)
        server = start_server(cluster, spot.sockets, serving)
        ends.callback(stop_server, server, throwaway=order.throwaway)
        register = Register(
            base=base,
            listener=None if order.throwaway else _listen(spot),
            signals=signals,
            greeting={"sockets": str(spot.sockets), "version": cluster.version},
        )
        register.admit(first)
        if door != NO_DOOR:
            os.close(door)
        register.watch(server)
    return register


def _cluster(order: Order, say: Callable[[str], None]) -> Cluster:
    account = server_account()
    programs = Path(order.programs)
    if account.foreign and belongs_to_wheel(programs):
        shelf = system_folder(account, executable=True) / "programs"
        programs = copy_programs(programs, shelf, say)
    return Cluster(
        base=Path(order.base),
        programs=programs,
        version=version_of(programs),
        account=account,
        throwaway=order.throwaway,
    )


def _listen(spot: Spot) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(spot.leases))
    spot.leases.chmod(0o600)
    listener.listen(64)
    return listener


def _hear_signals() -> socket.socket:
    """A socket on which the numbers of arriving signals can be read.

    A command may be started with signals blocked or ignored; both are inherited.
    """
    heard, told = socket.socketpair()
    for end in (heard, told):
        end.setblocking(False)
    signal.set_wakeup_fd(told.detach())
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: None)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    return heard
