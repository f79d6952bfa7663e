"""Writes lines for the writers of this room: whole or not at all, the same bytes every time."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterable
from pathlib import Path


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """UTF-8, one line each; gzip where the name ends in ``.gz``; replaces the file at the end."""
    body = "".join(f"{line}\n" for line in lines).encode("utf-8")
    if path.suffix == ".gz":
        body = gzip.compress(body, mtime=0)  # no time of writing: equal content, equal bytes
    fresh = path.with_name(f"{path.name}.new")
    fresh.write_bytes(body)
    os.replace(fresh, path)


def checked_id(key: str) -> str:
    """The id itself, if a column of tab-separated lines can hold it. Raises ValueError."""
    if not key.strip() or any(mark in key for mark in "\t\r\n\0"):
        raise ValueError(
            f"id {key!r} is blank or holds a tab, a line end or NUL: no column of a file"
        )
    return key
