"""What endpoints and models do otherwise than asked, and may: ``HOLDS`` costs nothing, ``BENDS`` is
taken in part.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from tests.llm.behaviours import HEAD, finishes, rewrites, says
from tests.llm.double import Asked, Behaviour, Line, completion, good, wise


def refuses_once(*names: str) -> Behaviour:
    """400 while one of these parameters is there, naming the first it meets."""

    def behave(line: Line, asked: Asked) -> None:
        met = next((name for name in names if name in asked.document), None)
        if met is None:
            return good(line, asked)
        said = {"error": {"message": f"Unsupported parameter: '{met}'", "param": met}}
        return line.answer(json.dumps(said).encode(), status=400)

    return behave


def refuses_the_form(line: Line, asked: Asked) -> None:
    """422, and does not say what it dislikes."""
    if "response_format" in asked.document:
        line.answer(b'{"detail": "unprocessable"}', status=422)
    else:
        good(line, asked)


def refuses_bounds(line: Line, asked: Asked) -> None:
    """Takes a form, though none with bounds, and names both."""
    if b"maxItems" in asked.body or b"maxLength" in asked.body:
        line.answer(b'{"error": {"message": "response_format: no maxItems"}}', status=400)
    else:
        good(line, asked)


def busy_once(status: int, wait: str) -> Behaviour:
    """Asks to wait at every odd request."""

    def behave(line: Line, asked: Asked) -> None:
        if sum(each.body == asked.body for each in line.server.asked) % 2:
            line.answer(b"{}", status=status, headers={"Retry-After": wait})
        else:
            good(line, asked)

    return behave


def chunked(line: Line, asked: Asked) -> None:
    line.wfile.write(HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
    for byte in completion(wise(asked)):
        line.wfile.write(b"1\r\n" + bytes([byte]) + b"\r\n")
    line.wfile.write(b"0\r\n\r\n")


def counts_nonsense(line: Line, asked: Asked) -> None:
    usage = {"prompt_tokens": -5, "completion_tokens": "many", "total_tokens": 1e400}
    body = json.loads(completion(wise(asked)))
    line.answer(json.dumps({**body, "usage": usage}).encode())


# Each is put up with: the answer is as good as any.
HOLDS: dict[str, Behaviour] = {
    "good": good,
    "fenced": rewrites(lambda text: f"```json\n{text}\n```"),
    "nested once": rewrites(lambda text: f"[{text}]"),
    "a bare list": rewrites(lambda text: json.dumps(next(iter(json.loads(text).values())))),
    "the form refused": refuses_once("response_format"),
    "the form refused without a word": refuses_the_form,
    "bounds refused": refuses_bounds,
    "the seed refused": refuses_once("seed"),
    "everything refused, one by one": refuses_once(
        "temperature", "max_tokens", "seed", "response_format"
    ),
    "busy for no time": busy_once(429, "0"),
    "down for no time": busy_once(503, "0"),
    "busy until a time past": busy_once(429, "Thu, 01 Jan 1970 00:00:00 GMT"),
    "in chunks": chunked,
    "counts that are none": counts_nonsense,
    "a charset": lambda line, asked: line.answer(
        completion(wise(asked)), kind="application/json; charset=utf-8"
    ),
    "no reason to finish": finishes(None),
    "a reason of a wrong type": finishes(["length"]),
}


def scored(change: Callable[[list[dict]], list[dict]]) -> Behaviour:
    """A good reply with its scores changed; the first is of the title a by weight."""
    return rewrites(lambda text: json.dumps({"scores": change(json.loads(text)["scores"])}))


def planned(**more: object) -> Behaviour:
    """A good plan whose one query says this besides."""

    def change(text: str) -> str:
        queries = json.loads(text)["queries"]
        return json.dumps({"queries": [{**query, **more} for query in queries]})

    return rewrites(change)


def filtered(field: str) -> Behaviour:
    return planned(filters=[{"field": field, "operator": "eq", "value": "1"}])


# Well-formed replies that say too much: (step, behaviour, the warnings). Nothing they name that was
# not offered is searched, shown or scored.
BENDS: dict[str, tuple[str, Behaviour, list[str]]] = {
    "invented sources": (
        "select",
        says('{"sources": ["LAW", " law", "law\\u0000", "payroll", "news", "hidden_schema"]}'),
        [],
    ),
    "a source twice": ("select", says('{"sources": ["law", "law"]}'), []),
    "no source": ("select", says('{"sources": []}'), []),
    "an invented mapping": ("plan", planned(mapping="hidden_table"), ["ESRA_PLAN_REJECTED"] * 3),
    "an invented field": ("plan", filtered("hidden_key"), ["ESRA_PLAN_REJECTED"] * 3),
    "a limit over policy": ("plan", planned(limit=10**9), ["ESRA_PLAN_REJECTED"] * 3),
    "a comment in a term": ("plan", planned(optional=["a;--"]), ["ESRA_PLAN_REJECTED"] * 3),
    "nested too often": ("rerank", rewrites(lambda t: f"[[{t}]]"), ["ESRA_RERANK_INCOMPLETE"]),
    "results invented": (
        "rerank",
        scored(lambda rows: [{**row, "resultId": "0" * 16} for row in rows]),
        ["ESRA_RERANK_INCOMPLETE"],
    ),
    "a result twice": ("rerank", scored(lambda rows: rows + rows[:1]), ["ESRA_RERANK_INCOMPLETE"]),
    "a result left out": ("rerank", scored(lambda rows: rows[1:]), ["ESRA_RERANK_INCOMPLETE"]),
    "a score out of range": (
        "rerank",
        scored(lambda rows: [{**rows[0], "score": 1.5}, *rows[1:]]),
        ["ESRA_RERANK_INCOMPLETE"],
    ),
    "a score that is a word": (
        "rerank",
        scored(lambda rows: [{**rows[0], "score": "1.0"}, *rows[1:]]),
        ["ESRA_RERANK_INCOMPLETE"],
    ),
    "results no one asked for": (
        "rerank",
        scored(lambda rows: [*rows, {"resultId": "law/hidden_table/x", "score": 1}]),
        [],
    ),
}
