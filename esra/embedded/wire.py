"""What a command and its supervisor tell each other: one JSON object a line."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What a supervisor is started for. ``base`` and ``programs`` are folders."""

    base: str
    programs: str
    throwaway: bool

    def written(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def read(cls, text: str) -> Order:
        return cls(**json.loads(text))


def tell(lease: socket.socket, **message: str) -> None:
    try:
        lease.sendall(json.dumps(message).encode() + b"\n")
    except OSError:
        # The command is gone; the supervisor sees that by the closed lease itself.
        return


def hear(lease: socket.socket) -> Iterator[dict[str, Any]]:
    """The messages until the other side closes; TimeoutError as the socket is set."""
    kept = b""
    # Byte by byte would do, but a buffered reader forbids sockets with a time limit.
    while chunk := lease.recv(4096):
        *lines, kept = (kept + chunk).split(b"\n")
        yield from map(json.loads, lines)
