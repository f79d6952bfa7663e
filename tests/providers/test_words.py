"""Text is split alike in a document and in a question, within the bounds an engine can take."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from esra.sources.relation import (
    LONGEST_TERM,
    MOST_TERMS,
    search_text,
    terms,
    within_bounds,
    words,
)
from tests.providers.hostile import KNOWN


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("COVID-19", ["covid", "19"]),
        ("numpy.linspace(0, 1)", ["numpy", "linspace", "0", "1"]),
        ("src/app/main.py", ["src", "app", "main", "py"]),
        ("snake_case x2", ["snake", "case", "x2"]),
        ("e\u0301cole \u00c9COLE", ["\u00e9cole", "\u00e9cole"]),
        ("\uff26\uff35\uff2c\uff2c \u2460 \u216b", ["full", "1", "xii"]),
        ("zero\u200bwidth soft\u00adhyphen", ["zerowidth", "softhyphen"]),
        ("\u0939\u093f\u0928\u094d\u0926\u0940", ["\u0939\u093f\u0928\u094d\u0926\u0940"]),
        (
            "\u4eca\u6708\u306e\u58f2\u4e0aQ3",
            ["\u4eca\u6708", "\u6708\u306e", "\u306e\u58f2", "\u58f2\u4e0a", "q3"],
        ),
        ("\u6c34", ["\u6c34"]),
        ("\u0301 lone mark", ["lone", "mark"]),
        ("\U0001f600 --- ;;", []),
        ("a\0b \ud800c", ["a", "b", "c"]),
        ("x" * 70, ["x" * 64]),
    ],
)
def test_the_words_of_a_text(text, expected):
    """A question would be split otherwise than the document that answers it."""
    assert words(text) == expected


@given(st.text())
def test_every_word_is_letters_digits_and_marks_within_bounds(text):
    """Something with a meaning in a query language would reach an engine."""
    for word in words(text):
        assert 1 <= len(word) <= LONGEST_TERM
        assert all(char.isalnum() or unicodedata.category(char)[0] == "M" for char in word)


@given(st.text())
def test_the_words_of_words_are_themselves(text):
    """A term that went through twice would be another term."""
    once = [word for word in words(text) if len(word) != 2]  # pairs overlap
    assert [again for word in once for again in words(word)] == once


@given(st.text(), st.text())
def test_what_stands_in_a_document_can_be_asked_for(title, text):
    """A word would be in the index and yet out of reach."""
    indexed = search_text(title, text).split(" ")
    assert set(words(title)) | set(words(text)) <= set(indexed) | {""}


@given(st.lists(st.text()))
def test_terms_fit_into_one_query(texts):
    """A long question would make a command that no engine takes."""
    made = terms([*texts, *KNOWN])
    assert len(set(made)) == len(made) <= MOST_TERMS
    assert within_bounds(made)


def test_the_longest_words_are_cut_to_what_the_validator_lets_through():
    """A question of 64 long words would be planned whole and then dropped whole."""
    made = terms(f"w{number:063}" for number in range(64))
    assert len(made) == 63
    assert within_bounds(made)


def test_terms_are_the_first_ones_once_each():
    """A repeated word would push others out of the question."""
    assert terms(["red Brick", "red-house"]) == ("red", "brick", "house")
    assert terms([" ".join(f"w{n}" for n in range(100))]) == tuple(f"w{n}" for n in range(64))


@pytest.mark.parametrize(
    ("texts", "fits"),
    [
        (["a"] * 64, True),
        (["a"] * 65, False),
        (["a" * 64], True),
        (["a" * 65], False),
        (["\u00e9" * 32] * 63, True),  # 4,095 bytes with a space after each
        (["\u00e9" * 32] * 62 + ["\u00e9" * 33], False),
    ],
)
def test_the_bounds_of_a_query(texts, fits):
    """A statement timeout does not bound the parsing of a text: these numbers do."""
    assert within_bounds(texts) is fits
