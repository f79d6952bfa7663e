"""What text means in a relation source: the words of a question and of a document, split alike.

One preparation stands on both sides, so that ``COVID-19``, ``numpy.linspace``,
``src/app/main.py`` and ``e-mail`` are found however they were written: NFKC, invisible format
characters dropped, lower case, then runs of letters, digits and their marks. Everything else is
a border, which is also why no engine's query language is ever met: what comes out of here is
letters and digits.

Scripts written without spaces (Han, Hiragana, Katakana) come out as overlapping pairs, the usual
stand-in for a dictionary; a single character inside a longer run is not found by itself.
Accents are kept: they carry meaning that a language's stemmer reads.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator

# RULINGS 16. A statement timeout does not bound the parsing of a text query; these do.
MOST_TERMS = 64
LONGEST_TERM = 64  # characters
MOST_TEXT = 4_096  # bytes of UTF-8, all the terms of a query together

_ASCII_RUN = re.compile(r"[a-z0-9]+")

_SPACELESS = (
    (0x3040, 0x30FF),  # Hiragana, Katakana
    (0x31F0, 0x31FF),  # Katakana extensions
    (0x3400, 0x4DBF),  # Han extension A
    (0x4E00, 0x9FFF),  # Han
    (0xF900, 0xFAFF),  # Han compatibility
    (0x20000, 0x3FFFF),  # Han, the supplementary planes
)


def normal(text: str) -> str:
    """The one spelling: NFKC, without format characters (zero width, soft hyphen), lower case."""
    composed = unicodedata.normalize("NFKC", text)
    visible = composed if composed.isascii() else "".join(filter(_visible, composed))
    return visible.lower()


def words(text: str) -> list[str]:
    """The words of a text in their order, repeats kept. Each has 1 to 64 characters.

    A longer run counts by its first 64 characters, on either side alike.
    """
    plain = normal(text)
    if plain.isascii():
        return _ascii_words(plain)
    found: list[str] = []
    for chunk in plain.split():
        found.extend(_ascii_words(chunk) if chunk.isascii() else _any_words(chunk))
    return found


def terms(texts: Iterable[str]) -> tuple[str, ...]:
    """Distinct words in order of first appearance, within what one query may carry.

    At most 64 of them and 4,096 bytes in all; what does not fit is left out from the end.
    """
    kept: dict[str, None] = {}
    room = MOST_TEXT
    for word in (word for text in texts for word in words(text)):
        if word in kept:
            continue
        room -= len(word.encode())
        if room < 0 or len(kept) == MOST_TERMS:
            break
        kept[word] = None
    return tuple(kept)


def within_bounds(texts: Iterable[str]) -> bool:
    """Whether these terms and phrases may go to an engine together (RULINGS 16)."""
    given = tuple(texts)
    return (
        len(given) <= MOST_TERMS
        and all(len(text) <= LONGEST_TERM for text in given)
        and sum(len(text.encode("utf-8", "surrogatepass")) for text in given) <= MOST_TEXT
    )


def search_text(title: str, text: str) -> str:
    """What a loader hands to ``to_tsvector``: the words of title and text, spaces between."""
    return " ".join(words(f"{title}\n{text}"))


def _ascii_words(text: str) -> list[str]:
    # Most text by far, so it is worth a way of its own.
    return [run[:LONGEST_TERM] for run in _ASCII_RUN.findall(text)]


def _any_words(text: str) -> Iterator[str]:
    for run in _runs(text):
        yield from _pairs(run) if _spaceless(run[0]) else (run[:LONGEST_TERM],)


def _visible(character: str) -> bool:
    return unicodedata.category(character) != "Cf"


def _runs(text: str) -> Iterator[str]:
    """Runs of letters, digits and marks, cut also where spaceless script begins or ends."""
    start = 0
    kind: bool | None = None
    for place, character in enumerate(text):
        now = _spaceless(character) if _belongs(character, inside=kind is not None) else None
        if now is kind or (now is not None and kind is not None and _is_mark(character)):
            continue
        if kind is not None:
            yield text[start:place]
        start, kind = place, now
    if kind is not None:
        yield text[start:]


def _belongs(character: str, *, inside: bool) -> bool:
    return character.isalnum() or (inside and _is_mark(character))


def _is_mark(character: str) -> bool:
    return character > "\u02ff" and unicodedata.category(character)[0] == "M"


def _spaceless(character: str) -> bool:
    if character < "\u3040":
        return False
    code = ord(character)
    return any(first <= code <= last for first, last in _SPACELESS)


def _pairs(run: str) -> tuple[str, ...]:
    if len(run) == 1:
        return (run,)
    return tuple(run[place : place + 2] for place in range(len(run) - 1))
