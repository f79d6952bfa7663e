"""A transaction pooler in few lines: every transaction of a client goes to the next backend.

It does what poolers do in that mode and nothing for comfort: no memory of prepared statements, no
settings carried along, no cleaning between clients. Unix sockets only, no TLS, trusted roles.
"""

import asyncio
import struct
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

BACKENDS = 3
READY = b"Z"
# What makes the server answer with READY: the end of a pipeline, or a simple query.
ASKS = (b"S", b"Q")


class Pooler:
    """Listens in ``folder`` and speaks to the server of ``url``; ``used`` counts by backend."""

    def __init__(self, url: str, folder: Path) -> None:
        parts = urlsplit(url)
        own = parse_qs(parts.query)
        self._server = f"{own['host'][0]}/.s.PGSQL.{own['port'][0]}"
        self._user = unquote(parts.username or "")
        self._folder = folder
        self._free: asyncio.Queue[int] = asyncio.Queue()
        self._backends: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []
        self._clients: set[asyncio.StreamWriter] = set()
        self.used = [0] * BACKENDS
        self.url = f"postgresql://{self._user}@/postgres?host={folder}&port=6432"

    async def __aenter__(self) -> "Pooler":
        for number in range(BACKENDS):
            self._hello = await self._connect()
            self._free.put_nowait(number)
        socket = str(self._folder / ".s.PGSQL.6432")
        self._listening = await asyncio.start_unix_server(self._client, socket)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._listening.close()
        for writer in (*self._clients, *(writer for _, writer in self._backends)):
            writer.close()
        await asyncio.sleep(0.05)

    async def _connect(self) -> bytes:
        """What a backend says when it is entered, which is what a client is told."""
        reader, writer = await asyncio.open_unix_connection(self._server)
        said = f"user\0{self._user}\0database\0postgres\0client_encoding\0UTF8\0\0".encode()
        writer.write(struct.pack("!II", 8 + len(said), 196_608) + said)
        self._backends.append((reader, writer))
        hello = b""
        while True:
            kind, message = await self._message(reader)
            hello += message
            if kind == READY:
                return hello

    async def _client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._clients.add(writer)
        (length,) = struct.unpack("!I", await reader.readexactly(4))
        await reader.readexactly(length - 4)
        writer.write(self._hello)
        try:
            while True:
                kind, message = await self._message(reader)
                if kind == b"X":
                    break
                await self._transaction(kind, message, reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # the client has gone
        finally:
            self._clients.discard(writer)
            writer.close()

    async def _transaction(
        self,
        kind: bytes,
        message: bytes,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        """Hands one transaction to the backend that has rested longest."""
        number = await self._free.get()
        self.used[number] += 1
        answers, backend = self._backends[number]
        state = b"?"
        while state != b"I":
            backend.write(message)
            if kind in ASKS:
                state = await self._answer(answers, writer)
            if state != b"I":
                kind, message = await self._message(reader)
        self._free.put_nowait(number)

    async def _answer(self, answers: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
        """Passes on what the backend says until it is ready; the state of its transaction."""
        while True:
            kind, message = await self._message(answers)
            writer.write(message)
            if kind == READY:
                return message[-1:]

    async def _message(self, reader: asyncio.StreamReader) -> tuple[bytes, bytes]:
        head = await reader.readexactly(5)
        (length,) = struct.unpack("!I", head[1:])
        return head[:1], head + await reader.readexactly(length - 4)
