"""Says which words an index in a language does not hold, so that asking for them finds nothing.

Pure, and about PostgreSQL's own text-search configurations only: of one that somebody made or
changed nothing is known, and no word counts as left out.
"""

from collections.abc import Iterable

from esra.sources.searchable import HOME, language_parts
from esra.sources.stoplists import LISTS

_WORDS = {language: frozenset(text.split()) for language, text in LISTS.items()}
# In these configurations a word of ASCII letters is taken for English.
_ASCII_IS_ENGLISH = ("russian", "hindi")


def left_out(words: Iterable[str], language: str) -> bool:
    """Whether no index in ``language`` (a text-search configuration) holds any of ``words``."""
    schema, name = language_parts(language)
    name = name if schema == HOME else ""
    return all(word in _of(name, word) for word in words)


def _of(name: str, word: str) -> frozenset[str]:
    english = name in _ASCII_IS_ENGLISH and word.isascii()
    return _WORDS.get("english" if english else name, frozenset())
