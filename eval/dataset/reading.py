"""Reads the documents and the queries of a folder, each id once."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from esra.governance.admission import LONGEST_PROMPT
from eval.dataset.fields import date_of, flag_of, id_of, text_of, texts_of
from eval.dataset.objects import JsonLine, json_lines
from eval.dataset.records import Document, Query
from eval.evidence import normal_form
from eval.formats.findings import Findings, quoted

_T = TypeVar("_T")
_OF_DOCUMENT = frozenset({"_id", "title", "text", "date"})
NOTHING, TIMELY = "nothing_is_right", "time_sensitive"
_OF_QUERY = frozenset({"_id", "text", "date", "group", "need", "track", "tags", NOTHING, TIMELY})


def read_documents(path: Path, findings: Findings) -> dict[str, tuple[Document, bytes]]:
    """Documents by key, in file order, each with the canonical form of its line."""
    return _by_id(path, findings, _document)


def read_queries(path: Path, findings: Findings) -> dict[str, tuple[Query, bytes]]:
    """Queries by id, in file order, each with the canonical form of its line.

    One that could not be asked (blank, or longer than a prompt may be) is refused here, where its
    line is known, and not in the middle of a recording.
    """
    return _by_id(path, findings, _query)


def unaskable(text: str) -> str:
    """Why nobody could ask this text, in words that go on from a query's name; "" if one could."""
    if not text.strip():
        return "has no text: write the question"
    if (size := _size(text)) > LONGEST_PROMPT:
        said = f"has a text of {size:,} bytes; a question may have {LONGEST_PROMPT:,}"
        return f"{said}: shorten it or take the query out"
    return ""


def _by_id(
    path: Path, findings: Findings, make: Callable[[str, JsonLine, Path, Findings], _T]
) -> dict[str, tuple[_T, bytes]]:
    return {
        key: (make(key, row, path, findings), row.canonical) for key, row in _once(path, findings)
    }


def _once(path: Path, findings: Findings) -> Iterator[tuple[str, JsonLine]]:
    """The lines that have an id of their own; a repeated line is counted, a second one refused."""
    first: dict[str, JsonLine] = {}
    for row in json_lines(path, findings):
        key = id_of(row, path, findings)
        if key is None:
            continue
        known = first.setdefault(key, row)
        if known is row:
            yield key, row
        elif known.canonical == row.canonical:
            findings.count("line given twice, kept once", path, row.line, quoted(key))
        else:
            said = f"_id {quoted(key)} stands in line {known.line} already, with other content"
            findings.refuse(path, row.line, f"{said}: keep one or rename it")


def _document(key: str, row: JsonLine, path: Path, findings: Findings) -> Document:
    title, text = (text_of(row, name, path, findings) for name in ("title", "text"))
    if "title" not in row.fields and "text" not in row.fields:
        findings.refuse(path, row.line, "has neither title nor text: give it one")
    elif not title.strip() and not text.strip():
        findings.count("document without any text", path, row.line, quoted(key))
    return Document(
        key=key,
        title=title,
        text=text,
        date=date_of(row, path, findings),
        extra=_further(row, _OF_DOCUMENT),
    )


def _query(key: str, row: JsonLine, path: Path, findings: Findings) -> Query:
    text, need, track = (text_of(row, name, path, findings) for name in ("text", "need", "track"))
    if why := unaskable(text):
        findings.refuse(path, row.line, why)
    return Query(
        id=key,
        text=text,
        group=next(filter(None, map(normal_form, (_group(row, path, findings), need, text))), key),
        date=date_of(row, path, findings),
        need=need,
        track=track,
        tags=texts_of(row, "tags", path, findings),
        nothing=flag_of(row, NOTHING, path, findings),
        timely=flag_of(row, TIMELY, path, findings),
        extra=_further(row, _OF_QUERY),
    )


def _size(text: str) -> int:
    """Bytes of UTF-8 in the form in which a prompt is counted: NFC, which may be the longer one."""
    return len(unicodedata.normalize("NFC", text).encode())


def _group(row: JsonLine, path: Path, findings: Findings) -> str:
    value = row.fields.get("group")
    return str(value) if type(value) is int else text_of(row, "group", path, findings)


def _further(row: JsonLine, named: frozenset[str]) -> dict[str, object]:
    return {key: value for key, value in row.fields.items() if key not in named}
