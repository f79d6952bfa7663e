"""Nobody reaches a call over HTTP without an accepted token, where tokens are asked for."""

from http import HTTPStatus

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from esra.domain.codes import ErrorCode
from esra.domain.invocation import Principal
from esra.governance.refusals import InsufficientScope
from esra.serve.bearer import Resource, token_of
from esra.serve.door import Door
from esra.serve.faults import fault_of
from esra.serve.problems import STATUS, faulty


class Threshold:
    """Wraps the paths that make calls. ``resource`` None: every caller is local."""

    def __init__(self, app: ASGIApp, door: Door, resource: Resource | None) -> None:
        self.app, self._door, self._resource = app, door, resource

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._resource is not None:
            token = token_of(HTTPConnection(scope), tokens=True)
            own = scope["esra.correlation"]
            try:
                principal = await self._door.known(token, own)
            except Exception as trouble:
                refused = refusal(trouble, own, self._resource, came=bool(token))
                return await refused(scope, receive, send)
            scope["user"] = _user(principal)
        return await self.app(scope, receive, send)


def refusal(
    trouble: Exception, correlation: str, resource: Resource | None, *, came: bool
) -> Response:
    """The response to whoever is turned away, with its challenge; ``came``: a token came."""
    fault = fault_of(trouble, correlation)
    scopes = trouble.scopes if isinstance(trouble, InsufficientScope) else ()
    return faulty(fault, challenge(fault.code, resource, scopes=scopes, came=came))


def challenge(
    code: ErrorCode, resource: Resource | None, *, scopes: tuple[str, ...] = (), came: bool
) -> dict[str, str]:
    """What a client is told of how to get a token that would do; nothing where there is none."""
    if resource is None:
        return {}
    match STATUS[code]:
        case HTTPStatus.UNAUTHORIZED:
            error = "invalid_token" if came else ""
        # No scope would help where policy says no: a client would fetch tokens for ever.
        case HTTPStatus.FORBIDDEN if scopes:
            error = "insufficient_scope"
        case _:
            return {}
    return {"WWW-Authenticate": resource.challenge(error, scopes)}


def _user(principal: Principal) -> AuthenticatedUser:
    """The principal as the SDK binds a session to it: only its owner may go on with it."""
    return AuthenticatedUser(
        AccessToken(
            token="", client_id=principal.tenant, scopes=[], subject=principal.subject, claims={}
        )
    )
