"""What stands before every path over HTTP: an id, the Host and Origin, the body's size and time.

Plain ASGI, outermost first: ``Correlated``, ``Addressed``, ``Bodied``. A request that does not pass
costs no token check, no call and no connection to a source.
"""

import asyncio
import logging
from dataclasses import dataclass
from http import HTTPStatus

from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from esra.serve.invoke import correlation_of
from esra.serve.problems import problem
from esra.serve.spans import sent_context, trace_id

logger = logging.getLogger(__name__)

HEADER = "X-Correlation-Id"
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
# They show nothing, and whoever probes them names a host of his own.
PROBES = frozenset({"/healthz", "/readyz"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """``body`` (a prompt of 32 KiB, every character escaped, fits) and ``head`` in bytes,
    ``arrive`` in seconds."""

    body: int = 256 * 1024
    head: int = 32 * 1024
    arrive: float = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Addresses:
    """What is answered besides this machine's own names: Host headers (``name:*`` stands for any
    port), and pages by their origin."""

    hosts: tuple[str, ...] = ()
    pages: tuple[str, ...] = ()

    def security(self) -> TransportSecuritySettings:
        """The SDK's own check, which stands before every path here."""
        own = [f"{host}{port}" for host in LOOPBACK for port in ("", ":*")]
        return TransportSecuritySettings(
            allowed_hosts=[*own, *self.hosts],
            allowed_origins=[*(f"http://{host}" for host in own), *self.pages],
        )


class Correlated:
    """Gives every response its correlation id, and lets no exception's text out."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        sent = sent_context(dict(Headers(scope=scope)))
        own = scope["esra.correlation"] = correlation_of(trace_id(sent))
        scope["esra.context"] = sent
        started = False

        async def named(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                headers = MutableHeaders(scope=message)
                headers[HEADER] = own
                headers.setdefault("Cache-Control", "no-store")
                headers["X-Content-Type-Options"] = "nosniff"
            await send(message)

        try:
            await self.app(scope, receive, named)
        except Exception as trouble:
            logger.error("request %s failed", own, exc_info=trouble)
            if not started:
                failed = problem(HTTPStatus.INTERNAL_SERVER_ERROR, own, detail="it failed inside")
                await failed(scope, receive, named)
        return None


class Addressed:
    """Refuses foreign hosts and pages (DNS rebinding), and a token in the address."""

    def __init__(self, app: ASGIApp, addresses: Addresses) -> None:
        self.app = app
        self._security = TransportSecurityMiddleware(addresses.security())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            own = scope["esra.correlation"]
            if "access_token" in QueryParams(scope["query_string"]):
                detail = "an access token goes into the Authorization header, never the address"
                refused = problem(HTTPStatus.BAD_REQUEST, own, detail=detail)
                return await refused(scope, receive, send)
            request = Request(scope)
            if scope["path"] not in PROBES:
                found = await self._security.validate_request(request, is_post=False)
                if found is not None:
                    return await problem(HTTPStatus(found.status_code), own)(scope, receive, send)
        return await self.app(scope, receive, send)


class Bodied:
    """Takes the whole request in a bounded size, and its body in a bounded time."""

    def __init__(self, app: ASGIApp, bounds: Bounds) -> None:
        self.app, self._bounds = app, bounds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        if _head_of(scope) > self._bounds.head:
            status = HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
            return await self._refused(status, scope, receive, send)
        try:
            async with asyncio.timeout(self._bounds.arrive):
                body = await self._taken(scope, receive)
        except ClientDisconnect:
            return None  # half a request, and nobody to answer
        except TimeoutError:
            return await self._refused(HTTPStatus.REQUEST_TIMEOUT, scope, receive, send)
        if body is None:
            return await self._refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, scope, receive, send)
        return await self.app(scope, replayed(body, receive), send)

    async def _taken(self, scope: Scope, receive: Receive) -> bytes | None:
        """The whole body; None where it is too large."""
        declared = Headers(scope=scope).get("content-length", "0")
        if declared.isdigit() and int(declared) > self._bounds.body:
            return None
        body = bytearray()
        while True:
            message = await receive()
            if message["type"] != "http.request":
                raise ClientDisconnect
            body += message.get("body", b"")
            if len(body) > self._bounds.body:
                return None
            if not message.get("more_body", False):
                return bytes(body)

    async def _refused(
        self, status: HTTPStatus, scope: Scope, receive: Receive, send: Send
    ) -> None:
        # What is still on its way must not be read as the next request.
        headers = {"Connection": "close"}
        response = problem(status, scope["esra.correlation"], headers=headers)
        await response(scope, receive, send)


def replayed(body: bytes, receive: Receive) -> Receive:
    """Gives the whole body in one message, then what else comes."""
    whole: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return whole.pop() if whole else await receive()

    return replay


def _head_of(scope: Scope) -> int:
    """Bytes of the address and the headers. A server bounds what it waits for, and not a head that
    comes in one piece."""
    fields = sum(len(name) + len(value) for name, value in scope["headers"])
    return fields + len(scope["path"]) + len(scope["query_string"])
