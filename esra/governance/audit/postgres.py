"""The audit in PostgreSQL: records and head in one transaction, for instances on many machines.

``write`` answers within ``patience`` seconds, whatever the server does: ``AuditUnavailable``, and
nothing runs. The sink is then left alone for ``rest`` seconds, so that a dead server does not stop
every caller for that long. One thread holds the one connection.
"""

import logging
import math
import os
import secrets
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from typing import TYPE_CHECKING

from esra.governance.audit import tables
from esra.governance.audit.chain import Keys, keys_of, lines
from esra.governance.audit.head import Head, HeadUnusable, Mark, first, opened, sealed
from esra.governance.audit.record import canonical, shaped
from esra.governance.audit.writers import BEGINS, ENDS, Unended, invocations, unfinished
from esra.governance.line import Line
from esra.ports import AuditUnavailable, Clock

if TYPE_CHECKING:
    from esra.governance.audit.tables import Connection

PATIENCE = 2.0
REST = 1.0
_log = logging.getLogger(__name__)
Given = Mapping[str, object]


class PostgresAudit:
    """``address`` gives the URL of the audit's role, ``secret`` the key's bytes."""

    def __init__(
        self,
        address: Callable[[], str],
        secret: Callable[[], bytes],
        clock: Clock,
        *,
        patience: float = PATIENCE,
        rest: float = REST,
    ) -> None:
        self._address, self._secret, self._clock = address, secret, clock
        self._patience, self._rest = patience, rest
        self._start()

    def _start(self) -> None:
        """Neither a thread nor a connection outlives a fork."""
        self._pid = os.getpid()
        self._writer = secrets.randbelow(2**31)
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="esra-audit")
        self._unended = Unended[int]()
        self._line = Line["Connection"]()
        self._keys: Keys | None = None
        self._rests_until = -math.inf

    def ready(self) -> None:
        """Raises what ``write`` would be refused for: a server, table, key or head of no use."""
        self._ask([])

    def write(self, records: Sequence[Given]) -> None:
        self._ask(records)

    def close(self) -> None:
        if self._pid != os.getpid():
            return
        with suppress(RuntimeError):  # closed before
            if wait({self._worker.submit(self._left)}, self._patience).not_done:
                self._line.hang_up()
        self._worker.shutdown(wait=False)

    def _ask(self, records: Sequence[Given]) -> None:
        if self._pid != os.getpid():
            self._start()
        if self._clock.monotonic() < self._rests_until:
            raise AuditUnavailable("the audit's server did not answer a moment ago")
        work = self._worker.submit(self._attempt, records)
        try:
            work.result(self._patience)
        except AuditUnavailable as error:
            _log.warning("the audit's tables take no records: %s", error)
            raise
        except TimeoutError as error:
            work.cancel()
            self._line.hang_up()
            self._rests_until = self._clock.monotonic() + self._rest
            _log.warning(
                "the audit's server does not answer; it is left alone for %g s", self._rest
            )
            raise AuditUnavailable("the audit's server did not answer in time") from error

    # From here on in the thread.

    def _attempt(self, records: Sequence[Given]) -> None:
        try:
            held = self._line.connection
            if held is not None and not tables.alive(held):
                held = None  # The server closed it while it lay idle.
            with tables.kept_in():
                self._append(held or self._connected(), records)
        except (OSError, ValueError, LookupError) as error:
            self._line.drop()
            raise AuditUnavailable(str(error)) from error

    def _append(self, connection: "Connection", records: Sequence[Given]) -> None:
        with tables.turn(connection) as turn:
            head = self._head(turn)
            oldest = self._unended.begin(invocations(records, BEGINS), head.at.sequence)
            if oldest is not None:
                turn.point(self._writer, oldest)
            self._put(turn, head, records)
        self._unended.end(invocations(records, ENDS))

    def _put(self, turn: tables.Turn, head: Head, records: Sequence[Given]) -> None:
        if not records:
            return
        at, now, writer = head.at, self._clock.now(), f"{self._writer:08x}"
        bodies = [
            canonical(shaped(one, log=head.log, sequence=number, writer=writer, now=now))
            for number, one in enumerate(records, at.sequence + 1)
        ]
        made, chain = lines(self._key(), bytes.fromhex(at.chain), bodies)
        came = Mark(sequence=at.sequence + len(records), chain=chain.hex())
        turn.append(
            at.sequence + 1,
            [line.decode().rstrip("\n") for line in made],
            sealed(Head(log=head.log, at=came), self._key()).decode().strip(),
        )

    def _head(self, turn: tables.Turn) -> Head:
        if turn.sealed:
            return opened(turn.sealed.encode(), self._key())
        if not turn.empty():
            raise HeadUnusable(
                "the audit head is missing and the log is not: restore it, or move the log away"
            )
        return first(self._key(), secrets.token_hex(8))

    def _key(self) -> Keys:
        self._keys = self._keys or keys_of(self._secret())
        return self._keys

    def _connected(self) -> "Connection":
        """A new connection; it closes what killed processes left open before anything else."""
        self._line.drop()
        connection = tables.connect(self._address())
        self._line.hold(connection)
        tables.be_present(connection, self._writer)
        self._unended.tell_again()
        with tables.turn(connection) as turn:
            for writer, since in turn.gone(self._writer):
                left = unfinished(turn.since(since), f"{writer:08x}")
                self._put(turn, self._head(turn), left)
                turn.forget(writer)
        return connection

    def _left(self) -> None:
        if self._line.connection is not None and not self._unended:
            with suppress(OSError), tables.kept_in(), tables.turn(self._line.connection) as turn:
                turn.forget(self._writer)
        self._line.drop()
