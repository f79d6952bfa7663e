"""A damaged trace is found where it is read, and none that the pipeline wrote is called damaged."""

import copy
import dataclasses
import json

import pytest

from esra.domain.capability import Forms, Scoring, SourceScoring
from eval import record, sound
from tests.runs import made

WHOLE = made.trace(
    "a",
    2,
    lengths=[1, 2, 3],
    calls=[
        {
            "step": "rerank",
            "identity": "m",
            "source": None,
            "usage": {"calls": 1, "tokens_in": 9, "tokens_out": 9, "seconds": 0.1, "cost": None},
        }
    ],
    warnings=[{"code": "ESRA_RERANK_INCOMPLETE", "source": None, "detail": None, "count": 1}],
)
# What no reader computes with.
UNREAD = {"schema", "pipeline", "invocation", "exposure", "configuration", "revision"}


# In its place a value of each kind becomes one of another.
OTHER = {str: 7, int: "7", float: "7", bool: 1, list: {"7": 7}, dict: [7], type(None): True}


def places(value, path=()):
    """Every place in a JSON value."""
    if path:
        yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    for key, own in inner:
        if isinstance(own, dict | list):
            yield from places(own, (*path, key))
        else:
            yield (*path, key)


PLACES = [
    path
    for path in places(WHOLE)
    if path[0] not in UNREAD
    and path[:1] + path[2:] not in {("warnings", "source"), ("warnings", "detail")}
]


def planted(path, value):
    trace = copy.deepcopy(WHOLE)
    inner = trace
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return trace


def test_a_whole_trace_is_sound():
    """Every recording would have to be paid for again."""
    assert sound.sound(WHOLE)


@pytest.mark.parametrize("path", PLACES, ids=lambda path: ".".join(map(str, path)))
def test_a_value_of_another_kind_is_found_wherever_it_stands(path):
    """A report would end in a traceback, or count a text as a figure."""
    was = WHOLE
    for key in path:
        was = was[key]
    assert not sound.sound(planted(path, OTHER[type(was)]))


@pytest.mark.parametrize("key", sorted(WHOLE.keys() - UNREAD - {"evidence", "lengths"}))
def test_a_value_that_is_missing_is_found(key):
    """A report would end in a traceback."""
    assert not sound.sound({name: value for name, value in WHOLE.items() if name != key})


@pytest.mark.parametrize("change", [{"shown": 4}, {"shown": -1}, {"lengths": [1, 2]}])
def test_counts_that_contradict_the_ranking_are_found(change):
    """More would be said to be shown than was ever found."""
    assert not sound.sound({**WHOLE, **change})


def test_numbers_and_forms_are_those_of_the_domain():
    """A number that is new there would make every new recording a damaged one."""
    for own, theirs in (
        (sound._Numbers, Scoring),
        (sound._Source, SourceScoring),
        (sound._Forms, Forms),
    ):
        assert own.model_fields.keys() == {one.name for one in dataclasses.fields(theirs)}


def test_a_damaged_line_is_passed_over_and_the_others_stay(tmp_path):
    """One damaged line would make a whole recording unreadable."""
    damaged = planted(("answers", 0, "rows", 0, 2), "high")
    lines = [("a", WHOLE), ("b", damaged), ("c", {**WHOLE, "ranking": None}), ("d", WHOLE)]
    text = "".join(json.dumps({"query": id, "trace": one}) + "\n" for id, one in lines)
    text += "[" * 100_000 + "\n"
    (tmp_path / "traces.jsonl").write_text(text)
    assert [query for query, _ in record.lines(tmp_path / "traces.jsonl")] == ["a", "d"]
