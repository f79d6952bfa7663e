"""The audit of a door, with what it took and what it did not take counted.

Counted here and not by those who write, so that no way of turning a caller away is forgotten.
"""

from collections.abc import Mapping, Sequence

from esra.ports import Audit
from esra.serve.metrics import Metrics


class CountedAudit:
    """Hands everything on, and every error back."""

    def __init__(self, audit: Audit, metrics: Metrics) -> None:
        self._audit, self._metrics = audit, metrics

    def write(self, records: Sequence[Mapping[str, object]]) -> None:
        """``AuditUnavailable`` where the audit says so."""
        try:
            self._audit.write(records)
        except Exception:
            self._metrics.unwritten()
            raise
        self._metrics.written(records)
