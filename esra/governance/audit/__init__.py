"""The audit: append-only records, chained under a key, with the head kept outside the log.

Promises: what was acknowledged cannot be changed, removed, moved or added to without
``esra audit verify`` naming it, as long as the key and the head are out of the intruder's reach.
``docs/audit.md`` says what a record holds and what is not promised.
"""

from esra.governance.audit.file import FileAudit
from esra.governance.audit.memory import ListAudit
from esra.governance.audit.postgres import PostgresAudit

__all__ = ["FileAudit", "ListAudit", "PostgresAudit"]
