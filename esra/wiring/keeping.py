"""Where a house keeps things: its audit, and the selections it remembers."""

import os
from collections.abc import Iterator
from contextlib import AsyncExitStack, ExitStack, contextmanager
from functools import partial
from pathlib import Path

from esra.config.strict import ConfigError
from esra.governance import secrets
from esra.governance.audit import FileAudit, PostgresAudit
from esra.governance.audit import settings as audited
from esra.governance.cache import MemorySelections, SharedSelections
from esra.governance.clock import SystemClock
from esra.governance.store import Store
from esra.ports import Audit, AuditUnavailable, SelectionCache


@contextmanager
def open_audit(base: Path) -> Iterator[Audit]:
    """The audit, shown to work, for what is done outside a house."""
    with ExitStack() as stack:
        yield audit_of(base, SystemClock(), stack)


def audit_of(base: Path, clock: SystemClock, stack: AsyncExitStack | ExitStack) -> Audit:
    """In tables where ``ESRA_AUDIT_URL`` is set, else in files; shown to work before a call."""
    own = audited.settings(base)
    key = partial(audited.key, own)
    sink: FileAudit | PostgresAudit = FileAudit(own.log, own.head, key, clock)
    if own.in_tables:
        sink = PostgresAudit(partial(audited.address, own), key, clock)
    stack.callback(sink.close)
    try:
        sink.ready()
    except AuditUnavailable as error:
        raise ConfigError(f"the audit takes no records: {error}") from error
    return sink


def selections_of(base: Path, clock: SystemClock, stack: AsyncExitStack) -> SelectionCache:
    """Shared over the instances through ``ESRA_STORE_URL``, else this process's own.

    ``ESRA_CACHE_KEY`` refers to the key that all instances share (``env:NAME``, ``file:PATH``).
    """
    if not os.environ.get("ESRA_STORE_URL"):
        return MemorySelections(clock)
    store = Store(partial(secrets.resolve, "env:ESRA_STORE_URL", base), clock)
    stack.push_async_callback(store.close)
    key = os.environ.get("ESRA_CACHE_KEY")
    return SharedSelections(store, secrets.resolve(key, base).encode() if key else b"")
