"""Reads a chat completion: the text a model wrote and what it counted, or ``Trouble``.

Takes any bytes at all. The text is still untrusted: the stages' admit functions judge it.
"""

import json
from dataclasses import dataclass

from esra.llm.openai.line import Answer
from esra.ports import Trouble

# Ends at which the text is cut off, withheld or stands elsewhere.
_UNFINISHED = ("length", "content_filter", "tool_calls", "function_call")
_MOST_TOKENS = 1_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """``tokens_in`` and ``tokens_out`` are 0 where the endpoint does not count."""

    text: str
    tokens_in: int
    tokens_out: int


def read_completion(answer: Answer) -> Completion:
    """The first choice of an answer of status 200."""
    if answer.kind != "application/json":
        raise Trouble("the endpoint answered with something that is not JSON")
    body = _read_object(answer.body)
    choice = _first(body.get("choices"))
    message = choice.get("message")
    text = message.get("content") if isinstance(message, dict) else None
    if not isinstance(text, str) or not text.strip():
        raise Trouble("the endpoint's answer holds no text")
    if choice.get("finish_reason") in _UNFINISHED:
        raise Trouble("the model did not finish its answer")
    tokens_in, tokens_out = _counted(body)
    return Completion(text=text, tokens_in=tokens_in, tokens_out=tokens_out)


def tokens_of(answer: Answer) -> tuple[int, int]:
    """(in, out) as the endpoint counts them, whatever else is wrong with its answer: it is paid."""
    try:
        return _counted(_read_object(answer.body))
    except Trouble:
        return 0, 0


def _counted(body: dict[str, object]) -> tuple[int, int]:
    usage = body.get("usage")
    counted = usage if isinstance(usage, dict) else {}
    return _count(counted.get("prompt_tokens")), _count(counted.get("completion_tokens"))


def _read_object(body: bytes) -> dict[str, object]:
    try:
        value = json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise Trouble("the endpoint's answer is not whole JSON") from error
    if not isinstance(value, dict):
        raise Trouble("the endpoint's answer is no completion")
    return value


def _first(choices: object) -> dict[str, object]:
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise Trouble("the endpoint's answer holds no choice")
    return choices[0]


def _count(value: object) -> int:
    return value if type(value) is int and 0 <= value <= _MOST_TOKENS else 0
