"""Reads the fields of one object: ids, texts, dates. What is wrong goes to the findings."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

from eval.dataset.objects import JsonLine
from eval.formats.findings import Findings, quoted

# An index of PostgreSQL takes keys of some 2,700 bytes.
LONGEST_ID = 1024
_YEAR_OR_MONTH = re.compile(r"([0-9]{4})(?:-([0-9]{2}))?")


def id_of(row: JsonLine, path: Path, findings: Findings) -> str | None:
    """The ``_id``, to the letter; None where the line has no usable one.

    A whole number has one way to be written and is taken as that text, and counted; ``1.0`` and
    ``true`` have not, and are refused.
    """
    value = row.fields.get("_id")
    if type(value) is int:
        findings.count("whole number as _id, read as text", path, row.line, str(value))
        value = str(value)
    if not isinstance(value, str):
        found = "has no _id" if value is None else f"has the _id {quoted(value)}"
        findings.refuse(path, row.line, f'{found}: write a string, as in {{"_id": "a1"}}')
    elif not value.strip():
        findings.refuse(path, row.line, f"has the blank _id {quoted(value)}: give it a name")
    elif len(value.encode()) > LONGEST_ID:
        findings.refuse(path, row.line, f"has an _id over {LONGEST_ID} bytes: shorten it")
    else:
        return value
    return None


def text_of(row: JsonLine, key: str, path: Path, findings: Findings) -> str:
    """A text field, absent and null read as empty; any other type is refused."""
    value = row.fields.get(key)
    if value is None or isinstance(value, str):
        return value or ""
    findings.refuse(path, row.line, f"{key} is {quoted(value)}: write a string")
    return ""


def texts_of(row: JsonLine, key: str, path: Path, findings: Findings) -> tuple[str, ...]:
    """A list of texts, absent and null read as empty; anything else is refused."""
    value = row.fields.get(key)
    if value is None:
        return ()
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return tuple(value)
    findings.refuse(path, row.line, f"{key} is {quoted(value)}: write a list of strings")
    return ()


def flag_of(row: JsonLine, key: str, path: Path, findings: Findings) -> bool:
    """A yes or no, absent and null read as no; anything else is refused."""
    value = row.fields.get(key)
    if value is None or isinstance(value, bool):
        return bool(value)
    findings.refuse(path, row.line, f"{key} is {quoted(value)}: write true or false")
    return False


def date_of(row: JsonLine, path: Path, findings: Findings) -> datetime | None:
    """The ``date``: ISO 8601, a year, or a year and month; without a zone it is UTC.

    One that cannot be read is counted and left out: the record is sound without it.
    """
    value = row.fields.get("date")
    if value is None or value == "":
        return None
    try:
        return _moment(str(value) if isinstance(value, str | int) else "")
    except (ValueError, OverflowError):
        findings.count("date not understood, left out", path, row.line, quoted(value))
        return None


def _moment(text: str) -> datetime:
    part = _YEAR_OR_MONTH.fullmatch(text.strip())
    if part:
        return datetime(int(part[1]), int(part[2] or 1), 1, tzinfo=UTC)
    moment = datetime.fromisoformat(text.strip())
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
