"""The MCP door over stdin and stdout. On stdout there are the protocol's lines and nothing else.

``claim`` comes before anything is imported that might print: the SDK diverts what is printed while
it serves, which is too late for a library that greets at import.
"""

import asyncio
import io
import logging
import os
import re
import sys
import threading
from collections.abc import AsyncIterator
from concurrent.futures import CancelledError
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, BinaryIO, TextIO, cast

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server


logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wire:
    """The client's two streams, on descriptors that no library and no child knows of."""

    reading: BinaryIO
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
        reading=os.fdopen(reading, "rb"),
        writing=io.TextIOWrapper(os.fdopen(writing, "wb"), encoding="utf-8", newline="\n"),
    )


async def serve_stdio(server: "Server[Any]", wire: Wire) -> None:
    """Serves the one client until it closes its end."""
    import anyio
    from mcp.server.stdio import stdio_server

    # At its lowest level it writes down each line that is no message, and a question may be in it.
    logging.getLogger("mcp.shared.jsonrpc_dispatcher").setLevel(logging.INFO)
    lines = cast("anyio.AsyncFile[str]", _Lines(wire.reading))
    try:
        async with stdio_server(lines, anyio.wrap_file(wire.writing)) as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())
    except* BrokenPipeError:
        logger.debug("the client stopped reading")


class _Lines:
    """The client's lines as text.

    They are read in a daemon thread, which keeps nobody from ending: a thread that waits for a line
    cannot be called off. Half a surrogate pair must not cost the client its answer: the SDK's
    parser drops such a line unanswered, and with NUL in its place the arguments are read and
    refused like any text that is none.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[str]:
        queue: asyncio.Queue[bytes] = asyncio.Queue(maxsize=16)
        loop = asyncio.get_running_loop()
        threading.Thread(target=_feed, args=(self._stream, queue, loop), daemon=True).start()
        while line := await queue.get():
            yield without_lone_surrogates(line.decode("utf-8", "replace"))


def _feed(stream: BinaryIO, queue: "asyncio.Queue[bytes]", loop: asyncio.AbstractEventLoop) -> None:
    """Every line, then b"", each once there is room for it."""
    try:
        for line in chain(stream, (b"",)):
            asyncio.run_coroutine_threadsafe(queue.put(line), loop).result()
    except (RuntimeError, CancelledError):
        logger.debug("the server ended before its client did")


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
