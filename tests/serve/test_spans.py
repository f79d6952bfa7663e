"""What a trace shows of a call: its steps in their order, and no word of what passed through."""

from itertools import pairwise

import pytest
from mcp import Client
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from esra.domain.codes import ErrorCode
from esra.domain.outcome import Refused
from esra.governance.audit import ListAudit
from esra.governance.local import LocalGovernance
from esra.ports import AuditUnavailable
from esra.serve.mcp import mcp_server
from esra.serve.spans import Name, sent_context, trace_id
from tests.serve.doors import door, run, served_house

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
STEPS = [
    "governance.authenticate",
    "governance.authorize",
    "governance.audit",
    "esra.scope",
    "esra.select",
    "esra.plan",
    "esra.validate",
    "esra.execute",
    "esra.normalize",
    "esra.aggregate",
    "esra.rerank",
    "esra.respond",
]


class Closed(LocalGovernance):
    async def authorize(self, principal, exposure):
        raise Refused(ErrorCode.FORBIDDEN, "no")


class Deaf(ListAudit):
    def write(self, records):
        raise AuditUnavailable


class Asked:
    """A model that remembers being asked."""

    identity = "asked"

    def __init__(self):
        self.times = 0

    async def select(self, brief):
        self.times += 1

    plan = rerank = select


def traced(house=None, governance=None, prompt="wing flutter", meta=None):
    """(the spans of one call as they began, the result)"""
    kept = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    own = door(house, governance, tracer=provider.get_tracer("test"))

    async def work():
        async with Client(mcp_server(own)) as client:
            return await client.call_tool("esra_ask", {"prompt": prompt}, meta=meta)

    result = run(work())
    return sorted(kept.get_finished_spans(), key=lambda span: span.start_time), result


@pytest.mark.req("E002")
def test_the_steps_of_a_call_appear_in_exactly_their_order():
    """A step out of turn would act on what an earlier one has not yet decided."""
    (call, *steps), _ = traced()
    assert [span.name for span in steps] == STEPS
    assert {span.parent.span_id for span in steps} == {call.context.span_id}
    assert all(a.end_time <= b.start_time for a, b in pairwise(steps))
    assert call.parent is None


@pytest.mark.req("E004")
def test_a_denied_caller_costs_no_step_of_esra_no_model_and_no_connection():
    """Who may not call could still spend money and fill the database's connections."""
    model = Asked()
    house = served_house(selectors={"model": model}, planners={"model": model})
    (_, *steps), result = traced(house, Closed(house.catalog))
    assert result.structured_content["error"]["code"] == "ESRA_FORBIDDEN"
    assert [span.name for span in steps] == STEPS[:2]
    assert model.times == 0
    assert house.providers["fake"].ran == []


@pytest.mark.req("E005")
def test_nothing_of_esra_runs_when_the_audit_cannot_be_written():
    """An unwritten call would be one that nobody can account for."""
    house = served_house(audit=Deaf())
    (_, *steps), result = traced(house)
    assert result.structured_content["error"]["code"] == "ESRA_AUDIT_UNAVAILABLE"
    assert [span.name for span in steps] == STEPS[:3]
    assert house.providers["fake"].ran == []


def test_a_span_holds_names_of_closed_sets_and_nothing_that_was_said():
    """A trace is read by more people than the documents are."""
    spans, _ = traced(prompt="canary-4711 flutter")
    shown = [(span.name, dict(span.attributes), span.events, span.status) for span in spans]
    assert "canary" not in repr(shown)
    assert "title" not in repr(shown)
    assert {key for span in spans for key in span.attributes} <= {name.value for name in Name}
    assert spans[0].attributes["gen_ai.tool.name"] == "esra_ask"
    assert spans[0].attributes["esra.status"] == "complete"


def test_a_failure_is_told_by_its_code():
    """An exception's text may hold anything."""
    house = served_house()
    (call, *_), _ = traced(house, Closed(house.catalog))
    assert call.attributes["error.type"] == "ESRA_FORBIDDEN"
    assert (call.status.is_ok, call.status.description, call.events) == (False, None, ())


def test_the_clients_trace_goes_on_and_names_the_call():
    """Two halves of one trace would be found by nobody."""
    (call, *_), result = traced(meta={"traceparent": PARENT})
    assert f"{call.context.trace_id:032x}" == "0af7651916cd43dd8448eb211c80319c"
    assert f"{call.parent.span_id:016x}" == "b7ad6b7169203331"
    assert result.structured_content["correlation"] == "0af7651916cd43dd8448eb211c80319c"


@pytest.mark.parametrize(
    "sent", [{}, {"traceparent": "x"}, {"traceparent": 7}, {"traceparent": "00-" + "0" * 52}]
)
def test_an_odd_context_is_none(sent):
    """A client could fail its own call with a header."""
    assert sent_context(sent) is None
    assert trace_id(None) == ""
