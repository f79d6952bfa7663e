"""The paths that need no token: they show nothing of a caller, a prompt or a document."""

import json
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from ipaddress import ip_address

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from esra.serve.bearer import Resource
from esra.serve.door import Door
from esra.serve.metrics import CONTENT_TYPE
from esra.serve.openapi import description
from esra.serve.problems import problem

Endpoint = Callable[[Request], Awaitable[Response]]


def open_routes(door: Door, resource: Resource | None, *, everybody: bool) -> list[Route]:
    """Probes, metrics, the description, and where tokens are asked for, what one must be."""
    documents = {"/openapi.json": description(resource)}
    if resource is not None:
        documents[resource.metadata_path] = resource.metadata()
    return [
        Route("/healthz", _alive),
        Route("/readyz", _ready),
        Route("/metrics", _metrics(door, everybody)),
        *(Route(path, _document(content)) for path, content in documents.items()),
    ]


async def _alive(request: Request) -> Response:
    return _json({"status": "alive"})


async def _ready(request: Request) -> Response:
    """The house is open and takes calls; not before, and not while it closes."""
    if not getattr(request.app.state, "ready", False):
        return problem(HTTPStatus.SERVICE_UNAVAILABLE, request.scope["esra.correlation"])
    return _json({"status": "ready"})


def _metrics(door: Door, everybody: bool) -> Endpoint:
    async def metrics(request: Request) -> Response:
        # The labels name sources of every tenant: for the operator, not for callers.
        if not everybody and not _here(request):
            return problem(HTTPStatus.NOT_FOUND, request.scope["esra.correlation"])
        return Response(door.metrics.text(), headers={"Content-Type": CONTENT_TYPE})

    return metrics


def _here(request: Request) -> bool:
    """Whether the peer is on this machine. No header is believed."""
    try:
        return request.client is not None and ip_address(request.client.host).is_loopback
    except ValueError:
        return False


def _document(content: dict[str, object]) -> Endpoint:
    async def document(request: Request) -> Response:
        return _json(content)

    return document


def _json(content: dict[str, object]) -> Response:
    return Response(json.dumps(content), media_type="application/json")
