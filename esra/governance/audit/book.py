"""The log in files, while this process holds its lock: appends, and mends what a crash left.

The order of a write makes every crash explainable: the head says what comes (``next``), the lines
are appended, the head says that they came. Only then is anything acknowledged.
"""

import hashlib
import os
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path

from esra.domain.codes import AuditEvent
from esra.governance.audit import files
from esra.governance.audit.chain import Keys, lines, seal, split
from esra.governance.audit.head import SIZE, Head, HeadUnusable, Mark, Torn, first, opened, sealed
from esra.governance.audit.record import canonical, shaped

Given = Mapping[str, object]
ASIDE = "aside"


class Book:
    """``handle`` is the locked head file; ``most`` the bytes after which a new file is begun."""

    def __init__(self, folder: Path, handle: int, keys: Keys, *, now: float, most: int) -> None:
        self._folder, self._handle, self._keys = folder, handle, keys
        self._now, self._most = now, most
        self.head = self._read()

    def put(self, given: Sequence[Given], writer: str) -> None:
        """Appends one record for each; they are acknowledged when this returns."""
        at = self.head.at
        if not files.same_day(at.file, self._now) or at.size >= self._most:
            at = replace(at, file=files.name_of(self._now, at.sequence + 1), size=0)
        self._append(given, writer, at)

    def mend(self, writer: str) -> None:
        """Brings log and head together after a crash; nothing to do otherwise."""
        head = self.head
        if head.next is None:
            return
        at, rest = self._grown(head.at)
        if not rest and (head.torn is None or at == head.next):
            self._save(Head(log=head.log, at=at))
        else:
            # A record of it that was itself torn is simply written again.
            torn = head.torn or self._kept(at, rest)
            told = {"event": AuditEvent.AUDIT_TORN.value, **asdict(torn)}
            self._append([told], writer, at, torn)

    def _append(
        self, given: Sequence[Given], writer: str, at: Mark, torn: Torn | None = None
    ) -> None:
        handle = files.open_log(self._folder / at.file)
        try:
            size = os.fstat(handle).st_size
            if torn is not None:
                size = min(size, at.size)
            elif size and os.pread(handle, 1, size - 1) != b"\n":
                # Somebody else's half line: verify is to find it, and our record beside it.
                files.write_all(handle, b"\n")
                size += 1
            made, chain = lines(
                self._keys, bytes.fromhex(at.chain), self._bodies(given, writer, at.sequence)
            )
            data = b"".join(made)
            came = Mark(
                sequence=at.sequence + len(given),
                chain=chain.hex(),
                file=at.file,
                size=size + len(data),
            )
            log = self.head.log
            self._save(Head(log=log, at=replace(at, size=size), next=came, torn=torn))
            if torn is not None:
                os.ftruncate(handle, size)
            files.write_all(handle, data)
        finally:
            os.close(handle)
        self._save(Head(log=log, at=came))

    def _bodies(self, given: Sequence[Given], writer: str, last: int) -> list[bytes]:
        log, now = self.head.log, self._now
        return [
            canonical(shaped(one, log=log, sequence=number, writer=writer, now=now))
            for number, one in enumerate(given, last + 1)
        ]

    def _grown(self, at: Mark) -> tuple[Mark, bytes]:
        """(behind the last whole record that follows ``at``, what stands after it)."""
        with open(files.open_log(self._folder / at.file), "rb") as file:
            file.seek(at.size)
            while (line := file.readline()).endswith(b"\n"):
                parts = split(line[:-1])
                if parts is None or seal(self._keys, bytes.fromhex(at.chain), parts[0]) != parts[1]:
                    break
                at = replace(
                    at,
                    sequence=at.sequence + 1,
                    chain=parts[1].hex(),
                    size=at.size + len(line),
                )
            return at, line + file.read()

    def _kept(self, at: Mark, rest: bytes) -> Torn:
        digest = hashlib.sha256(rest).hexdigest()
        name = f"torn-{at.sequence + 1:012d}-{digest[:8]}"
        files.make_folder(self._folder / ASIDE)
        path = self._folder / ASIDE / name
        part = path.with_suffix(".part")
        part.write_bytes(rest)
        part.chmod(0o600)
        part.replace(path)
        return Torn(bytes=len(rest), sha256=digest, kept=f"{ASIDE}/{name}")

    def _read(self) -> Head:
        data = os.pread(self._handle, SIZE, 0)
        if data:
            return opened(data, self._keys)
        if any(files.size_of(self._folder, name) for name in files.names(self._folder)):
            raise HeadUnusable(
                "the audit head is missing and the log is not: restore it, or move the log away"
            )
        return first(self._keys, secrets.token_hex(8))

    def _save(self, head: Head) -> None:
        if os.pwrite(self._handle, sealed(head, self._keys), 0) != SIZE:
            raise OSError("the audit head was not written whole")
        self.head = head
