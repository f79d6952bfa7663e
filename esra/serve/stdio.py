"""The MCP door over stdin and stdout. On stdout there are the protocol's lines and nothing else.

``claim`` comes before anything is imported that might print: the SDK diverts what is printed while
it serves, which is too late for a library that greets at import.
"""

import io
import os
import re
import sys
from collections.abc import AsyncIterable, AsyncIterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TextIO, cast

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server


@dataclass(frozen=True, slots=True, kw_only=True)
class Wire:
    """The client's two streams, on descriptors that no library and no child knows of."""

    reading: TextIO
    writing: TextIO


def claim() -> Wire:
    """From here on descriptor 0 gives nothing, and 1 and ``sys.stdout`` lead to stderr."""
    sys.stdout.flush()
    reading, writing = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return Wire(
        reading=io.TextIOWrapper(os.fdopen(reading, "rb"), encoding="utf-8", errors="replace"),
        writing=io.TextIOWrapper(os.fdopen(writing, "wb"), encoding="utf-8", newline="\n"),
    )


async def serve_stdio(server: "Server[Any]", wire: Wire) -> None:
    """Serves the one client until it closes its end."""
    import anyio
    from mcp.server.stdio import stdio_server

    lines = cast("anyio.AsyncFile[str]", _Readable(anyio.wrap_file(wire.reading)))
    async with stdio_server(lines, anyio.wrap_file(wire.writing)) as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


class _Readable:
    """Lines in which half a surrogate pair does not cost the client its answer.

    The SDK's parser drops such a line unanswered; with NUL in its place the arguments are read and
    refused like any text that is none.
    """

    def __init__(self, lines: AsyncIterable[str]) -> None:
        self._lines = lines

    async def __aiter__(self) -> AsyncIterator[str]:
        async for line in self._lines:
            yield without_lone_surrogates(line)


# An escaped backslash (which escapes nothing after it), a pair, or half of one.
_ESCAPE = re.compile(
    r"\\\\"
    r"|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|\\u[dD][89a-fA-F][0-9a-fA-F]{2}"
)


def without_lone_surrogates(line: str) -> str:
    """The JSON text with each unpaired surrogate escape as an escaped NUL."""
    return _ESCAPE.sub(_whole, line)


def _whole(found: re.Match[str]) -> str:
    text = found.group()
    return "\\u0000" if len(text) == len("\\ud800") else text
