"""Raw sockets that do what no client does: the service answers, closes, and goes on."""

import contextlib
import socket
import time

import httpx2
import pytest

from esra.serve import server
from esra.serve.edge import Bounds
from esra.serve.http import Front
from esra.serve.server import Listen, PromptProtocol
from tests.house import FakeEngine
from tests.serve.doors import door, listening, served_house

HEAD = b"POST /v1/retrieve HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
BODY = b'{"exposure":"ask","prompt":"wing"}'
SOON = 0.5  # stands for every waiting time
GET = b"GET /metrics HTTP/1.1\r\n"
LAST = b"Connection: close\r\n\r\n"
CHUNK = b"10000\r\n" + b"x" * 65_536 + b"\r\n"
TLS = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 9 + b"\r\n\r\n"


@contextlib.contextmanager
def impatient(own):
    """The address of this door behind the real protocol, with every waiting time short."""
    before = server.HEAD_SECONDS, server.LEAVE_SECONDS
    server.HEAD_SECONDS = server.LEAVE_SECONDS = SOON
    how = Listen()
    try:
        with listening(
            own,
            Front(bounds=Bounds(arrive=SOON)),
            http=PromptProtocol,
            h11_max_incomplete_event_size=how.head,
            timeout_keep_alive=5,
        ) as found:
            yield found
    finally:
        server.HEAD_SECONDS, server.LEAVE_SECONDS = before


@pytest.fixture(scope="module")
def url():
    with impatient(door()) as found:
        yield found


def connect(url: str) -> socket.socket:
    host, _, port = url.removeprefix("http://").partition(":")
    return socket.create_connection((host, int(port)), timeout=5)


def everything(own: socket.socket) -> bytes:
    """What comes until the other side closes; fails where it does not."""
    found = b""
    try:
        while part := own.recv(65_536):
            found += part
    except ConnectionResetError:
        return found  # closed while bytes of ours were still on their way
    return found


def knock(url: str, *parts: bytes, pause: float = 0.0) -> bytes:
    with connect(url) as own:
        for part in parts:
            try:
                own.sendall(part)
            except (BrokenPipeError, ConnectionResetError):
                break
            time.sleep(pause)
        return everything(own)


def send_for(seconds: float, own: socket.socket, data: bytes) -> None:
    """Sends whenever there is room, and reads nothing."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with contextlib.suppress(BlockingIOError):
            own.send(data)
        time.sleep(0.02)


def length(count: int) -> bytes:
    return b"Content-Length: %d\r\n" % count


HOSTILE = {
    "a body that never comes": ((HEAD + length(40) + b"\r\n",), b"408"),
    "a body in drops": ((HEAD + length(40) + b"\r\n", *([b"x"] * 12)), b"408"),
    "a body without an end": (
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", *([CHUNK] * 8)),
        b"413",
    ),
    "a length that is a lie": ((HEAD + length(10**15) + b"\r\n",), b"413"),
    "a length below nothing": ((HEAD + b"Content-Length: -1\r\n\r\n",), b"400"),
    "two lengths": ((HEAD + length(5) + length(6) + b"\r\nhello!",), b"400"),
    "a length and chunks": (
        (HEAD + length(5) + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",),
        (b"400", b"408"),
    ),
    "headers without an end": ((HEAD, *([b"X-A: " + b"a" * 8_000 + b"\r\n"] * 8)), b"400"),
    "a head in one piece": ((HEAD + length(0) + b"X-A: " + b"a" * 40_000 + b"\r\n\r\n",), b"431"),
    "another host": ((GET + b"Host: evil.example\r\n" + LAST,), b"421"),
    "no host": ((GET + LAST,), b"400"),
    "two hosts": ((GET + b"Host: localhost\r\nHost: evil.example\r\n" + LAST,), b"400"),
    "another page": ((GET + b"Host: localhost\r\nOrigin: http://evil.example\r\n" + LAST,), b"403"),
    "no HTTP at all": ((TLS,), b"400"),
    "a proxy's request": (
        (b"CONNECT evil.example:443 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",),
        (b"400", b"404", b"405"),
    ),
    "garbage behind a request": (
        (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n\x00\xff\r\n\r\n",),
        b"200",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_each_gets_its_answer_and_its_connection_is_closed(url, name):
    """One connection that is held for ever is one that nobody else can have."""
    parts, statuses = HOSTILE[name]
    found = knock(url, *parts, pause=0.05 if len(parts) > 9 else 0.0)
    assert found.startswith(b"HTTP/1.1 "), found
    assert found[9:12] in (statuses if isinstance(statuses, tuple) else (statuses,)), found
    assert b"Traceback" not in found
    assert httpx2.get(f"{url}/healthz").status_code == 200


def test_a_head_that_comes_in_drops_is_not_waited_for(url):
    """A byte now and then would hold a connection for ever."""
    started = time.monotonic()
    found = knock(url, *[bytes([byte]) for byte in HEAD[:20]], pause=0.05)
    assert found == b""
    assert time.monotonic() - started < 4


def test_nor_is_the_head_of_a_second_request(url):
    """The same, behind one good request."""
    with connect(url) as own:
        own.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        time.sleep(0.1)
        own.sendall(b"GET /healthz HTTP/1.1\r\nX: ")
        found = everything(own)
    assert found.count(b"HTTP/1.1 200") == 1


def test_requests_in_one_go_are_answered_in_their_order(url):
    """A second request in the same packet is no attack."""
    own = HEAD + length(len(BODY)) + b"\r\n" + BODY
    last = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    found = knock(url, own + own + last)
    assert found.count(b"HTTP/1.1 200") == 3
    assert found.index(b'"results"') < found.index(b'"alive"')


def test_a_refused_body_is_not_read_as_the_next_request(url):
    """A request hidden in a body would pass whatever stands before us."""
    hidden = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"
    found = knock(url, HEAD + length(10**9) + b"\r\n" + hidden)
    assert found.count(b"HTTP/1.1 ") == 1


def test_a_call_behind_another_request_is_not_taken_for_a_missing_head():
    """Who sends two requests in one packet would lose the answer to a long call."""
    quiet = served_house().providers["fake"].script
    slow = served_house(engine=FakeEngine(quiet, delay=lambda source: 2 * SOON))
    own = HEAD + length(len(BODY)) + b"Connection: close\r\n\r\n" + BODY
    with impatient(door(slow)) as url:
        found = knock(url, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n" + own)
    assert found.count(b"HTTP/1.1 200") == 2
    assert b'"results"' in found


def test_who_asks_and_never_reads_is_cut_off(url):
    """A closing that waits until everything is taken holds a connection for ever."""
    asking = b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * 20
    host, _, port = url.removeprefix("http://").partition(":")
    with socket.socket() as own:
        own.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        own.connect((host, int(port)))
        own.setblocking(False)
        with pytest.raises((ConnectionResetError, BrokenPipeError)):
            send_for(10.0, own, asking)


def test_an_answer_does_not_wait_for_the_acknowledgement_of_its_first_packet():
    """Each answer on a connection that was used before would take 40 ms more."""
    with (
        server._bound(Listen(port=0)) as listener,
        socket.create_connection(listener.getsockname()),
    ):
        accepted, _ = listener.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
