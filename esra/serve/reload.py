"""Takes new tuned revisions into a running house, and keeps the last good one otherwise.

The folders are looked at, not watched: no library, and a network's file system works too. A change
is left to settle, read and checked as at the start, rehearsed, and then one reference is replaced;
a call that runs keeps the house it began with. What is loaded is always a later revision: one that
vanishes or is changed in place leaves the one in force where it is.
"""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from esra.config.apply import Applied, adopted
from esra.domain.capability import Catalog, Revision
from esra.serve.door import Door
from esra.serve.rehearse import rehearse
from esra.typed import typed

Seen = tuple[tuple[str, ...], ...]


class Result(StrEnum):
    """What came of reading the tuned files again; one reading can have several."""

    LOADED = "loaded"
    UNCHANGED = "unchanged"
    REFUSED = "refused"
    HELD = "held"
    REHEARSAL_FAILED = "rehearsal_failed"
    ERROR = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """Seconds: between two looks; without a change until it is read; at most waited for that;
    until a failed rehearsal, which may have been a source's bad minute, is tried again."""

    look: float = 1.0
    quiet: float = 0.5
    longest: float = 5.0
    again: float = 60.0


class Reload:
    """``folder`` holds the capabilities' folders; ``say`` hears one line of each news.

    ``refused`` is what the start has told of already.
    """

    def __init__(
        self,
        door: Door,
        reread: Callable[[], Awaitable[Applied]],
        folder: Path,
        say: Callable[[str], None],
        refused: Sequence[str] = (),
        pace: Pace | None = None,
    ) -> None:
        self._door, self._reread, self._folder, self._say = door, reread, folder, say
        self._pace = pace or Pace()
        self._told = frozenset(map(_passed_over, refused))
        self._retry = float("inf")

    async def watch(self) -> None:
        """Looks until it is cancelled."""
        seen: Seen | None = None
        while True:
            now = await asyncio.to_thread(self._look)
            if now != seen or time.monotonic() >= self._retry:
                seen = await self._settled(now)
                await self.take_in()
            await asyncio.sleep(self._pace.look)

    async def take_in(self) -> frozenset[Result]:
        """Reads the files again; whatever goes wrong, the house goes on as it was."""
        try:
            results, lines = await self._reloaded()
        except Exception as trouble:
            # A watcher that died here would leave the house deaf to every later revision.
            results = {Result.ERROR}
            lines = {f"tuned configurations could not be read again: {type(trouble).__name__}"}
        for line in sorted(lines - self._told):
            self._say(line)
        self._told = frozenset(lines)
        failed = Result.REHEARSAL_FAILED in results or Result.ERROR in results
        self._retry = time.monotonic() + self._pace.again if failed else float("inf")
        for result in results:
            self._door.metrics.reloaded(result.value)
        return frozenset(results)

    async def _reloaded(self) -> tuple[set[Result], set[str]]:
        applied = await self._reread()
        lines = set(map(_passed_over, applied.refused))
        results = {Result.REFUSED} if lines else set[Result]()
        before = catalog = self._door.catalog
        for capability in applied.catalog.capabilities:
            result, line = await self._judged(catalog, applied.catalog, capability.id)
            if result is Result.UNCHANGED and self._of(capability.id, applied.refused):
                line = _stays(capability.id, catalog.revision(capability.id))
            if line:
                lines.add(line)
            if result is Result.LOADED or _only_notices(catalog, applied.catalog, capability.id):
                catalog = adopted(catalog, applied.catalog, capability.id)
            results.add(result)
        if catalog != before:
            self._door.order_by(catalog)
        return (results - {Result.UNCHANGED} or {Result.UNCHANGED}), lines

    def _of(self, id: str, refused: Sequence[str]) -> bool:
        """Whether a refused file is one of this capability's."""
        return any(line.startswith(f"{self._folder / id}{os.sep}") for line in refused)

    async def _judged(self, current: Catalog, fresh: Catalog, id: str) -> tuple[Result, str]:
        """What is to be done with a capability, and what to say of it."""
        now, then = current.revision(id), fresh.revision(id)
        if now.hash == then.hash:
            return Result.UNCHANGED, ""
        if then.revision <= now.revision:
            return Result.HELD, (
                f"{id}: revision {now.revision} stays in force, since its file is gone or "
                f"changed; `{typed('config rollback')}` goes back to another"
            )
        if why := await rehearse(self._door.house, adopted(current, fresh, id), id):
            return Result.REHEARSAL_FAILED, (
                f"{id}: revision {then.revision} failed its rehearsal ({why}); "
                f"revision {now.revision} stays in force"
            )
        return Result.LOADED, f"{id}: revision {then.revision} is in force"

    async def _settled(self, seen: Seen) -> Seen:
        """What is there once nothing has changed for a moment, or at the latest now."""
        end = time.monotonic() + self._pace.longest
        while time.monotonic() < end:
            await asyncio.sleep(self._pace.quiet)
            now = await asyncio.to_thread(self._look)
            if now == seen:
                break
            seen = now
        return seen

    def _look(self) -> Seen:
        """Everything that tells one state of the folders from another, with no file opened."""
        found = []
        for capability in self._door.catalog.capabilities:
            with suppress(OSError), os.scandir(self._folder / capability.id) as entries:
                for entry in entries:
                    with suppress(OSError):
                        own = entry.stat(follow_symlinks=False)
                        marks = (own.st_mtime_ns, own.st_ctime_ns, own.st_size, own.st_ino)
                        found.append((capability.id, entry.name, *map(str, marks)))
        return tuple(sorted(found))


def _passed_over(line: str) -> str:
    return f"passed over a tuned configuration: {line}"


def _stays(id: str, now: Revision) -> str:
    own = f"revision {now.revision}" if now.tuned else "the catalog's own numbers"
    return f"{id}: still ordered by {own}"


def _only_notices(current: Catalog, fresh: Catalog, id: str) -> bool:
    """The same numbers with other things to say of them, such as a later file for other models."""
    now, then = current.revision(id), fresh.revision(id)
    return now.hash == then.hash and now != then


@asynccontextmanager
async def reloading(own: Reload) -> AsyncIterator[None]:
    """While the block lasts, new revisions come into force."""
    task = asyncio.create_task(own.watch())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
