"""What a question asks for: its content words, and itself as a phrase.

Cleaned of everything an engine's query language or a validator could stumble over, so that no
ordinary prompt loses a word by it (RULINGS 14), and bounded as one query is (RULINGS 16).
"""

from esra.sources.relation import MOST_TERMS, MOST_TEXT, asked_spellings, terms, words
from esra.sources.stopwords import STOP


def content_words(prompt: str) -> tuple[str, ...]:
    """The prompt's words once each, without stop words; all of them where only those are there.

    Their other spellings come last, so that none of them takes a word's place.
    """
    content = terms(word for word in words(prompt) if word not in STOP) or terms([prompt])
    if len(content) == MOST_TERMS:
        return content
    return terms([*content, *asked_spellings(prompt)])


def phrase_words(prompt: str) -> list[str]:
    """As many leading words, repeats kept, as a query may carry."""
    kept: list[str] = []
    room = MOST_TEXT
    for word in words(prompt)[:MOST_TERMS]:
        room -= len(word.encode()) + 1
        if room < 0:
            break
        kept.append(word)
    return kept
