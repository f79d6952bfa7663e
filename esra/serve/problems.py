"""Trouble over HTTP as a problem document (RFC 9457), each with the id the log knows it by."""

from http import HTTPStatus
from types import MappingProxyType
from typing import Literal

from pydantic import BaseModel, ConfigDict
from starlette.responses import Response

from esra.domain.codes import ErrorCode
from esra.serve.faults import NEXT
from esra.serve.wire import Fault, compact

MEDIA_TYPE = "application/problem+json"

STATUS = MappingProxyType(
    {
        ErrorCode.INVALID_REQUEST: HTTPStatus.BAD_REQUEST,
        ErrorCode.UNAUTHENTICATED: HTTPStatus.UNAUTHORIZED,
        ErrorCode.FORBIDDEN: HTTPStatus.FORBIDDEN,
        # Policy left nothing to search; trying again changes nothing, which 503 would suggest.
        ErrorCode.NO_SOURCES_AVAILABLE: HTTPStatus.CONFLICT,
        ErrorCode.DOCUMENT_NOT_FOUND: HTTPStatus.NOT_FOUND,
        ErrorCode.QUOTA_EXCEEDED: HTTPStatus.TOO_MANY_REQUESTS,
        ErrorCode.AUDIT_UNAVAILABLE: HTTPStatus.SERVICE_UNAVAILABLE,
        ErrorCode.INTERNAL: HTTPStatus.INTERNAL_SERVER_ERROR,
    }
)

# What is said where no call was made. Nothing here comes from the request.
SAID = MappingProxyType(
    {
        HTTPStatus.BAD_REQUEST: "the body is one JSON object",
        HTTPStatus.FORBIDDEN: "a page of this origin may not call this service",
        HTTPStatus.NOT_FOUND: "nothing is served under this path",
        HTTPStatus.METHOD_NOT_ALLOWED: "this path does not take this method",
        HTTPStatus.REQUEST_TIMEOUT: "the request did not arrive in time",
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "the body is too large",
        HTTPStatus.UNSUPPORTED_MEDIA_TYPE: "the body is application/json",
        HTTPStatus.MISDIRECTED_REQUEST: "this service does not answer for this host",
        HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE: "the address and the headers are too large",
        HTTPStatus.SERVICE_UNAVAILABLE: "the service is not ready",
    }
)


class Problem(BaseModel):
    """``code`` is one of the closed error codes; ``next`` says what to do."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    type: Literal["about:blank"] = "about:blank"
    title: str
    status: int
    detail: str
    code: ErrorCode
    next: str
    correlation: str


def faulty(fault: Fault, headers: dict[str, str] | None = None) -> Response:
    """The response to a call that was made and has no answer."""
    return _response(STATUS[fault.code], fault.code, fault.message, fault.correlation, headers)


def problem(
    status: HTTPStatus,
    correlation: str,
    *,
    detail: str = "",
    headers: dict[str, str] | None = None,
) -> Response:
    """The response to a request that is no call."""
    code = ErrorCode.INVALID_REQUEST if status < 500 else ErrorCode.INTERNAL
    return _response(status, code, detail or SAID.get(status, status.phrase), correlation, headers)


def _response(
    status: HTTPStatus,
    code: ErrorCode,
    detail: str,
    correlation: str,
    headers: dict[str, str] | None,
) -> Response:
    document = Problem(
        title=status.phrase,
        status=status,
        detail=detail,
        code=code,
        next=NEXT[code],
        correlation=correlation,
    )
    return Response(compact(document), status, headers=headers, media_type=MEDIA_TYPE)
