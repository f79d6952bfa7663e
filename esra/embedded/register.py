"""The supervisor's register of leases: who still needs the server."""

from __future__ import annotations

import os
import selectors
import signal
import socket
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from .locks import DOOR, open_lock, try_take
from .log import bound_log
from .wire import tell

_LOG_SECONDS = 60.0
# Somebody at the door is about to join: look again soon.
_DOOR_SECONDS = 0.05
_ENDING = {signal.SIGTERM, signal.SIGINT, signal.SIGHUP}


@dataclass(slots=True, kw_only=True)
class Register:
    """Open leases; ``listener`` takes new ones, ``signals`` tells of signals.

    ``greeting`` is what a new holder is told. Mutable: it is the supervisor's state.
    """

    base: Path
    listener: socket.socket | None
    signals: socket.socket
    greeting: dict[str, str]
    held: set[socket.socket] = field(default_factory=set)
    # A holder that left in good order waits for our end, to see the server gone.
    leaving: list[socket.socket] = field(default_factory=list)
    awaited: selectors.BaseSelector = field(default_factory=selectors.DefaultSelector)

    def admit(self, lease: socket.socket) -> None:
        self.held.add(lease)
        self.awaited.register(lease, selectors.EVENT_READ, self._read)
        tell(lease, **self.greeting)

    def watch(self, server: subprocess.Popen[bytes]) -> None:
        """Returns when nobody needs the server, it is gone, or we are told to end.

        In the first case the lock ``door`` is held until the end of this process:
        nobody joins a server that is going.
        """
        self.awaited.register(self.signals, selectors.EVENT_READ)
        if self.listener:
            self.awaited.register(self.listener, selectors.EVENT_READ, self._accept)
        door = open_lock(self.base / DOOR)
        while server.poll() is None and not self._told_to_end():
            # Who joins keeps the door until it is greeted: with the door taken,
            # nobody alive is waiting at the listener.
            if not self.held and try_take(door):
                return
            self._serve(_LOG_SECONDS if self.held else _DOOR_SECONDS)
            bound_log(self.base)

    def end_process(self) -> NoReturn:
        """Ends this process, which closes the leases that are left."""
        os._exit(0)

    def _serve(self, seconds: float) -> None:
        for key, _ in self.awaited.select(seconds):
            if key.data:
                key.data(key.fileobj)
        if self.held:
            self._dismiss()

    def _accept(self, listener: socket.socket) -> None:
        self.admit(listener.accept()[0])

    def _read(self, lease: socket.socket) -> None:
        if _is_open(lease):
            return
        self.awaited.unregister(lease)
        self.held.remove(lease)
        self.leaving.append(lease)

    def _dismiss(self) -> None:
        """The server stays for others: whoever leaves need not wait."""
        while self.leaving:
            self.leaving.pop().close()

    def _told_to_end(self) -> bool:
        try:
            heard = self.signals.recv(4096)
        except BlockingIOError:
            return False
        return not _ENDING.isdisjoint(heard)


def _is_open(lease: socket.socket) -> bool:
    try:
        return bool(lease.recv(4096))
    except OSError:
        return False
