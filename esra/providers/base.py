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
from collections.abc import Set as AbstractSet
from typing import Generic, TypeVar

from esra._check import check
from esra.domain.codes import FailureCode
from esra.domain.hit import Hits
from esra.domain.outcome import Failed
from esra.ports import Capabilities
from esra.sealed import QueryContent, ValidatedQuery

Command = TypeVar("Command")

# Seconds beyond the server's own timeout before the caller is answered without the server.
GRACE = 0.25


class BaseProvider(ABC, Generic[Command]):
    """A provider (``esra.ports.Provider``) over one engine; ``Command`` is what it executes."""

    capabilities: Capabilities

    def __init__(self) -> None:
        # A task nobody refers to may be collected while it runs.
        self._winding_up: set[asyncio.Task[Hits]] = set()

    async def run(self, query: ValidatedQuery) -> Hits | Failed:
        """Rows of a sealed query, or the code of its failure. ``NotSealed`` for anything else."""
        content = check(query)
        try:
            command = self.render(content)
            return await self._in_time(command, content)
        except asyncio.CancelledError:
            raise
        except BaseException as trouble:
            if isinstance(trouble, (KeyboardInterrupt, SystemExit, GeneratorExit)):
                raise
            return Failed(code=self.classify(trouble))

    @abstractmethod
    def render(self, content: QueryContent) -> Command:
        """The engine's command of a content. Pure, and total over anything a content can hold."""

    @abstractmethod
    async def fetch(self, command: Command, content: QueryContent) -> Hits:
        """Runs the command on the engine: at most ``content.rows`` rows, in order."""

    @abstractmethod
    def classify(self, trouble: BaseException) -> FailureCode:
        """The code of any exception at all; writes what the driver said to the log."""

    async def close(self) -> None:
        """Waits for commands that are still winding up. The provider may be used again."""
        await asyncio.gather(*self._running(), return_exceptions=True)

    async def _in_time(self, command: Command, content: QueryContent) -> Hits:
        task = asyncio.ensure_future(self.fetch(command, content))
        try:
            await asyncio.wait({task}, timeout=content.seconds + GRACE)
        except asyncio.CancelledError:
            self._abandon(task)
            raise
        if task.done():
            return task.result()
        self._abandon(task)
        raise TimeoutError("the engine did not answer within its time")

    def _abandon(self, task: "asyncio.Task[Hits]") -> None:
        task.cancel()
        self._winding_up.add(task)
        task.add_done_callback(self._wound_up)

    def _wound_up(self, task: "asyncio.Task[Hits]") -> None:
        self._winding_up.discard(task)
        if not task.cancelled() and (trouble := task.exception()) is not None:
            self.classify(trouble)  # for the log: its caller has gone

    def _running(self) -> AbstractSet["asyncio.Task[Hits]"]:
        loop = asyncio.get_running_loop()
        return {task for task in self._winding_up if task.get_loop() is loop}
