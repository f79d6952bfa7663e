"""Any exception as the closed error object. No text of an exception that is not ours leaves."""

import logging
from types import MappingProxyType

from esra.domain.codes import ErrorCode
from esra.domain.outcome import Refused
from esra.serve.wire import Fault

logger = logging.getLogger(__name__)

NEXT = MappingProxyType(
    {
        ErrorCode.INVALID_REQUEST: "Correct what the message names and call again.",
        ErrorCode.UNAUTHENTICATED: "Send an access token for this service as a bearer token.",
        ErrorCode.FORBIDDEN: "List the tools; call one of those, or ask for access.",
        ErrorCode.NO_SOURCES_AVAILABLE: "Nothing can be searched for this caller; tell the user.",
        ErrorCode.DOCUMENT_NOT_FOUND: "Search again; references expire.",
        ErrorCode.QUOTA_EXCEEDED: "Wait, then call again.",
        ErrorCode.AUDIT_UNAVAILABLE: "Call again later; nothing runs that is not written down.",
        ErrorCode.INTERNAL: "Tell the operator the correlation id; the log holds the cause.",
    }
)


def fault_of(trouble: Exception, correlation: str) -> Fault:
    """The error object of ``trouble``; one that is not ours is logged and called internal."""
    if isinstance(trouble, Refused):
        code, message = trouble.code, trouble.message
    else:
        logger.error("call %s failed", correlation, exc_info=trouble)
        code, message = ErrorCode.INTERNAL, "something went wrong inside the service"
    return Fault(code=code, message=message, next=NEXT[code], correlation=correlation)
