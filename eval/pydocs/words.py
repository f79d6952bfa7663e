"""The form in which two texts are compared, and the cut of a sentence wherever it stands.

Compared are words without case, markup, punctuation, articles and a final "s":
"Return the sum." and "Returns sum" are one text.
"""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache
from itertools import accumulate

_WORD = re.compile(r"[^\W_]+")
_ARTICLES = frozenset({"a", "an", "the"})
# Phrases are looked up by so many of their first letters; four words have at least these.
START = 4

Phrase = tuple[str, ...]


def phrase(text: str) -> Phrase:
    """The words of a text, ready to be compared."""
    return tuple(word for raw in _WORD.findall(text) if (word := _compared(raw)))


@lru_cache(maxsize=2**16)
def _compared(raw: str) -> str:
    """A word as it is compared, or "" for an article. Cached: texts repeat their words."""
    word = raw.lower()
    if word in _ARTICLES:
        return ""
    return word.removesuffix("s") if len(word) > 3 and not word.endswith("ss") else word


class Cutter:
    """Takes a fixed set of phrases out of any text, however they are punctuated there.

    A phrase begins at a word and is compared by its letters, so that it is also
    found where a space is missing ("diagonaland zeros").
    """

    def __init__(self, phrases: Iterable[Phrase]) -> None:
        self._by_start: dict[str, list[str]] = defaultdict(list)
        for words in sorted(set(phrases)):
            wanted = "".join(words)
            if len(wanted) < START:
                raise ValueError(f"a phrase of fewer than {START} letters cannot be cut: {words}")
            self._by_start[wanted[:START]].append(wanted)

    def cut(self, text: str) -> str:
        """The text without any of the phrases, not even one that a cut has joined together."""
        while found := self._first(phrase(text)):
            start, end = _span(text, *found)
            text = f"{text[:start]}{text[end:].lstrip(' .:;,')}"
        return text.strip()

    def holds(self, text: str) -> bool:
        """Whether one of the phrases stands in the text."""
        return self._first(phrase(text)) is not None

    def _first(self, words: Phrase) -> tuple[int, int] | None:
        """The numbers of the first and the last word of the first phrase found."""
        letters = "".join(words)
        starts = [0, *accumulate(map(len, words))]
        for at, start in enumerate(starts[:-1]):
            for wanted in self._by_start.get(letters[start : start + START], ()):
                if letters.startswith(wanted, start):
                    return at, bisect_left(starts, start + len(wanted)) - 1
        return None


def _span(text: str, first: int, last: int) -> tuple[int, int]:
    """Where in the text the words with these numbers begin and end."""
    spans = [match.span() for match in _WORD.finditer(text) if _compared(match[0])]
    return spans[first][0], spans[last][1]
