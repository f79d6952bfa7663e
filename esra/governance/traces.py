"""Live traces in a file, a line each, for whoever compares revisions on real calls.

The prompt is there as retention allows. A trace that cannot be written costs nobody an answer: it
is no record of what happened (the audit is), so the trouble goes to the log and the call goes on.
"""

import json
import logging
import os
from collections.abc import Mapping
from pathlib import Path

logger = logging.getLogger(__name__)


class FileTraces:
    """Appends ``{"query": invocation, "trace": ...}``, as the workbench's recordings are."""

    def __init__(self, path: Path) -> None:
        """OSError where the file cannot be written: said at the start, not at the first call."""
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
        self._handle = os.open(path, flags, 0o600)

    def write(self, trace: Mapping[str, object]) -> None:
        line = {"query": trace["invocation"], "trace": trace}
        data = json.dumps(line, separators=(",", ":"), allow_nan=False).encode() + b"\n"
        try:
            # One write a line: two processes on one file do not mix their lines.
            written = os.write(self._handle, data)
        except OSError as error:
            logger.warning("a trace was not kept: %s", error.strerror)
            return
        if written < len(data):
            logger.warning("a trace was cut off; readers pass over its line")

    def close(self) -> None:
        os.close(self._handle)
