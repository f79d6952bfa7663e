"""Runs the HTTP door on uvicorn, bounded in connections, headers and time.

On SIGTERM or SIGINT it takes nothing new, lets running calls finish, and returns, so that what was
opened around it is closed in its order.
"""

import asyncio
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

HEAD_SECONDS = 10.0
LEAVE_SECONDS = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Listen:
    """``connections`` at a time, more get 503; ``head`` bytes of a request's line and headers;
    ``finish`` seconds that running calls have once it is told to stop."""

    host: str = "127.0.0.1"
    port: int = 8765
    connections: int = 512
    head: int = 32 * 1024
    finish: float = 15.0


class PromptProtocol(H11Protocol):
    """HTTP/1.1 that closes a connection on which no request's head arrives in time, and one whose
    peer takes nothing of what waits for him.

    uvicorn's own timer stops with the first byte, so that a byte now and then would hold a
    connection for ever; and its closing waits, for ever too, until everything is taken.
    """

    _head: asyncio.TimerHandle | None = None
    _looks: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._expect_head(None)
        self._look(0)

    def on_response_complete(self) -> None:
        answered = self.cycle  # the next one may have come in the same packet
        super().on_response_complete()
        self._expect_head(answered)

    def connection_lost(self, exc: Exception | None) -> None:
        for timer in (self._head, self._looks):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def _expect_head(self, last: RequestResponseCycle | None) -> None:
        if self._head is not None:
            self._head.cancel()
        self._head = self.loop.call_later(HEAD_SECONDS, self._too_late, last)

    def _too_late(self, last: RequestResponseCycle | None) -> None:
        if self.cycle is last and not self.transport.is_closing():
            self.transport.close()

    def _look(self, before: int) -> None:
        """Cuts off a peer who took no byte since the last look."""
        waiting = self.transport.get_write_buffer_size()
        if waiting and waiting == before:
            self.transport.abort()
        else:
            self._looks = self.loop.call_later(LEAVE_SECONDS, self._look, waiting)


class _Server(uvicorn.Server):
    """Leaves a signal behind it: uvicorn raises it again, and the process would die half closed."""

    interrupted = False

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._stop, number)
        try:
            yield
        finally:
            for number in (signal.SIGINT, signal.SIGTERM):
                loop.remove_signal_handler(number)

    def _stop(self, number: int) -> None:
        self.interrupted = number == signal.SIGINT
        self.handle_exit(number, None)


async def listen(app: ASGIApp, how: Listen, started: Callable[[str], None]) -> bool:
    """Serves until a signal; ``started`` hears the address. True: it was SIGINT.

    ``OSError`` where the address cannot be had.
    """
    server = _Server(_config(app, how))
    family = "[{}]" if ":" in how.host else "{}"
    listener = _bound(how)
    started(f"http://{family.format(how.host)}:{listener.getsockname()[1]}")
    try:
        await server.serve(sockets=[listener])
    finally:
        listener.close()
    return server.interrupted


def _bound(how: Listen) -> socket.socket:
    """A listening socket of its own, so that a taken port is an ``OSError`` and not an exit."""
    family = socket.AF_INET6 if ":" in how.host else socket.AF_INET
    listener = socket.create_server((how.host, how.port), family=family, backlog=256)
    # What it accepts inherits this. asyncio sets it only where the socket was made for TCP by name;
    # without it the second packet of an answer waits 40 ms for the peer's acknowledgement.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def _config(app: ASGIApp, how: Listen) -> uvicorn.Config:
    settings: dict[str, Any] = {
        "log_config": None,  # the process's own logging
        "access_log": False,  # the audit says who called, without an address
        "server_header": False,
        "proxy_headers": False,  # no header says who the peer is
        "ws": "none",
        "lifespan": "on",
        "timeout_keep_alive": 5,
    }
    return uvicorn.Config(
        app,
        http=PromptProtocol,
        limit_concurrency=how.connections,
        h11_max_incomplete_event_size=how.head,
        timeout_graceful_shutdown=int(how.finish),
        **settings,
    )
