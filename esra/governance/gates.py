"""Bounds on commands that run at a time: of a source, of a provider, of this runtime instance.

The invocation's own bound stands in the execute stage. Places are taken from the narrowest gate to
the widest, always in that order, so that two commands never wait for each other.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from weakref import WeakKeyDictionary

from esra.domain.source import Source

Name = tuple[str, str]
INSTANCE: Name = ("instance", "")


class BoundedGates:
    """``instance`` commands in all, ``providers`` of each provider (or ``provider``), and of each
    source as many as its own limits say. ``running`` and ``peak`` count by (kind, name).
    """

    def __init__(
        self, *, instance: int = 32, provider: int = 8, providers: Mapping[str, int] | None = None
    ) -> None:
        self._instance, self._provider, self._providers = instance, provider, dict(providers or {})
        # A semaphore belongs to the loop that waits on it.
        self._loops: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[Name, asyncio.Semaphore]] = (
            WeakKeyDictionary()
        )
        self.running: Counter[Name] = Counter()
        self.peak: Counter[Name] = Counter()

    @asynccontextmanager
    async def hold(self, source: Source) -> AsyncIterator[None]:
        bounds = {
            ("source", source.id): source.limits.parallel,
            ("provider", source.provider): self._providers.get(source.provider, self._provider),
            INSTANCE: self._instance,
        }
        async with AsyncExitStack() as stack:
            for name, bound in bounds.items():
                await stack.enter_async_context(self._gate(name, bound))
            for name in bounds:
                self._enter(name)
                stack.callback(self._leave, name)
            yield

    def _gate(self, name: Name, bound: int) -> asyncio.Semaphore:
        own = self._loops.setdefault(asyncio.get_running_loop(), {})
        return own.setdefault(name, asyncio.Semaphore(bound))

    def _enter(self, name: Name) -> None:
        self.running[name] += 1
        self.peak[name] = max(self.peak[name], self.running[name])

    def _leave(self, name: Name) -> None:
        self.running[name] -= 1
