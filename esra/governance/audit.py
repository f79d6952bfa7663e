"""Audit sinks: one JSON object a line, appended and never rewritten."""

import fcntl
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from esra.ports import AuditUnavailable


class FileAudit:
    """Appends to a file that only its owner may read.

    A record is in the operating system's hands when ``write`` returns: it survives the process
    being killed; it is not synced to the disk for each one.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def write(self, records: Sequence[Mapping[str, object]]) -> None:
        # ASCII escapes keep line breaks, terminal codes and look-alikes of both out of the log.
        text = "".join(json.dumps(record, ensure_ascii=True) + "\n" for record in records)
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            flags = os.O_APPEND | os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC
            handle = os.open(self._path, flags, 0o600)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX)
                _write_all(handle, text.encode())
            finally:
                os.close(handle)
        except OSError as error:
            raise AuditUnavailable(type(error).__name__) from error


def _write_all(handle: int, data: bytes) -> None:
    while data:
        data = data[os.write(handle, data) :]


class ListAudit:
    """Keeps records in a list, for tests and notebooks."""

    def __init__(self) -> None:
        self.records: list[dict[str, object]] = []

    def write(self, records: Sequence[Mapping[str, object]]) -> None:
        self.records.extend(dict(record) for record in records)
