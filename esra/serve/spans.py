"""One span a call, one child for each step of it, over OpenTelemetry's API alone.

Without an SDK in the process all of this does nothing. A span never holds a prompt, a result, a
caller, or the text of an exception. Names follow the semantic conventions 1.37 for HTTP and the
conventions for generative AI and MCP in development (mcp.method.name, gen_ai.*), which are not
stable: this module is the only one that knows them.
"""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from enum import StrEnum

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.trace import Span, SpanKind, StatusCode, Tracer
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from esra.ports import Step

_W3C = TraceContextTextMapPropagator()
_GOVERNED = frozenset({Step.AUTHENTICATE, Step.AUTHORIZE, Step.AUDIT})


class Name(StrEnum):
    """Every attribute that a span of ours may have."""

    METHOD = "mcp.method.name"
    OPERATION = "gen_ai.operation.name"
    TOOL = "gen_ai.tool.name"
    VERB = "http.request.method"
    ROUTE = "http.route"
    ERROR = "error.type"
    EXPOSURE = "esra.exposure"
    STATUS = "esra.status"
    CORRELATION = "esra.correlation"


def step_name(step: Step) -> str:
    """``governance.*`` before the pipeline is entered, ``esra.*`` within it."""
    return f"{'governance' if step in _GOVERNED else 'esra'}.{step}"


def sent_context(carrier: Mapping[str, object]) -> Context | None:
    """The W3C trace context of headers or of ``params._meta``; None where there is no valid one."""
    texts = {
        name: value
        for name in ("traceparent", "tracestate")
        if isinstance(value := carrier.get(name), str)
    }
    context = _W3C.extract(texts, context=Context())
    return context if trace.get_current_span(context).get_span_context().is_valid else None


def trace_id(context: Context | None) -> str:
    """32 hexadecimal digits, or "" without a context: the caller's own name for his trace."""
    if context is None:
        return ""
    return f"{trace.get_current_span(context).get_span_context().trace_id:032x}"


class Spans:
    """Makes the spans; ``tracer`` None takes the process's own."""

    def __init__(self, tracer: Tracer | None = None) -> None:
        self._tracer = tracer or trace.get_tracer("esra")

    @contextmanager
    def call(self, name: str, context: Context | None, known: Mapping[Name, str]) -> Iterator[Span]:
        """The span of a whole call. ``known`` holds bounded values only."""
        with self._tracer.start_as_current_span(
            name,
            context=context,
            kind=SpanKind.SERVER,
            attributes={key.value: value for key, value in known.items()},
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            yield span

    def step(self, step: Step) -> AbstractContextManager[Span]:
        """The child span of one step."""
        return self._tracer.start_as_current_span(
            step_name(step), record_exception=False, set_status_on_exception=False
        )


def ended(span: Span, status: str, error: str = "") -> None:
    """Says how the call ended; both are of closed sets."""
    span.set_attribute(Name.STATUS.value, status)
    if error:
        span.set_attribute(Name.ERROR.value, error)
        span.set_status(StatusCode.ERROR)
