"""Writes files for the writers of this room: whole or not at all, the same bytes every time."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from pathlib import Path

from eval.formats.findings import quoted
from eval.whole import write_whole

MARK = "\ufeff"


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """UTF-8, one line each; gzip where the name ends in ``.gz``; replaces the file at the end."""
    write_text(path, "".join(f"{line}\n" for line in lines))


def write_text(path: Path, text: str) -> None:
    """UTF-8, as given; gzip where the name ends in ``.gz``; replaces the file at the end.

    A text that begins with U+FEFF gets one more, since readers take the first for a file's mark.
    """
    body = f"{MARK}{text}".encode() if text.startswith(MARK) else text.encode()
    if path.suffix == ".gz":
        body = gzip.compress(body, mtime=0)  # no time of writing: equal content, equal bytes
    write_whole(path, body)


def write_json(path: Path, value: object) -> None:
    """One JSON document. Raises ValueError for a number that JSON has no word for (NaN)."""
    write_text(path, json.dumps(value, ensure_ascii=False, allow_nan=False, indent=1) + "\n")


def checked_id(key: str) -> str:
    """The id itself, if a column of tab-separated lines can hold it. Raises ValueError."""
    if not key.strip() or any(mark in key for mark in "\t\r\n\0"):
        raise ValueError(
            f"id {quoted(key)} is blank or holds a tab, a line end or NUL: no column of a file"
        )
    return key


def checked_cell(text: str) -> str:
    """The text itself, if a cell or a JSON string of ours can hold it. Raises ValueError."""
    if not text.strip() or "\0" in text:
        raise ValueError(f"{quoted(text)} is blank or holds a NUL: no cell of a file")
    return text
