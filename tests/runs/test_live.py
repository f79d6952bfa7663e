"""Live traces: kept whole, and never at the price of an answer."""

import json
import os

import pytest

from esra.governance.traces import FileTraces
from eval import record
from eval.runs.arm import Ordering
from eval.runs.shadow import agreement, shadow
from tests import house as build


def asked(sink, *prompts):
    hits = [[build.hit("a", 3.0), build.hit("b", 2.0), build.hit("c", 1.0)]]
    own = build.house(script={"news": hits}, traces=sink)
    return [build.ask(own, prompt) for prompt in prompts]


@pytest.mark.req("W67")
def test_the_traces_of_live_calls_are_ordered_again_by_another_revision(tmp_path):
    """Else two revisions could be compared on labelled queries only, and never on real ones."""
    sink = FileTraces(tmp_path / "traces.jsonl")
    first, second = asked(sink, "wing flutter", "stall speed")
    sink.close()
    assert (tmp_path / "traces.jsonl").stat().st_mode & 0o077 == 0
    calls = list(record.lines(tmp_path / "traces.jsonl"))
    assert [call for call, _ in calls] == [first.invocation, second.invocation]
    found = shadow(calls, Ordering(said="itself"))
    assert [one.served for one in found] == [(("news", "a"), ("news", "b"), ("news", "c"))] * 2
    whole = agreement(found, Ordering(said="itself"))
    assert (whole.rbo, whole.first, whole.changed) == (1.0, 0.0, 0.0)


@pytest.mark.req("W67")
def test_a_trace_that_cannot_be_written_costs_nobody_an_answer(tmp_path, caplog):
    """Else a full disk that nobody needs would stop the search."""
    sink = FileTraces(tmp_path / "traces.jsonl")
    os.close(sink._handle)
    sink._handle = os.open(os.devnull, os.O_RDONLY)  # every write fails
    (answer,) = asked(sink, "wing flutter")
    assert [result.title for result in answer.results] == ["title a", "title b", "title c"]
    assert "a trace was not kept" in caplog.text
    sink.close()


def test_a_place_that_cannot_be_written_is_refused_at_the_start(tmp_path):
    """Else a service would run for a week and have kept nothing."""
    with pytest.raises(OSError, match="No such file"):
        FileTraces(tmp_path / "no" / "traces.jsonl")


def test_no_prompt_is_in_a_trace_unless_retention_keeps_it(tmp_path):
    """Else comparing revisions would keep what people asked."""
    sink = FileTraces(tmp_path / "traces.jsonl")
    asked(sink, "wing flutter")
    text = (tmp_path / "traces.jsonl").read_text()
    assert "wing flutter" not in text
    assert json.loads(text)["trace"]["ranking"]
    sink.close()
