"""Chooses which columns of a table a first mapping names: by type, by key, then by usual names.

Pure. What it cannot know it guesses and says so; what looks like a secret it never names.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from esra.domain.described import Column, Kind, Table
from esra.sources.searchable import VECTOR, unindexed

TEXTS = frozenset({"text", "varchar", "bpchar", "citext"})
NUMBERS = frozenset({"int2", "int4", "int8", "float4", "float8", "numeric"})
TIMES = frozenset({"date", "timestamp", "timestamptz"})

_TITLES = ("title", "name", "subject", "headline", "heading", "label", "caption")
_BODIES = ("body", "text", "content", "description", "abstract", "summary", "message", "note")
_STAMPS = ("updated", "modified", "changed", "published", "created", "date", "time")
_KEYS = ("id", "key", "uuid", "code")
_SECRET = re.compile(
    r"passw|pwd|secret|token|salt|hash|api_?key|private|credential|ssn|iban|card", re.IGNORECASE
)
# 'german'::regconfig, and the arguments of tsvector_update_trigger: column, configuration, texts.
_CONFIGURED = re.compile(r"to_tsvector\('((?:[^']|'')+)'::regconfig")
_ARGUMENT = r"\000"


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The columns of a mapping. ``guesses`` says in words what a person has to look at.

    ``language`` is "" where nothing tells how the vector was made.
    """

    key: str
    title: str
    text: str
    vector: str
    timestamp: str | None
    language: str
    guesses: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unfit:
    """Why a table gets no mapping. ``texts`` are the columns a vector could be made of."""

    why: str
    texts: tuple[str, ...] = ()


def choose(table: Table) -> Choice | Unfit:
    usable = [c for c in table.columns if c.readable and nameable(c.name)]
    texts = [c for c in usable if c.type in TEXTS and not _SECRET.search(c.name)]
    vectors = [c for c in usable if c.type == VECTOR]
    if not (nameable(table.name) and nameable(table.schema)):
        return Unfit(why="its name holds control characters, which a catalog does not take")
    if not texts:
        return Unfit(why="no column of it holds text that may be shown")
    if not vectors:
        return Unfit(why="it has no text-search column", texts=tuple(_told(texts)))
    key, guessed = _key(table, usable)
    if key is None:
        return Unfit(
            why="no column alone tells its rows apart; give it a unique column, or map a view with "
            "one that joins its key's columns"
        )
    vector = min(vectors, key=lambda c: any(unindexed(table, c.name)))
    made = [c for c in texts if _mentions(vector.made, c.name)] or texts
    text = _named(made, _BODIES) or max(made, key=lambda c: c.name not in _TITLES)
    others = [c for c in made if c is not text] or [text]
    title = _named(others, _TITLES) or others[0]
    stamp = _stamp([c for c in usable if c.type in TIMES])
    language = language_of(vector)
    return Choice(
        key=key,
        title=title.name,
        text=text.name,
        vector=vector.name,
        timestamp=stamp,
        language=language,
        guesses=tuple(_guesses(guessed, title, text, language)),
    )


def nameable(name: str) -> bool:
    """Whether a catalog takes it as a name in the database."""
    return 1 <= len(name.encode()) <= 63 and all(ord(char) >= 32 for char in name)


def open_columns(table: Table, choice: Choice) -> list[Column]:
    """Columns that could be fields: plain values that do not look like a secret."""
    plain = TEXTS | NUMBERS | TIMES | {"bool"}
    taken = {choice.key, choice.vector, choice.text}
    return [
        c
        for c in table.columns
        if c.readable and c.type in plain and c.name not in taken and nameable(c.name)
        if not _SECRET.search(c.name)
    ]


def language_of(vector: Column) -> str:
    """The text-search configuration that a vector was made with, or "" where it does not say."""
    if found := _CONFIGURED.search(vector.made):
        return found[1].replace("''", "'")
    arguments = vector.made.split(_ARGUMENT)
    return arguments[1] if len(arguments) > 2 else ""


def _told(texts: Sequence[Column]) -> Iterable[str]:
    """The columns a person would search in: the usual names, else the first two."""
    usual = [c.name for c in texts if _is(c, _TITLES) or _is(c, _BODIES)]
    return usual or [c.name for c in texts[:2]]


def _key(table: Table, usable: Sequence[Column]) -> tuple[str | None, bool]:
    """The key, and whether it is a guess: a view has none of its own."""
    names = [c.name for c in usable]
    if known := [name for name in table.unique if name in names]:
        return known[0], False
    if table.kind not in (Kind.VIEW, Kind.FOREIGN):
        return None, False
    guessed = _named(usable, _KEYS)
    return (guessed.name if guessed else None), True


def _stamp(times: Sequence[Column]) -> str | None:
    found = next((c for word in _STAMPS for c in times if word in c.name.lower()), None)
    found = found or next(iter(times), None)
    return found.name if found else None


def _named(columns: Sequence[Column], names: Sequence[str]) -> Column | None:
    """The first that has one of the names, else the first in whose name one stands."""
    whole = (c for name in names for c in columns if c.name.lower() == name)
    part = (c for name in names for c in columns if name in c.name.lower())
    return next(whole, None) or next(part, None)


def _is(column: Column, names: Sequence[str]) -> bool:
    return _named([column], names) is not None


def _mentions(made: str, name: str) -> bool:
    words = re.findall(r'"((?:[^"]|"")+)"|([^\W\d]\w*)', made.replace(_ARGUMENT, " "))
    return name in {quoted.replace('""', '"') or plain for quoted, plain in words}


def _guesses(key: bool, title: Column, text: Column, language: str) -> Iterable[str]:
    if key:
        yield "key: see that it tells the rows apart"
    if not _is(title, _TITLES) or not _is(text, _BODIES):
        yield "title and text: they are shown to every caller"
    if not language:
        yield "language: nothing says with which configuration the column was made"
