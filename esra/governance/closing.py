"""The end of an invocation: its stage records and its end record, then its trace.

If they cannot be written the answer is withheld (RULINGS 26).
"""

from esra.domain.codes import AuditEvent, ErrorCode
from esra.domain.invocation import Call
from esra.domain.outcome import Refused
from esra.domain.response import Response
from esra.governance.admission import common, kept_prompt
from esra.ledger import Ledger
from esra.ports import AuditUnavailable, House
from esra.trace import Seen, trace_of


def close(
    call: Call,
    house: House,
    ledger: Ledger,
    *,
    response: Response | None = None,
    seen: Seen | None = None,
    error: ErrorCode | None = None,
) -> None:
    """Writes what happened; ``Refused`` with ESRA_AUDIT_UNAVAILABLE when that fails."""
    base = common(call)
    stages = [{**base, "event": f.event.value, **dict(f.values)} for f in ledger.facts]
    end = {
        **base,
        "event": AuditEvent.INVOCATION_END.value,
        "time": house.clock.now(),
        "status": response.status.value if response else "error",
        "error": error.value if error else None,
        "results": len(response.results) if response else 0,
        "warnings": sorted({w.code.value for w in ledger.warnings}),
    }
    try:
        house.audit.write([*stages, end])
    except AuditUnavailable as trouble:
        raise Refused(
            ErrorCode.AUDIT_UNAVAILABLE, "the audit record could not be written; answer withheld"
        ) from trouble
    if house.traces is not None and response is not None and seen is not None:
        prompt = kept_prompt(call.prompt, house)
        house.traces.write(trace_of(call, seen, response, prompt))
