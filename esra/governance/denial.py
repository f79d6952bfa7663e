"""The audit record of a call that was turned away: who, where, why. It holds no word of a prompt.

Such a call has no begin record, since it never began.
"""

from esra.domain.codes import AuditEvent, Denial, ErrorCode
from esra.domain.invocation import Principal
from esra.domain.outcome import Refused
from esra.governance.admission import LONGEST_NAME
from esra.governance.refusals import reason_of
from esra.ports import AuditUnavailable, House


def record_denial(
    house: House,
    trouble: Exception,
    *,
    correlation: str,
    exposure: str,
    principal: Principal | None,
) -> None:
    """Writes the record; ``Refused`` with ESRA_AUDIT_UNAVAILABLE when that fails.

    ``principal`` None: nobody was authenticated, and the fields that name him are empty.
    """
    reason = reason_of(trouble) if isinstance(trouble, Refused) else None
    record = {
        "correlation": correlation,
        "tenant": principal.tenant if principal else "",
        "subject": principal.subject if principal else "",
        "identity": principal.identity.value if principal else "",
        "exposure": exposure[:LONGEST_NAME],
        "event": AuditEvent.INVOCATION_DENIED.value,
        "time": house.clock.now(),
        "error": trouble.code.value if isinstance(trouble, Refused) else ErrorCode.INTERNAL.value,
        "reason": (reason or Denial.INTERNAL).value,
    }
    try:
        house.audit.write([record])
    except AuditUnavailable as error:
        raise Refused(
            ErrorCode.AUDIT_UNAVAILABLE, "the audit record could not be written; nothing ran"
        ) from error
