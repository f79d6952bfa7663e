"""Asks a server's catalogue: for the house what may be searched, for a person what is there.

Keeps what it learned of each relation (see ``verdicts``), and turns searches away by it.
"""

import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager

from esra.domain.codes import FailureCode
from esra.domain.described import Server
from esra.domain.outcome import Failed
from esra.domain.source import Relation
from esra.providers.postgres.catalogue import server_of
from esra.providers.postgres.pool import Connection
from esra.providers.postgres.roles import reasons_against, role_of
from esra.providers.postgres.run import fetch_all_facts, fetch_facts, fetch_role
from esra.providers.postgres.verdicts import Verdicts
from esra.sources.searchable import refusal

# Lends a connection within so many seconds, or raises what ``classify`` names.
Lend = Callable[[float], AbstractAsyncContextManager[Connection]]
Classify = Callable[[BaseException], FailureCode]


class Inspector:
    """One provider's. ``lend`` and ``classify`` are the provider's own."""

    def __init__(self, lend: Lend, classify: Classify) -> None:
        self._lend = lend
        self._classify = classify
        self._verdicts = Verdicts(time.monotonic)

    def expect(self, relations: Sequence[Relation]) -> None:
        """These are judged by their first search."""
        self._verdicts.expect(relations)

    async def learn(self, relations: Sequence[Relation], seconds: float = 5.0) -> None:
        """Finds out which of ``relations`` no index serves; searches of those are refused.

        A server that cannot be asked now is asked by the first search of each.
        """
        self.expect(relations)
        try:
            async with self._lend(seconds) as connection:
                await self._judge(connection, relations, seconds)
        except Exception as trouble:
            self._classify(trouble)  # for the log: it will be each search's own failure

    def refuse(self, relation: Relation) -> None:
        """Raises ``NotSearchable`` while a refusal is believed. Asks nobody."""
        if not self._verdicts.is_due(relation):
            self._verdicts.refuse(relation)

    async def look_again(self, connection: Connection, relation: Relation, seconds: float) -> None:
        """Judges the relation anew if it is time to; then raises ``NotSearchable`` if refused."""
        if not self._verdicts.is_due(relation):
            return
        try:
            await self._judge(connection, [relation], seconds)
        except Exception as trouble:
            # Of a catalogue that cannot be read nothing follows: the search itself will tell.
            self._classify(trouble)
            self._verdicts.put_off(relation)
        self._verdicts.refuse(relation)

    async def describe(
        self, relations: Sequence[Relation], seconds: float = 5.0
    ) -> Server | Failed:
        """The server, its role and those of ``relations`` that are there."""

        async def ask(connection: Connection) -> Server:
            [role] = await fetch_role(connection, relations, seconds)
            [row] = await fetch_facts(connection, relations, seconds)
            return server_of(row, reasons_against(role_of(role)))

        return await self._told(ask, seconds)

    async def survey(self, schema: str | None, most: int, seconds: float = 30.0) -> Server | Failed:
        """The server and the first ``most`` relations that may be read, of one schema or of all."""

        async def ask(connection: Connection) -> Server:
            [role] = await fetch_role(connection, (), seconds)
            [row] = await fetch_all_facts(connection, schema, most, seconds)
            return server_of(row, reasons_against(role_of(role)))

        return await self._told(ask, seconds)

    async def _judge(
        self, connection: Connection, relations: Sequence[Relation], seconds: float
    ) -> None:
        [row] = await fetch_facts(connection, relations, seconds)
        server = server_of(row)
        for relation in relations:
            self._verdicts.hold(relation, refusal(server, relation))

    async def _told(
        self, ask: Callable[[Connection], Awaitable[Server]], seconds: float
    ) -> Server | Failed:
        try:
            async with self._lend(seconds) as connection:
                return await ask(connection)
        except Exception as trouble:
            return Failed(code=self._classify(trouble))
