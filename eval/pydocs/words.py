"""The form in which two texts are compared, and the cut of a sentence wherever it stands.

Compared are words without case, markup, punctuation, articles and a final "s":
"Return the sum." and "Returns sum" are one text.
"""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

_WORD = re.compile(r"[^\W_]+")
_ARTICLES = frozenset({"a", "an", "the"})
# A cut begins the search at this many words; a shorter phrase is no sentence to protect.
PREFIX = 3

Phrase = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Place:
    word: str
    start: int
    end: int


def phrase(text: str) -> Phrase:
    """The words of a text, ready to be compared."""
    return tuple(place.word for place in _places(text))


def _places(text: str) -> list[_Place]:
    found = ((match[0].lower(), *match.span()) for match in _WORD.finditer(text))
    return [_Place(_fold(word), *span) for word, *span in found if word not in _ARTICLES]


def _fold(word: str) -> str:
    long = len(word) > 3 and not word.endswith("ss")
    return word.removesuffix("s") if long else word


class Cutter:
    """Takes a fixed set of phrases out of any text, however they are punctuated there."""

    def __init__(self, phrases: Iterable[Phrase]) -> None:
        self._by_prefix: dict[Phrase, list[Phrase]] = defaultdict(list)
        for wanted in sorted(set(phrases)):
            if len(wanted) < PREFIX:
                raise ValueError(f"a phrase of fewer than {PREFIX} words cannot be cut: {wanted}")
            self._by_prefix[wanted[:PREFIX]].append(wanted)

    def cut(self, text: str) -> str:
        """The text without any of the phrases, not even one that a cut has joined together."""
        while span := self._first(_places(text)):
            text = f"{text[:span[0]]}{text[span[1]:].lstrip(' .:;,')}"
        return text

    def holds(self, text: str) -> bool:
        """Whether one of the phrases stands in the text."""
        return self._first(_places(text)) is not None

    def _first(self, places: list[_Place]) -> tuple[int, int] | None:
        words = tuple(place.word for place in places)
        for at in range(len(words) - PREFIX + 1):
            for wanted in self._by_prefix.get(words[at:at + PREFIX], ()):
                if words[at:at + len(wanted)] == wanted:
                    return places[at].start, places[at + len(wanted) - 1].end
        return None
