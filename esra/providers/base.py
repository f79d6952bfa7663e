"""The one public door of every engine: check the seal, render, run, classify, in time.

``BaseProvider.run`` is all that the pipeline sees. It opens the seal before anything else
happens, turns the content into the engine's own command with a pure function, runs it, and
hands back rows or one of the sixteen codes; no exception leaves but cancellation and a broken
seal, which is a bug or an attack and never an answer.

A new engine is one folder with a subclass of three methods (``render``, ``fetch``,
``classify``) and a run of the contract suite under ``tests/providers``.

The caller is never kept waiting by a driver: a command that has been cancelled, or has outlived
its time by ``GRACE``, is left to wind up in a task of its own, since a driver may need seconds
to deliver a cancel (measured: up to ten).
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Coroutine
from collections.abc import Set as AbstractSet
from typing import Any, Generic, TypeVar

from esra._check import check
from esra.domain.codes import FailureCode
from esra.domain.hit import Hits
from esra.domain.outcome import Failed
from esra.ports import Capabilities
from esra.sealed import QueryContent, ValidatedQuery

Command = TypeVar("Command")
T = TypeVar("T")

# Seconds beyond the server's own timeout before the caller is answered without the server.
GRACE = 0.25


class BaseProvider(ABC, Generic[Command]):
    """A provider (``esra.ports.Provider``) over one engine; ``Command`` is what it executes."""

    capabilities: Capabilities

    def __init__(self) -> None:
        # A task nobody refers to may be collected while it runs.
        self._winding_up: set[asyncio.Task[Any]] = set()

    async def run(self, query: ValidatedQuery) -> Hits | Failed:
        """Rows of a sealed query, or the code of its failure. ``NotSealed`` for anything else."""
        content = check(query)
        if content.snapshot and not self.capabilities.snapshots:
            return Failed(code=FailureCode.SNAPSHOT_ISOLATION_UNAVAILABLE)
        try:
            command = self.render(content)
            return await self._in_time(self.fetch(command, content), content.seconds + GRACE)
        except asyncio.CancelledError:
            raise
        except BaseException as trouble:
            if isinstance(trouble, (KeyboardInterrupt, SystemExit, GeneratorExit)):
                raise
            return Failed(code=self.classify(trouble), internal=self.internal(trouble))

    @abstractmethod
    def render(self, content: QueryContent) -> Command:
        """The engine's command of a content. Pure, and total over anything a content can hold."""

    @abstractmethod
    async def fetch(self, command: Command, content: QueryContent) -> Hits:
        """Runs the command on the engine: at most ``content.rows`` rows, in order."""

    @abstractmethod
    def classify(self, trouble: BaseException) -> FailureCode:
        """The code of any exception at all; writes what the driver said to the log."""

    def internal(self, trouble: BaseException) -> bool:
        """Whether an exception says that the engine itself is broken (see ``Failed``)."""
        return False

    async def close(self) -> None:
        """Waits for commands that are still winding up. The provider may be used again."""
        await asyncio.gather(*self._running(), return_exceptions=True)

    async def _in_time(self, work: Coroutine[Any, Any, T], seconds: float) -> T:
        task = asyncio.ensure_future(work)
        try:
            await asyncio.wait({task}, timeout=seconds)
        except asyncio.CancelledError:
            self._abandon(task)
            raise
        if task.done():
            return task.result()
        self._abandon(task)
        raise TimeoutError("the engine did not answer within its time")

    def _abandon(self, task: "asyncio.Task[Any]") -> None:
        task.cancel()
        self._winding_up.add(task)
        task.add_done_callback(self._wound_up)

    def _wound_up(self, task: "asyncio.Task[Any]") -> None:
        self._winding_up.discard(task)
        if not task.cancelled() and (trouble := task.exception()) is not None:
            self.classify(trouble)  # for the log: its caller has gone

    def _running(self) -> AbstractSet["asyncio.Task[Any]"]:
        loop = asyncio.get_running_loop()
        return {task for task in self._winding_up if task.get_loop() is loop}
