"""Which processes write, and what a killed one left open.

Each process has a file of its own, locked as long as it lives: the system gives the lock back
however it dies. The file points at the place in the log before the oldest invocation that is open.
"""

import fcntl
import json
import os
import secrets
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from esra.domain.codes import AuditEvent
from esra.governance.audit import files
from esra.governance.audit.head import Mark
from esra.governance.audit.record import Record, parsed

BEGINS = (AuditEvent.INVOCATION_BEGIN.value,)
ENDS = (AuditEvent.INVOCATION_END.value, AuditEvent.INVOCATION_ABANDONED.value)
_SIZE = 256
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Gone:
    """A process that is no more. What it left open lies behind ``size`` bytes of ``file``; ""
    stands for the beginning of the log."""

    writer: str
    file: str
    size: int
    path: Path


class Unended(Generic[T]):
    """The invocations that this process began and did not end, each with its place in the log."""

    def __init__(self) -> None:
        self._open: dict[str, T] = {}
        self._told: T | None = None

    def begin(self, invocations: Iterable[str], at: T) -> T | None:
        """The oldest place, if it is another than before; ``at`` is that before the record."""
        for invocation in invocations:
            self._open.setdefault(invocation, at)
        oldest = next(iter(self._open.values()), None)
        if oldest == self._told:
            return None
        self._told = oldest
        return oldest

    def end(self, invocations: Iterable[str]) -> None:
        for invocation in invocations:
            self._open.pop(invocation, None)

    def tell_again(self) -> None:
        """What was told may be forgotten where it was told."""
        self._told = None

    def __bool__(self) -> bool:
        return bool(self._open)


class Presence:
    """This process's own file. Made and looked for under the log's lock."""

    def __init__(self, folder: Path) -> None:
        files.make_folder(folder)
        self.writer = secrets.token_hex(6)
        self.pid = os.getpid()
        self._path = folder / self.writer
        flags = os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC
        self._handle = os.open(self._path, flags, 0o600)
        self._closed = weakref.finalize(self, os.close, self._handle)
        fcntl.flock(self._handle, fcntl.LOCK_EX)
        self.unended = Unended[Mark]()

    def begin(self, invocations: Iterable[str], at: Mark) -> None:
        """Points before a begin record before the record is there."""
        oldest = self.unended.begin(invocations, at)
        if oldest is not None:
            data = json.dumps({"file": oldest.file, "size": oldest.size}).encode()
            os.pwrite(self._handle, data.ljust(_SIZE), 0)

    def leave(self) -> None:
        """A file that stays tells the next start that something was left open."""
        if not self.unended:
            self._path.unlink(missing_ok=True)
        self._closed()


def gone(folder: Path) -> Iterator[Gone]:
    """The processes whose files are there and not locked."""
    for path in sorted(folder.iterdir()):
        handle = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            file, size = _pointed(os.pread(handle, _SIZE, 0))
        except BlockingIOError:
            continue
        finally:
            os.close(handle)
        yield Gone(writer=path.name, file=file, size=size, path=path)


def _pointed(data: bytes) -> tuple[str, int]:
    """The beginning of the log, if the file does not say; the search is only longer."""
    try:
        told = json.loads(data)
        return str(told["file"]), int(told["size"])
    except (ValueError, TypeError, KeyError):
        return "", 0


def left_open(log: Path, one: Gone) -> list[dict[str, object]]:
    """What is to be recorded of each invocation that ``one`` began and nobody ended."""
    since = [
        name
        for name in files.names(log)
        if not one.file or files.order(name) >= files.order(one.file)
    ]
    sizes = {name: files.size_of(log, name) for name in since}
    start = one.size if since[:1] == [one.file] else 0
    return unfinished((line.data for line in files.read(log, sizes, start)), one.writer)


def invocations(records: Iterable[Mapping[str, object]], events: Sequence[str]) -> list[str]:
    """Those that ``records`` begin or end."""
    return [str(one.get("invocation", "")) for one in records if one.get("event") in events]


def unfinished(lines: Iterable[bytes], writer: str) -> list[dict[str, object]]:
    """The closing record of each invocation that ``writer`` began and nobody ended."""
    begun: dict[str, Record] = {}
    for line in lines:
        record = parsed(line)
        if record is None:
            continue
        if record.event in BEGINS and record.writer == writer:
            begun[record.invocation] = record
        elif record.event in ENDS:
            begun.pop(record.invocation, None)
    return [abandoned(record) for record in begun.values()]


def abandoned(begun: Record) -> dict[str, object]:
    """The record that closes an invocation whose process was killed."""
    return {
        "event": AuditEvent.INVOCATION_ABANDONED.value,
        "correlation": begun.correlation,
        "invocation": begun.invocation,
        "tenant": begun.tenant,
        "subject": begun.subject,
        "identity": begun.identity,
        "exposure": begun.exposure,
        "begun": begun.sequence,
    }
