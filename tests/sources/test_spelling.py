"""The other spellings of a word: which there are, and that no word is lost to them."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from esra.sources.question import content_words
from esra.sources.relation import (
    LONGEST_TERM,
    asked_spellings,
    search_text,
    stored_spellings,
    terms,
    words,
)
from esra.sources.stopwords import STOP


@pytest.mark.parametrize(
    ("text", "asked", "stored"),
    [
        ("an e-mail", ["email"], ["email"]),
        ("E\u2011Mail E\u2010mail e-mail", ["email"], ["email"]),
        ("COVID-19 and non-linear", ["covid19", "nonlinear"], []),
        ("--dry-run -x 2026-01-02 state-of-the-art a--b a-", [], []),
        ("plain words", [], []),
        ("Caf\u00e9 cafe\u0301", ["cafe"], ["cafe"]),
        ("Stra\u00dfe M\u00fcnchen", ["strasse", "munchen"], ["strasse", "munchen"]),
        ("caf\u00e9-bar", ["caf\u00e9bar", "cafe", "cafebar"], ["cafe"]),
        ("\u0451\u043b\u043a\u0430", ["\u0435\u043b\u043a\u0430"], ["\u0435\u043b\u043a\u0430"]),
        ("\u0130stanbul", ["istanbul"], ["istanbul"]),
        ("\u0643\u0650\u062a\u064e\u0627\u0628", ["\u0643\u062a\u0627\u0628"],
         ["\u0643\u062a\u0627\u0628"]),
        ("\u0939\u093f\u0928\u094d\u0926\u0940 \u4eca\u6708 \u0e44\u0e17\u0e22", [], []),
    ],
)  # fmt: skip
def test_the_other_spellings_of_a_text(text, asked, stored):
    """`email` would not find `e-mail`, nor `cafe` the café; or a flag would become a word."""
    assert asked_spellings(text) == asked
    assert stored_spellings(text) == stored


@given(st.text())
def test_a_document_offers_no_spelling_that_a_question_would_not_ask_for(text):
    """The index would grow by words that nobody can mean."""
    assert set(stored_spellings(text)) <= set(asked_spellings(text))


@given(st.text())
def test_a_spelling_is_a_word_like_any_other(text):
    """Something with a meaning in a query language would reach an engine."""
    for word in asked_spellings(text):
        assert 1 <= len(word) <= LONGEST_TERM
        assert all(char.isalnum() or unicodedata.category(char)[0] == "M" for char in word)


@given(st.text(), st.text())
def test_the_words_themselves_stand_first_and_in_their_order(title, text):
    """A phrase would run over a word that stands in no document."""
    plain = words(f"{title}\n{text}")
    assert search_text(title, text).split(" ")[: len(plain)] == (plain or [""])[: len(plain)]


@given(st.text())
def test_no_content_word_is_lost_to_a_spelling(text):
    """A long question would lose its last words to variants of the first."""
    content = terms(word for word in words(text) if word not in STOP)
    assert content_words(text)[: len(content)] == content
