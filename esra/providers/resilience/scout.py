"""Finds out when a server that was away is back, so that nobody waits for the breaker's rest.

A rest grows to two minutes, and a server that was restarted has to be used within five seconds.
So while a breaker is open somebody goes and knocks, once a second: no query, only whether a
connection can be had. A server that was found away and then answers has come back, and the
breaker tries it at once.

Where the server can be reached all the time, the trouble is of another kind (slow statements, a
full disk) and knocking shows nothing: the scout goes home and the rest takes its time. A server
that accepts connections and drops every statement costs two calls a second, no more.
"""

import asyncio
from collections.abc import Awaitable, Callable

from esra.domain.resilience import BreakerState
from esra.providers.resilience.breaker import Breaker

BETWEEN = 1.0  # seconds between two knocks

# Whether a connection can be had, in a bounded time; raises nothing but cancellation.
Reachable = Callable[[], Awaitable[bool]]
Sleep = Callable[[float], Awaitable[None]]


class Scout:
    """Knocks for one breaker while it is open; ``away`` where its server was last not there."""

    def __init__(self, breaker: Breaker, reachable: Reachable, sleep: Sleep) -> None:
        self._breaker, self._reachable, self._sleep = breaker, reachable, sleep
        self.away = False
        self._task: asyncio.Task[None] | None = None

    def send(self, *, away: bool) -> None:
        """For an opening; ``away`` says that the server is known not to be reachable."""
        self.away = away
        if self._task is not None and self._on_the_way():
            self._task.cancel()
        self._start()

    def send_again(self) -> None:
        """Another event loop goes on where one ended with its scout under way."""
        if self._task is not None and not self._on_the_way():
            self._start()

    async def close(self) -> None:
        """Calls the scout home."""
        if self._task is not None and self._on_the_way():
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def _on_the_way(self) -> bool:
        return self._task is not None and self._task.get_loop() is asyncio.get_running_loop()

    def _start(self) -> None:
        self._task = asyncio.get_running_loop().create_task(self._knock())

    async def _knock(self) -> None:
        if self.away:
            await self._sleep(BETWEEN)
        while self._breaker.state is BreakerState.OPEN:
            if await self._reachable():
                was_away, self.away = self.away, False
                if was_away:
                    self._breaker.reachable()
                return
            self.away = True
            await self._sleep(BETWEEN)
