"""Keeps one source's trouble from the caller, from the source itself, and from other sources.

From the outside: the limiter (``governance/gates``), then for each source retry, breaker, timeout
and call (RULINGS 19). Everything here is per source; nothing of one source is asked about another.
"""

import asyncio
from collections.abc import Callable, Mapping
from random import Random, SystemRandom

from esra.domain.hit import Hits
from esra.domain.outcome import Failed
from esra.domain.resilience import BreakerCause, BreakerChange, BreakerState, Switch
from esra.domain.source import Source
from esra.ports import Attempt, Clock, Hear
from esra.providers.resilience.one import OneSource, Surroundings
from esra.providers.resilience.scout import Reachable, Sleep

__all__ = ["Hear", "PerSource"]


class PerSource:
    """A ``Resilience`` (``esra.ports``) that lives as long as a house.

    ``reachable`` knocks at a provider's server, by the provider's name. Who listens is told of
    every change of a breaker as it happens; ``changes`` are for the audit.
    """

    def __init__(
        self,
        clock: Clock,
        *,
        reachable: Mapping[str, Reachable] | None = None,
        dice: Random | None = None,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._clock, self._reachable = clock, reachable or {}
        self._hear: list[Hear] = []
        self._around = Surroundings(
            monotonic=clock.monotonic, dice=dice or SystemRandom(), sleep=sleep
        )
        self._sources: dict[str, OneSource] = {}
        self._changes: list[BreakerChange] = []

    async def run(self, source: Source, attempt: Attempt, seconds: float) -> Hits | Failed:
        """What ``attempt`` gives, tried again or refused as the source's rules say."""
        return await self._one(source).run(attempt, seconds)

    def changes(self) -> tuple[BreakerChange, ...]:
        """The changes since they were last asked for, each told once."""
        taken, self._changes = tuple(self._changes), []
        return taken

    def state(self, source: Source) -> BreakerState:
        """The state of a source's breaker as its last call left it."""
        return self._one(source).breaker.state

    def switch(self, source: Source, to: Switch) -> None:
        """Shuts a source off, lets it through whatever happens, or hands it back to its breaker."""
        self._one(source).breaker.switch(to)

    def listen(self, hear: Hear) -> None:
        """Tells ``hear`` of every change from now on."""
        self._hear.append(hear)

    async def close(self) -> None:
        """Leaves no task behind in the running event loop."""
        for one in self._sources.values():
            await one.close()

    def _one(self, source: Source) -> OneSource:
        if source.id not in self._sources:
            knock = self._reachable.get(source.provider)
            self._sources[source.id] = OneSource(
                source, self._around, self._teller(source.id), knock
            )
        return self._sources[source.id]

    def _teller(self, source: str) -> Callable[[BreakerState, BreakerState, BreakerCause], None]:
        def tell(before: BreakerState, after: BreakerState, cause: BreakerCause) -> None:
            change = BreakerChange(
                source=source, before=before, after=after, cause=cause, time=self._clock.now()
            )
            self._changes.append(change)
            for hear in self._hear:
                hear(change)

        return tell
