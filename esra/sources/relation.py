"""What text means in a relation source: the words of a question and of a document, split alike.

One preparation stands on both sides, so that ``COVID-19``, ``numpy.linspace``,
``src/app/main.py`` and ``e-mail`` are found however they were written: NFKC, invisible format
characters dropped, lower case, then runs of letters, digits and their marks. Everything else is
a border, which is also why no engine's query language is ever met: what comes out of here is
letters and digits.

Scripts written without spaces (Han, Kana, Thai, Lao, Khmer, Burmese) come out as overlapping pairs
of letters with their marks, the usual stand-in for a dictionary; a single character inside a longer
run is not found by itself. Accents are kept: they carry meaning that a language's stemmer reads. A
word's other spellings, without accents or hyphen, stand beside it. What each language can expect is
in ``docs/languages.md``.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from esra.sources.spelling import compounds, unaccented

# RULINGS 16. A statement timeout does not bound the parsing of a text query; these do.
MOST_TERMS = 64
LONGEST_TERM = 64  # characters
MOST_TEXT = 4_096  # bytes of UTF-8, all the terms of a query together, a space after each

_ASCII_RUN = re.compile(r"[a-z0-9]+")

_SPACELESS = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Burmese
    (0x1780, 0x17FF),  # Khmer
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


def asked_spellings(text: str) -> list[str]:
    """How else the words of a question are written (``spelling``), once each."""
    return _spellings(text, [first + second for first, second in compounds(normal(text))])


def stored_spellings(text: str) -> list[str]:
    """How else the words of a document can be asked for, once each."""
    pairs = compounds(normal(text))
    return _spellings(text, [first + second for first, second in pairs if len(first) == 1])


def terms(texts: Iterable[str]) -> tuple[str, ...]:
    """Distinct words in order of first appearance, within what one query may carry.

    At most 64 of them and 4,096 bytes in all; what does not fit is left out from the end.
    """
    kept: dict[str, None] = {}
    room = MOST_TEXT
    for word in (word for text in texts for word in words(text)):
        if word in kept:
            continue
        room -= len(word.encode()) + 1
        if room < 0 or len(kept) == MOST_TERMS:
            break
        kept[word] = None
    return tuple(kept)


def within_bounds(terms: Sequence[str], phrases: Sequence[str] = ()) -> bool:
    """Whether these terms and phrases may go to an engine together (RULINGS 16)."""
    every = [*terms, *(word for phrase in phrases for word in phrase.split())]
    return (
        len(every) <= MOST_TERMS
        and all(len(term) <= LONGEST_TERM for term in every)
        and sum(len(text.encode()) + 1 for text in (*terms, *phrases)) <= MOST_TEXT
    )


def search_text(title: str, text: str) -> str:
    """What a loader hands to ``to_tsvector``: the words of title and text, spaces between.

    Their other spellings stand at the end, so that no phrase runs through one.
    """
    both = f"{title}\n{text}"
    return " ".join([*words(both), *stored_spellings(both)])


def _spellings(text: str, joined: list[str]) -> list[str]:
    bare = () if text.isascii() else unaccented([*words(text), *joined])
    return list(dict.fromkeys(word[:LONGEST_TERM] for word in (*joined, *bare)))


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
    if character < "\u0e00":
        return False
    code = ord(character)
    return any(first <= code <= last for first, last in _SPACELESS)


def _pairs(run: str) -> tuple[str, ...]:
    letters: list[str] = []
    for character in run:
        if letters and _is_mark(character):
            letters[-1] += character
        else:
            letters.append(character)
    if len(letters) == 1:
        return (letters[0][:LONGEST_TERM],)
    return tuple((first + second)[:LONGEST_TERM] for first, second in pairwise(letters))
