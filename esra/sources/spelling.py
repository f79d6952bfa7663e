"""The other way a word is written: a compound as one word, a word without its accents. Pure.

A compound is two parts with one hyphen between them, the first of letters: ``e-mail`` is also
``email``, ``COVID-19`` also ``covid19``. ``café`` is also ``cafe``, ``Straße`` also ``strasse``,
``ёлка`` also ``елка``; pointed Hebrew and Arabic are also plain. In other scripts a mark is part of
the word.

A question asks for both spellings of a word, so that it finds the one and the other, and a record
that has the word as it was asked for matches twice. Of a document's words the unaccented ones are
indexed as well, and of its compounds those with a first part of one letter (``e-mail``, ``x-ray``):
to index them all was measured, and cost more in ranking than it found.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator

# Two parts and no more: nobody writes a long chain, a flag or a date as one word.
_COMPOUND = re.compile(r"(?<![\w\-\u2010])([^\W\d_]+)[-\u2010]([^\W_]+)(?![\w\-\u2010])")

_ACCENTS = (
    (0x0300, 0x036F),  # of Latin, Greek and Cyrillic letters
    (0x0591, 0x05C7),  # Hebrew points
    (0x064B, 0x065F),  # Arabic vowel signs
    (0x0670, 0x0670),
)


def compounds(text: str) -> Iterator[tuple[str, str]]:
    """Both parts of each compound of a text in its one spelling (``relation.normal``)."""
    return ((found[1], found[2]) for found in _COMPOUND.finditer(text))


def unaccented(words: Iterable[str]) -> Iterator[str]:
    """The words that carry accents, without them."""
    for word in words:
        if not word.isascii():
            parts = unicodedata.normalize("NFD", word.casefold())
            bare = unicodedata.normalize("NFC", "".join(filter(_stays, parts)))
            if bare and bare != word:
                yield bare


def _stays(character: str) -> bool:
    code = ord(character)
    return not any(first <= code <= last for first, last in _ACCENTS)
