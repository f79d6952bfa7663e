"""Asks one endpoint one question, within one time, and learns which parameters it takes.

Every endpoint lacks some: structured output, bounds in it, a seed, a temperature of 0, a limit on
the answer. What a refusal names is left out and asked again; what is known to be refused is not
sent again.
"""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass

from esra.domain.usage import Usage
from esra.llm.openai.completion import read_completion, tokens_of
from esra.llm.openai.endpoint import Endpoint
from esra.llm.openai.forms import BOUNDS, Form, unbounded
from esra.llm.openai.line import Answer, Line
from esra.ports import Reply, Trouble

_REFUSED = (400, 422)  # what servers say to a parameter they do not take
_BUSY = (429, 503)  # what may come with a time to wait
_MOST_WAITS = 2
_TOO_LONG = (b"context length", b"context_length", b"context size", b"context_size")

_BOUNDS = "bounds"
# What may be left out -> the words by which refusals name it.
_OPTIONAL: Mapping[str, tuple[bytes, ...]] = {
    _BOUNDS: tuple(bound.lower().encode() for bound in BOUNDS),
    "response_format": (b"response_format", b"json_schema", b"structured output"),
    "seed": (b"seed",),
    "temperature": (b"temperature",),
    "max_tokens": (b"max_tokens",),
}

_FORM = (_BOUNDS, "response_format")  # in the order in which they are given up


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """``rules`` is a prompt file's text, ``data`` a fenced brief, ``form`` the reply's schema."""

    name: str
    rules: str
    data: str
    form: Form


class _Bill:
    """What one question has cost so far: requests, tokens (in, out), and since when."""

    def __init__(self) -> None:
        self.calls, self.tokens, self.started = 0, (0, 0), time.perf_counter()


class Chat:
    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._line = Line(endpoint)
        self._untaken: frozenset[str] = frozenset()

    async def ask(self, question: Question) -> Reply:
        """What the model wrote, unjudged; ``Trouble`` where it wrote nothing whole in time."""
        bill = _Bill()
        try:
            async with asyncio.timeout(self._endpoint.timeout):
                answer = await self._answer(question, bill)
            bill.tokens = tokens_of(answer)
            completion = read_completion(answer)
        except TimeoutError:
            raise Trouble("no answer in time", usage=self._usage(bill)) from None
        except Trouble as trouble:
            trouble.usage = self._usage(bill)
            raise
        return Reply(text=completion.text, usage=self._usage(bill))

    def _usage(self, bill: _Bill) -> Usage:
        tokens_in, tokens_out = bill.tokens
        return Usage(
            calls=bill.calls,
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            seconds=time.perf_counter() - bill.started,
            cost=self._endpoint.cost(tokens_in, tokens_out),
        )

    async def close(self) -> None:
        await self._line.close()

    async def _answer(self, question: Question, bill: _Bill) -> Answer:
        """The first answer of status 200; every request that is sent stands on the bill."""
        deadline = asyncio.get_running_loop().time() + self._endpoint.timeout
        without, waits = self._untaken, 0
        while True:
            bill.calls += 1
            answer = await self._line.post(self._document(question, without))
            if answer.status == 200:
                # Only now: a refusal that stays was about something else, an overlong prompt say.
                self._untaken |= without
                return answer
            if answer.status in _REFUSED and len(without) < len(_OPTIONAL):
                without |= refused(answer.body, without)
            elif answer.status in _BUSY and answer.wait is not None and waits < _MOST_WAITS:
                waits += 1
                await _wait(answer.wait, deadline)
            else:
                raise Trouble(f"the endpoint answered with status {answer.status}")

    def _document(self, question: Question, without: frozenset[str]) -> dict[str, object]:
        schema = unbounded(question.form) if _BOUNDS in without else question.form
        form = {"name": question.name, "strict": True, "schema": schema}
        optional: dict[str, object] = {
            "response_format": {"type": "json_schema", "json_schema": form},
            "temperature": 0,
            "max_tokens": self._endpoint.max_tokens,
        }
        if self._endpoint.seed is not None:
            optional["seed"] = self._endpoint.seed
        return {
            "model": self._endpoint.model,
            "messages": [
                {"role": "system", "content": question.rules},
                {"role": "user", "content": question.data},
            ],
            **{name: value for name, value in optional.items() if name not in without},
        }


def refused(body: bytes, without: frozenset[str]) -> frozenset[str]:
    """What to leave out besides ``without``: what the refusal names, the bounds before the form.

    One that names nothing costs the bounds, then the form, then all others; one that speaks of the
    question's length is about none of them.
    """
    said = body.lower()
    if any(word in said for word in _TOO_LONG):
        raise Trouble("the question is too long for the endpoint")
    left = _OPTIONAL.keys() - without
    named = {name for name in left if any(word in said for word in _OPTIONAL[name])}
    form = [name for name in _FORM if name in left]
    if form and (not named or named & set(_FORM)):
        return frozenset(form[:1])
    return frozenset(named or left)


async def _wait(seconds: float, deadline: float) -> None:
    if asyncio.get_running_loop().time() + seconds >= deadline:
        raise Trouble("the endpoint is busy for longer than there is time")
    await asyncio.sleep(seconds)
