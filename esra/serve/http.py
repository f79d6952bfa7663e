"""The HTTP door: ``POST /v1/retrieve`` for services, MCP under ``/mcp``, probes and metrics."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from typing import Any, TypeVar

from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from esra.serve.arguments import read_body
from esra.serve.bearer import Resource, token_of
from esra.serve.door import Asked, Door
from esra.serve.edge import HEADER, Addressed, Addresses, Bodied, Bounds, Correlated
from esra.serve.framed import Framed
from esra.serve.mcp import mcp_server
from esra.serve.open import open_routes
from esra.serve.problems import faulty, problem
from esra.serve.spans import Name
from esra.serve.threshold import Threshold, challenge
from esra.serve.wire import Answer, compact
from esra.strict_json import strict_json

T = TypeVar("T")
RETRIEVE, MCP = "/v1/retrieve", "/mcp"
# What a browser lets an allowed page send and read.
CORS: dict[str, Any] = {
    "allow_methods": ["GET", "POST", "DELETE"],
    "allow_headers": [
        "Authorization",
        "Content-Type",
        "Mcp-Method",
        "Mcp-Name",
        "Mcp-Protocol-Version",
        "Mcp-Session-Id",
        "Traceparent",
        "Tracestate",
    ],
    "expose_headers": ["Mcp-Session-Id", "WWW-Authenticate", HEADER],
}
Endpoint = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Front:
    """How the door looks from outside. ``resource`` None: callers bring no token and are local.

    ``sessions`` of older MCP clients at a time, each closed after ``idle`` seconds without a
    request. ``open_metrics``: also to others than this machine.
    """

    resource: Resource | None = None
    addresses: Addresses = field(default_factory=Addresses)
    bounds: Bounds = field(default_factory=Bounds)
    sessions: int = 1_000
    idle: float = 600.0
    open_metrics: bool = False


def http_app(door: Door, front: Front | None = None) -> Starlette:
    """The ASGI application of one process."""
    front = front or Front()
    manager = StreamableHTTPSessionManager(
        app=mcp_server(door, tokens=front.resource is not None),
        session_idle_timeout=front.idle,
        max_sessions=front.sessions,
        max_request_body_size=front.bounds.body,
    )
    guarded = [Middleware(Threshold, door=door, resource=front.resource)]
    framed, mcp = Middleware(Framed), StreamableHTTPASGIApp(manager)
    # At its lowest level it writes whole answers down, and documents stay out of logs.
    logging.getLogger("sse_starlette").setLevel(logging.INFO)
    app = Starlette(
        routes=[
            Route(RETRIEVE, _retrieve(door, front), methods=["POST"], middleware=guarded),
            Route(MCP, mcp, methods=["GET", "POST", "DELETE"], middleware=[*guarded, framed]),
            *open_routes(door, front.resource, everybody=front.open_metrics),
        ],
        exception_handlers={HTTPException: _unrouted},
        middleware=[
            Middleware(Correlated),
            Middleware(Addressed, addresses=front.addresses),
            Middleware(CORSMiddleware, allow_origins=list(front.addresses.pages), **CORS),
            Middleware(Bodied, bounds=front.bounds),
        ],
        lifespan=partial(_sessions, manager),
    )
    # A redirect would be made of the Host header; a path with a slash more is another path.
    app.router.redirect_slashes = False
    return app


@asynccontextmanager
async def _sessions(manager: StreamableHTTPSessionManager, app: Starlette) -> AsyncIterator[None]:
    async with manager.run():
        app.state.ready = True
        yield
        app.state.ready = False


def _retrieve(door: Door, front: Front) -> Endpoint:
    async def retrieve(request: Request) -> Response:
        own: str = request.scope["esra.correlation"]
        if not _is_json(request.headers.get("content-type", "")):
            return problem(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, own)
        try:
            raw = strict_json(await request.body())
        except ValueError:
            return problem(HTTPStatus.BAD_REQUEST, own)
        named = raw.get("exposure") if isinstance(raw, dict) else ""
        asked = Asked(
            token=token_of(request, front.resource is not None),
            slug=named if isinstance(named, str) else "",
            read=lambda: read_body(raw),
            correlation=own,
            name=f"POST {RETRIEVE}",
            known={Name.VERB: "POST", Name.ROUTE: RETRIEVE},
            context=request.scope["esra.context"],
        )
        outcome = await while_connected(request, door.ask(asked))
        if isinstance(outcome, Answer):
            return Response(compact(outcome), media_type="application/json")
        return faulty(outcome, challenge(outcome.code, front.resource, came=True))

    return retrieve


def _is_json(content_type: str) -> bool:
    return content_type.split(";")[0].strip().lower() == "application/json"


async def while_connected(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """The result of ``work``; it is cancelled, and its SQL with it, once nobody is left to read."""
    task, gone = asyncio.create_task(work), asyncio.create_task(_gone(request))
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            task.cancel()
        return await task
    finally:
        for one in (task, gone):
            one.cancel()
        await asyncio.gather(task, gone, return_exceptions=True)


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        continue


async def _unrouted(request: Request, trouble: Exception) -> Response:
    """404 and 405 of the router, as problems."""
    assert isinstance(trouble, HTTPException)
    headers = dict(trouble.headers or {})
    status = HTTPStatus(trouble.status_code)
    return problem(status, request.scope["esra.correlation"], headers=headers)
