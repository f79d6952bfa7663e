"""One connection that a thread of its own works on, and a way to wake that thread from outside."""

import os
import socket
from contextlib import suppress
from typing import Generic, Protocol, TypeVar


class Held(Protocol):
    """A driver's connection."""

    def fileno(self) -> int: ...
    def close(self) -> None: ...


_C = TypeVar("_C", bound=Held)


class Line(Generic[_C]):
    """The thread alone holds and drops; anybody may hang up."""

    def __init__(self) -> None:
        self.connection: _C | None = None
        self._socket: socket.socket | None = None

    def hold(self, connection: _C) -> None:
        self.connection = connection
        self._socket = socket.socket(fileno=os.dup(connection.fileno()))

    def drop(self) -> None:
        if self.connection is not None:
            self.connection.close()
        if self._socket is not None:
            self._socket.close()
        self.connection = self._socket = None

    def hang_up(self) -> None:
        """Wakes the thread from a server that says nothing; it alone may close the connection."""
        with suppress(OSError):
            if (held := self._socket) is not None:
                held.shutdown(socket.SHUT_RDWR)
