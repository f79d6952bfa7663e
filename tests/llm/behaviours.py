"""What endpoints and models do wrong, one function each: every one of them costs its step."""

from __future__ import annotations

import gzip
import json
import socket
import struct
from collections.abc import Callable

from tests.llm.double import KEY, Asked, Behaviour, Line, completion, good, wise

LONG = 5.0  # seconds, more than any test waits


def says(text: object, **choice: object) -> Behaviour:
    """Answers properly, with this as the model's text."""
    return lambda line, asked: line.answer(completion(text, **choice))


def rewrites(change: Callable[[str], object]) -> Behaviour:
    """Answers properly, with a good reply made otherwise."""
    return lambda line, asked: line.answer(completion(change(wise(asked))))


def bare(body: bytes, **more) -> Behaviour:
    return lambda line, asked: line.answer(body, **more)


def drips(first: bytes) -> Behaviour:
    """A byte every twentieth of a second, for longer than anybody waits."""

    def behave(line: Line, asked: Asked) -> None:
        line.wfile.write(first)
        for _ in range(int(LONG * 20)):
            if line.server.over.wait(0.05):
                break
            line.wfile.write(b" ")
        line.close_connection = True

    return behave


def says_nothing(line: Line, asked: Asked) -> None:
    line.server.over.wait(LONG)
    line.close_connection = True


def hangs_up(line: Line, asked: Asked) -> None:
    line.close_connection = True


def resets(line: Line, asked: Asked) -> None:
    """Ends with a reset and not with a proper end."""
    line.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    line.connection.close()
    line.close_connection = True


def raw(content: bytes) -> Behaviour:
    def behave(line: Line, asked: Asked) -> None:
        line.wfile.write(content)
        line.close_connection = True

    return behave


def cut_off(line: Line, asked: Asked) -> None:
    """Announces more than it sends."""
    body = completion(wise(asked))
    head = f"Content-Type: application/json\r\nContent-Length: {len(body) + 50}\r\n\r\n"
    line.wfile.write(b"HTTP/1.1 200 OK\r\n" + head.encode() + body)
    line.close_connection = True


def redirects(line: Line, asked: Asked) -> None:
    """To a place where a good answer waits for whoever follows."""
    if asked.path.endswith("/elsewhere"):
        good(line, asked)
    else:
        line.answer(b"", status=307, headers={"Location": "/elsewhere"})


def finishes(reason: object) -> Behaviour:
    return lambda line, asked: line.answer(completion(wise(asked), finish_reason=reason))


def squeezed(padding: int) -> Behaviour:
    """A body that is a thousand times larger than it looks where there is much padding."""

    def behave(line: Line, asked: Asked) -> None:
        body = gzip.compress(b" " * padding + completion(wise(asked)), 1)
        line.answer(body, headers={"Content-Encoding": "gzip"})

    return behave


def huge(line: Line, asked: Asked) -> None:
    line.answer(b" " * 5_000_000 + completion(wise(asked)))


def sends_key_back(line: Line, asked: Asked) -> None:
    reply = {"sources": [KEY], "queries": [{"mapping": KEY, "strategy": "keyword"}], "scores": []}
    line.answer(completion(json.dumps(reply)))


HTML = b"<!doctype html><title>502</title><h1>Bad gateway</h1>" + KEY.encode()
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"

# Whole answers with a text that is no reply. Each costs its step, and nothing but its step.
TEXTS: dict[str, Behaviour] = {
    "truncated JSON": rewrites(lambda text: text[:-2]),
    "prose": says("Of course! Here are the sources you asked for."),
    "prose around JSON": rewrites(lambda text: f"Here you are:\n{text}"),
    "two fences": rewrites(lambda text: f"```json\n```json\n{text}\n```\n```"),
    "wrong types": says('{"sources": 7, "queries": "all", "scores": {"a": 1}}'),
    "rows of wrong types": says('{"sources": [7], "queries": [7], "scores": 7}'),
    "wrong schema": says('{"answer": ["news"]}'),
    "not a number": says('{"sources": [NaN], "queries": [NaN], "scores": [NaN]}'),
    "a key twice": rewrites(lambda text: text[:-1] + "," + text[1:]),
    "deep nesting": says("[" * 100_000),
}

# What is no whole answer. The same holds of these.
EXCHANGES: dict[str, Behaviour] = {
    "no text": says(""),
    "null text": says(None),
    "text in parts": says([{"type": "text", "text": "{}"}]),
    "cut at the length": finishes("length"),
    "withheld": finishes("content_filter"),
    "a byte at a time": drips(HEAD + b"Content-Length: 1000\r\n\r\n{"),
    "slow headers": drips(b"HTTP/1.1 200 OK\r\nX-Slow: "),
    "silence": says_nothing,
    "an HTML page": bare(HTML, kind="text/html"),
    "an HTML page called JSON": bare(HTML),
    "an HTML error page": bare(HTML, status=502, kind="text/html"),
    "plain text": lambda line, asked: line.answer(completion(wise(asked)), kind="text/plain"),
    "status 500": bare(b'{"error": {"message": "oops"}}', status=500),
    "status 401": bare(b'{"error": {"message": "bad key"}}', status=401),
    "status 204": raw(b"HTTP/1.1 204 No Content\r\n\r\n"),
    "too many requests": bare(b"{}", status=429),
    "too many for an hour": bare(b"{}", status=429, headers={"Retry-After": "3600"}),
    "too many, for ever": bare(b"{}", status=429, headers={"Retry-After": "0"}),
    "every parameter refused": bare(b'{"error": {"message": "no"}}', status=400),
    "reset": resets,
    "end without an answer": hangs_up,
    "cut off": cut_off,
    "not HTTP": raw(b"SSH-2.0-OpenSSH_9.9\r\n" * 20),
    "endless headers": raw(b"HTTP/1.1 200 OK\r\n" + b"X-More: 1\r\n" * 50_000),
    "empty body": bare(b""),
    "huge body": huge,
    "compressed body": squeezed(0),
    "blown-up body": squeezed(50_000_000),
    "not UTF-8": bare(b'{"choices": [{"message": {"content": "\xff\xfe"}}]}'),
    "UTF-16": lambda line, asked: line.answer(completion(wise(asked)).decode().encode("utf-16")),
    "a list": bare(b"[]"),
    "no choices": bare(b'{"choices": []}'),
    "choices of a wrong type": bare(b'{"choices": {"0": {}}}'),
    "no message": bare(b'{"choices": [{"text": "{}"}]}'),
    "redirect": redirects,
    "the key sent back": sends_key_back,
}
