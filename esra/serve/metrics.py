"""What ``/metrics`` shows, in a registry of its own. Every label is of a closed set.

Exposures and sources come from the catalog, codes and steps from the domain: never a prompt, a
caller or a key. So the number of series is fixed by the configuration, whoever calls.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

from esra.domain.capability import Catalog
from esra.domain.codes import AuditEvent, Denial, FailureCode, WarningCode
from esra.domain.outcome import Warn
from esra.domain.resilience import BreakerChange, BreakerState
from esra.ports import Step

CONTENT_TYPE = CONTENT_TYPE_LATEST
OTHER = "other"  # a name that is not configured
SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Metrics:
    """Counts the calls of one process."""

    def __init__(self, catalog: Catalog) -> None:
        self._exposures = frozenset(exposure.slug for exposure in catalog.exposures)
        self._sources = frozenset(source.id for source in catalog.sources)
        self.registry = own = CollectorRegistry()
        self._calls = Counter(
            "esra_calls", "Calls that ended, by how.", ["exposure", "status"], registry=own
        )
        self._errors = Counter(
            "esra_errors", "Calls without an answer.", ["exposure", "code"], registry=own
        )
        self._warnings = Counter(
            "esra_warnings", "Warnings in answers.", ["exposure", "code"], registry=own
        )
        self._failures = Counter(
            "esra_source_failures", "Sources that did not answer.", ["source", "code"], registry=own
        )
        self._seconds = Histogram(
            "esra_call_seconds", "Time of a call.", ["exposure"], buckets=SECONDS, registry=own
        )
        self._steps = Histogram(
            "esra_step_seconds", "Time of a step.", ["step"], buckets=SECONDS, registry=own
        )
        self._reloads = Counter(
            "esra_config_reload", "Tuned files read again.", ["result"], registry=own
        )
        self._running = Gauge("esra_calls_running", "Calls in progress.", registry=own)
        self._events = Counter(
            "esra_audit_records", "Records that were written.", ["event"], registry=own
        )
        self._denials = Counter(
            "esra_denials", "Callers who were turned away.", ["reason"], registry=own
        )
        self._unwritten = Counter(
            "esra_audit_failures", "Writes that the audit did not take.", registry=own
        )
        self._breakers = Gauge(
            "esra_breaker_state", "1 for the state it is in.", ["source", "state"], registry=own
        )
        for source in self._sources:
            self._breaker(source, BreakerState.CLOSED)

    def exposure(self, slug: str) -> str:
        """``slug`` where the catalog has it: what a label or a span may hold of a caller's word."""
        return slug if slug in self._exposures else OTHER

    @contextmanager
    def call(self, slug: str) -> Iterator[None]:
        """Times a call, however it ends."""
        with self._running.track_inprogress(), self._seconds.labels(self.exposure(slug)).time():
            yield

    def ended(self, slug: str, status: str, *, error: str = "") -> None:
        exposure = self.exposure(slug)
        self._calls.labels(exposure, status).inc()
        if error:
            self._errors.labels(exposure, error).inc()

    def warned(self, slug: str, warnings: Sequence[Warn]) -> None:
        for warning in warnings:
            self._warnings.labels(self.exposure(slug), warning.code.value).inc()
            if warning.code is WarningCode.SOURCE_FAILED:
                source = warning.source if warning.source in self._sources else OTHER
                known = warning.detail in set(FailureCode)
                self._failures.labels(source, warning.detail if known else OTHER).inc()

    def reloaded(self, result: str) -> None:
        """``result`` is one of the closed set in ``esra.serve.reload``."""
        self._reloads.labels(result).inc()

    def written(self, records: Sequence[Mapping[str, object]]) -> None:
        """Records that the audit took."""
        for record in records:
            event, reason = record.get("event"), record.get("reason")
            self._events.labels(event if event in set(AuditEvent) else OTHER).inc()
            if event == AuditEvent.INVOCATION_DENIED:
                self._denials.labels(reason if reason in set(Denial) else OTHER).inc()

    def unwritten(self) -> None:
        """A write that the audit did not take."""
        self._unwritten.inc()

    def hear(self, change: BreakerChange) -> None:
        """A breaker that changed its state."""
        if change.source in self._sources:
            self._breaker(change.source, change.after)

    def _breaker(self, source: str, now: BreakerState) -> None:
        for state in BreakerState:
            self._breakers.labels(source, state.value).set(state is now)

    @contextmanager
    def step(self, step: Step) -> Iterator[None]:
        """Times a step of a call."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self._steps.labels(step.value).observe(time.perf_counter() - started)

    def text(self) -> bytes:
        """The exposition format of Prometheus."""
        return generate_latest(self.registry)
