"""Canaries: planted values and records that nobody who asks here may ever be shown.

A line of the file is a text (the value of a restricted, or the clear form of a masked field), or
``{"source": ..., "key": ...}``: a record that a filter hides from the caller who recorded.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from eval.runs.arm import Document

LEAST = 4  # characters; a shorter text would be found by chance


class CanaryError(ValueError):
    """A line of the file is no canary; the message names it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Canaries:
    texts: tuple[str, ...] = ()
    records: frozenset[Document] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.texts or self.records)

    def in_value(self, value: object) -> list[int]:
        """Numbers, from 1, of the texts that stand anywhere in plain JSON values."""
        told = [_plain(text) for text in _strings(value)]
        return [
            number
            for number, canary in enumerate(self.texts, 1)
            if any(_plain(canary) in text for text in told)
        ]

    def in_trace(self, trace: Mapping[str, object]) -> list[Document]:
        """The records of the list that an invocation's engines, model or ranking met."""
        return sorted(self.records & set(_records(trace)))


def read_canaries(path: Path) -> Canaries:
    """The canaries of a file. CanaryError names the line, OSError comes as it is.

    A mark of the byte order in front, as spreadsheets and some editors write it, is no part of the
    first canary: with it none would ever be found.
    """
    texts: list[str] = []
    records: set[Document] = set()
    for number, line in enumerate(_text(path).splitlines(), 1):
        if not line.strip():
            continue
        if line.startswith("{"):
            records.add(_record(line, f"{path}:{number}"))
        elif len(line.strip()) < LEAST:
            raise CanaryError(f"{path}:{number}: {LEAST} characters at least, or any text holds it")
        else:
            texts.append(line.strip())
    if not texts and not records:
        raise CanaryError(f"{path}: holds no canary")
    return Canaries(texts=tuple(texts), records=frozenset(records))


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CanaryError(f"{path}: is no UTF-8 text (byte {error.start + 1})") from error


def _record(line: str, where: str) -> Document:
    try:
        plain = json.loads(line)
        source, key = plain.pop("source"), plain.pop("key")
    except (ValueError, KeyError, AttributeError) as error:
        raise CanaryError(f'{where}: a record is {{"source": "...", "key": "..."}}') from error
    if plain or not isinstance(source, str) or not isinstance(key, str):
        raise CanaryError(f'{where}: a record is {{"source": "...", "key": "..."}}')
    return source, key


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, inside in value.items():
            yield from _strings(key)
            yield from _strings(inside)
    elif isinstance(value, (list, tuple)):
        for inside in value:
            yield from _strings(inside)


def _records(trace: Mapping[str, object]) -> Iterator[Document]:
    for answer in trace["answers"]:  # type: ignore[attr-defined]
        for row in answer.get("rows", ()):
            yield answer["source"], row[1]
    for row in (*trace["asked"], *trace["ranking"]):  # type: ignore[misc]
        yield row[0], row[2]
