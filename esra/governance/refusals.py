"""The two ways of turning a caller away: one public text each, the true reason for the audit.

Whoever holds no accepted token learns that and nothing more; whoever may not use an exposure
cannot tell one that is not there from one that is not his (no oracle).
"""

from esra.domain.codes import AuditEvent, Denial, ErrorCode
from esra.domain.outcome import Fact, Refused

NOT_ACCEPTED = "no accepted access token came with this call"
NOT_YOURS = "there is no such tool, or this caller may not use it"
TOO_NARROW = "the access token does not have the scope this service asks for"


class InsufficientScope(Refused):
    """The token is good and its scope too narrow: HTTP 403 ``insufficient_scope`` (RFC 6750, 3.1).

    ``scopes`` is what a new token has to have.
    """

    def __init__(self, scopes: tuple[str, ...]) -> None:
        super().__init__(ErrorCode.FORBIDDEN, TOO_NARROW, _facts(Denial.SCOPE_INSUFFICIENT))
        self.scopes = scopes


def unauthenticated(reason: Denial) -> Refused:
    """ESRA_UNAUTHENTICATED, in the one text."""
    return Refused(ErrorCode.UNAUTHENTICATED, NOT_ACCEPTED, _facts(reason))


def forbidden(reason: Denial) -> Refused:
    """ESRA_FORBIDDEN, in the one text."""
    return Refused(ErrorCode.FORBIDDEN, NOT_YOURS, _facts(reason))


def reason_of(refused: Refused) -> Denial | None:
    """The true reason that ``refused`` carries for the audit; None where it carries none."""
    named = (dict(fact.values).get("reason") for fact in refused.facts)
    return next((reason for reason in named if isinstance(reason, Denial)), None)


def _facts(reason: Denial) -> tuple[Fact, ...]:
    return (Fact(event=AuditEvent.INVOCATION_DENIED, values=(("reason", reason),)),)
