"""One message of the protocol a body, before the SDK reads it.

For older clients the SDK answers a body that it cannot read with the text of the exception, which
repeats the body; and half a surrogate pair in an argument would cost the caller the whole message.
"""

import json

from mcp_types.jsonrpc import INVALID_REQUEST, PARSE_ERROR, jsonrpc_message_adapter
from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from esra.serve.edge import replayed
from esra.serve.stdio import without_lone_surrogates

SAID = {
    PARSE_ERROR: "the body is no JSON in UTF-8",
    INVALID_REQUEST: "the body is one JSON-RPC message",
}


class Framed:
    """Wraps the path of the protocol; what is no message is refused in a text of ours."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "POST":
            return await self.app(scope, receive, send)
        text = without_lone_surrogates((await Request(scope, receive).body()).decode("latin-1"))
        body = text.encode("latin-1")
        if code := wrong(body):
            error = {"code": code, "message": SAID[code]}
            refused = JSONResponse({"jsonrpc": "2.0", "id": None, "error": error}, 400)
            return await refused(scope, receive, send)
        return await self.app(scope, replayed(body, receive), send)


def wrong(body: bytes) -> int:
    """The code of JSON-RPC for a body that is no message of it; 0 for one that is."""
    try:
        value = json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError):
        return PARSE_ERROR
    try:
        jsonrpc_message_adapter.validate_python(value, by_name=False)
    except ValidationError:
        return INVALID_REQUEST
    return 0
