"""Any bytes at all: a completion's text, or Trouble, and never anything else."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from esra.llm.openai.completion import read_completion
from esra.llm.openai.line import Answer
from esra.ports import Trouble
from tests.llm.double import completion

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["choices", "message", "content", "finish_reason", "usage", "x"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


def answer(body: bytes) -> Answer:
    return Answer(status=200, kind="application/json", wait=None, body=body)


def read(body: bytes) -> str | None:
    """The text, None for Trouble; anything else fails the test."""
    try:
        text = read_completion(answer(body)).text
    except Trouble:
        return None
    assert isinstance(text, str)
    return text


@given(st.binary(max_size=200))
def test_no_bytes_break_it(body: bytes):
    """Else an endpoint could end an invocation with an answer that nobody thought of."""
    read(body)


@given(VALUES)
def test_no_json_breaks_it(value: object):
    """Else one unusual type in the envelope would be an error inside the runtime."""
    read(json.dumps(value).encode())


@given(VALUES, VALUES, VALUES)
def test_no_envelope_breaks_it(message: object, reason: object, usage: object):
    """Else the odd envelope of one server would be an error and not a fallback."""
    choice = {"message": message, "finish_reason": reason}
    read(json.dumps({"choices": [choice], "usage": usage}).encode())


@pytest.mark.parametrize("text", ["{}", " x ", "😀", "a\ud800b"])
def test_the_text_is_handed_on_as_it_came(text: str):
    """Else a checker further on would judge other words than the model's."""
    assert read(completion(text)) == text


@pytest.mark.parametrize(
    ("counted", "expected"),
    [
        ({"prompt_tokens": 7, "completion_tokens": 9}, (7, 9)),
        ({"prompt_tokens": True, "completion_tokens": 1.5}, (0, 0)),
        ({"prompt_tokens": -1, "completion_tokens": 10**12}, (0, 0)),
        (None, (0, 0)),
        ([7, 9], (0, 0)),
    ],
)
def test_tokens_are_counted_where_they_are_numbers(counted: object, expected: tuple[int, int]):
    """Else a sum of costs would hold a word, or a number from nowhere."""
    body = json.dumps({**json.loads(completion("{}")), "usage": counted}).encode()
    read_it = read_completion(answer(body))
    assert (read_it.tokens_in, read_it.tokens_out) == expected
