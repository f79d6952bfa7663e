"""Clients that come, ask and vanish leave neither sockets nor memory behind."""

import json
import os
import socket
import sys
from pathlib import Path

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.serve.calls import BEGIN, CALL, MODERN
from tests.serve.doors import ERAS, run
from tests.serve.measured import LONG, Measured, loaded, settled

CYCLES = 2_000 if LONG else 200
STARTS = 20 if LONG else 2

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/fd").exists(), reason="only Linux says what a process holds"
)


def drop(url: str, message: dict, headers: dict, read: bool) -> bytes:
    """Connects, sends, reads the beginning of the answer or not, and is gone."""
    host, _, port = url.removeprefix("http://").partition(":")
    body = json.dumps(message).encode()
    head = {
        "Host": f"{host}:{port}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "Content-Length": str(len(body)),
        **headers,
    }
    lines = "".join(f"{key}: {value}\r\n" for key, value in head.items())
    with socket.create_connection((host, int(port)), timeout=10) as own:
        own.sendall(f"POST /mcp HTTP/1.1\r\n{lines}\r\n".encode() + body)
        return own.recv(65_536) if read else b""


def test_thousands_of_clients_that_vanish_leave_nothing_behind():
    """A server would have to be restarted every night, and nobody would know why."""
    with loaded() as server:
        descriptors = server.descriptors()
        for _ in range(50):
            assert drop(server.url, CALL, MODERN, read=True).startswith(b"HTTP/1.1 200")
        assert drop(server.url, BEGIN, {}, read=True).startswith(b"HTTP/1.1 200")
        memory = server.memory()
        for number in range(CYCLES):
            drop(server.url, CALL, MODERN, read=bool(number % 2))
            if number % 10 == 0:
                drop(server.url, BEGIN, {}, read=bool(number % 20))
        assert settled(server.descriptors, descriptors) <= descriptors
        assert server.memory() < memory * 1.10
        assert drop(server.url, CALL, MODERN, read=True).startswith(b"HTTP/1.1 200")


def children() -> set[str]:
    """Processes that this one has started and that are still there."""
    return set(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split())


@pytest.mark.parametrize("era", ERAS)
def test_programs_that_clients_start_end_with_them(era):
    """Each restart of an editor would leave a process and its pipes."""
    talker = str(Path(__file__).with_name("talker.py"))
    own = Measured(os.getpid())

    async def cycle():
        with open(os.devnull, "w") as nothing:
            command = StdioServerParameters(command=sys.executable, args=[talker])
            async with Client(stdio_client(command, errlog=nothing), mode=era) as client:
                result = await client.call_tool("esra_ask", {"prompt": "wing"})
                assert not result.is_error

    before, running = own.descriptors(), children()
    for _ in range(STARTS // 2):
        run(cycle())
    assert own.descriptors() <= before
    assert children() <= running
