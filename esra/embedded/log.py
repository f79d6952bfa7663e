"""The server's log: one file in the cluster's folder, of bounded size."""

from __future__ import annotations

import os
from pathlib import Path

LOG = "server.log"
LIMIT = 8 * 1024 * 1024


def start_log(base: Path) -> int:
    """An empty log. Appended to, so that it may be emptied while it is written."""
    return os.open(base / LOG, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_TRUNC, 0o600)


def bound_log(base: Path) -> None:
    path = base / LOG
    if path.exists() and path.stat().st_size > LIMIT:
        os.truncate(path, 0)


def last_lines(base: Path, count: int = 12) -> str:
    """The end of the log, for an error message."""
    try:
        text = (base / LOG).read_text("utf-8", "replace")
    except FileNotFoundError:
        return "(no log)"
    return "\n".join(text.splitlines()[-count:]) or "(the log is empty)"
