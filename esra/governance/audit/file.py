"""The audit in a folder of files that only their owner may read; several processes may write.

A record is in the operating system's hands when ``write`` returns: it survives the process being
killed; it is not synced to the disk for each one. A lock that somebody keeps longer than
``patience`` seconds, a full disk, a missing key: ``AuditUnavailable``, and nothing runs.
"""

import fcntl
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from esra.governance.audit import files, writers
from esra.governance.audit.book import Book
from esra.governance.audit.chain import Keys, keys_of
from esra.governance.audit.writers import BEGINS, ENDS, Presence, invocations
from esra.ports import AuditUnavailable, Clock

LARGEST_FILE = 64 * 1024 * 1024  # bytes, after which a new file is begun
PATIENCE = 2.0
HEAD = "head"
WRITERS = "writers"
_log = logging.getLogger(__name__)


class FileAudit:
    """``folder`` has the log, ``head`` (another folder) what shows that the log is whole.

    ``secret`` gives the key's bytes; it is asked once.
    """

    def __init__(
        self,
        folder: Path,
        head: Path,
        secret: Callable[[], bytes],
        clock: Clock,
        *,
        most: int = LARGEST_FILE,
        patience: float = PATIENCE,
    ) -> None:
        self._folder, self._head, self._secret, self._clock = folder, head, secret, clock
        self._most, self._patience = most, patience
        self._keys: Keys | None = None
        self._presence: Presence | None = None
        self._turn = threading.Lock()

    def ready(self) -> None:
        """Raises what ``write`` would be refused for: a key, head or folder of no use."""
        with refusals(), self._turn, self._book():
            return

    def write(self, records: Sequence[Mapping[str, object]]) -> None:
        try:
            self._write(records)
        except AuditUnavailable as error:
            _log.warning("the audit in %s takes no records: %s", self._folder, error)
            raise

    def _write(self, records: Sequence[Mapping[str, object]]) -> None:
        begun = invocations(records, BEGINS)
        with refusals(), self._turn, self._book() as book:
            own = self._entered(book)
            own.begin(begun, book.head.at)
            book.put(records, own.writer)
            own.unended.end(invocations(records, ENDS))

    def close(self) -> None:
        with self._turn:
            if self._presence is not None and self._presence.pid == os.getpid():
                self._presence.leave()
            self._presence = None

    def _entered(self, book: Book) -> Presence:
        """This process's presence; entering, it closes what killed ones left open."""
        if self._presence is not None and self._presence.pid == os.getpid():
            book.mend(self._presence.writer)
            return self._presence
        own = Presence(self._head / WRITERS)
        try:
            book.mend(own.writer)
            for one in writers.gone(self._head / WRITERS):
                if left := writers.left_open(self._folder, one):
                    book.put(left, own.writer)
                one.path.unlink(missing_ok=True)
        except BaseException:
            own.leave()  # the next write enters anew
            raise
        self._presence = own
        return own

    @contextmanager
    def _book(self) -> Iterator[Book]:
        keys = self._keys = self._keys or keys_of(self._secret())
        for folder in (self._folder, self._head):
            files.make_folder(folder)
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        handle = os.open(self._head / HEAD, flags, 0o600)
        try:
            lock(handle, fcntl.LOCK_EX, self._patience)
            yield Book(self._folder, handle, keys, now=self._clock.now(), most=self._most)
        finally:
            os.close(handle)


@contextmanager
def refusals() -> Iterator[None]:
    """Whatever keeps a record from being written is ``AuditUnavailable``."""
    try:
        yield
    except (OSError, ValueError, LookupError) as error:
        raise AuditUnavailable(str(error)) from error


def lock(handle: int, kind: int, patience: float) -> None:
    """``TimeoutError`` if others do not let go: who waits without end stops every caller."""
    until = time.monotonic() + patience
    while True:
        try:
            return fcntl.flock(handle, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= until:
                raise TimeoutError("the audit's lock is kept by another process") from None
            time.sleep(0.0005)
