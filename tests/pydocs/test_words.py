"""Texts are compared by their words, and a phrase is cut wherever it stands."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.pydocs.words import Cutter, phrase


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Return the sum.", ("return", "sum")),
        ("Returns  a `sum`", ("return", "sum")),
        ("Compute the n-th class", ("compute", "n", "th", "class")),
        ("His axis is", ("his", "axi", "is")),
        ("set_the_limits", ("set", "limit")),
        ("", ()),
    ],
)
def test_the_compared_form(text: str, words: tuple[str, ...]) -> None:
    """Else a repeated summary would escape by a comma or a third person."""
    assert phrase(text) == words


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Return evenly spaced numbers. Rest.", "Rest."),
        ("It returns the evenly-spaced\nnumbers: see below.", "It see below."),
        ("RETURN EVENLY SPACED NUMBER", ""),
        ("Return evenly spacednumbers of all", "of all"),
        ("Return evenly spaced numbersand more", "more"),
        ("Return evenly spaced", "Return evenly spaced"),
        ("We return evenly spaced numbers", "We"),
        ("Evenly spaced numbers return", "Evenly spaced numbers return"),
        # What one cut joins is cut again.
        ("Return evenly return evenly spaced numbers spaced numbers.", ""),
    ],
)
def test_a_phrase_is_cut_however_it_is_written(text: str, left: str) -> None:
    """Else a query would find its own sentence."""
    assert Cutter([phrase("Return evenly spaced numbers")]).cut(text) == left


def test_a_short_phrase_is_refused() -> None:
    """Else cutting "Set" would empty every text."""
    with pytest.raises(ValueError, match="fewer than 4 letters"):
        Cutter([("set",)])


@given(st.lists(st.sampled_from("xyz .,-\n"), max_size=40).map("".join))
def test_nothing_of_the_phrase_is_left(text: str) -> None:
    """Else a cut could leave, or make, the sentence it takes out."""
    cutter = Cutter([("x", "y", "x", "z"), ("y", "y", "y", "y")])
    assert not cutter.holds(cutter.cut(text))
