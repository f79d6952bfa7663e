"""What an endpoint does not take is left out, learnt, and held against nothing else."""

from __future__ import annotations

import pytest

from esra.llm.openai.chat import refused
from esra.llm.openai.forms import unbounded
from esra.ports import Trouble
from tests.llm.behaviours import EXCHANGES
from tests.llm.double import Server, ask, fails, language_model
from tests.llm.habits import HOLDS, refuses_once


def parameters(server: Server) -> list[list[str]]:
    known = ("response_format", "seed", "temperature", "max_tokens")
    return [[name for name in known if name in asked.document] for asked in server.asked]


def test_a_refused_parameter_is_left_out_and_remembered(server: Server):
    """Else every call would be asked twice, or never get an answer."""
    server.behaviours["select"] = refuses_once("seed")
    ask(language_model(server), times=2)
    rest = ["response_format", "temperature", "max_tokens"]
    assert parameters(server) == [["response_format", "seed", *rest[1:]], rest, rest]


def test_an_endpoint_without_bounds_still_gets_the_form(server: Server):
    """Else the strictest endpoints, which are the best, would be asked for no form at all."""
    server.behaviours["select"] = HOLDS["bounds refused"]
    ask(language_model(server), times=2)
    forms = [asked.document["response_format"]["json_schema"]["schema"] for asked in server.asked]
    assert [form["properties"]["sources"].get("maxItems") for form in forms] == [1, None, None]
    assert unbounded(forms[0]) == forms[1] == forms[2]


def test_a_refusal_without_a_name_costs_the_form_first(server: Server):
    """Else the commonest refusal would cost the seed too."""
    server.behaviours["select"] = HOLDS["the form refused without a word"]
    ask(language_model(server), times=2)
    # With bounds, without bounds, without a form; the next call knows.
    assert [len(each) for each in parameters(server)] == [4, 4, 3, 3]


def test_a_refusal_of_something_else_is_not_held_against_the_parameters(server: Server):
    """Else one prompt that is too long would cost all later ones their form."""
    model = language_model(server)
    server.behaviours["select"] = EXCHANGES["every parameter refused"]
    fails(model, "400")
    server.behaviours = {}
    ask(model)
    sent = parameters(server)
    assert [len(each) for each in sent] == [4, 4, 3, 0, 4]


@pytest.mark.parametrize(
    ("said", "without", "expected"),
    [
        (b"seed and temperature", (), {"seed", "temperature"}),
        (b"use max_completion_tokens instead of max_tokens", (), {"max_tokens"}),
        (b"Invalid schema for response_format: 'maxLength' is not permitted", (), {"bounds"}),
        (b"Unknown field: RESPONSE_FORMAT", (), {"bounds"}),
        (b"Unknown field: RESPONSE_FORMAT", ("bounds",), {"response_format"}),
        (b"'json_schema' is not one of json_object, text", ("bounds",), {"response_format"}),
        (b"bad request", (), {"bounds"}),
        (b"bad request", ("bounds",), {"response_format"}),
        (b"bad request", ("bounds", "response_format"), {"seed", "temperature", "max_tokens"}),
        (b"seed", ("bounds", "response_format", "seed"), {"temperature", "max_tokens"}),
    ],
)
def test_what_a_refusal_names(said: bytes, without: tuple[str, ...], expected: set[str]):
    """Else the wrong parameter would be left out, or the same one for ever."""
    assert refused(said, frozenset(without)) == expected


@pytest.mark.parametrize(
    "said",
    [
        b'{"error": {"code": "context_length_exceeded", "param": "max_tokens"}}',
        b"maximum context length is 4096 tokens, reduce max_tokens",
        b"request (8031 tokens) exceeds the available context size (4096 tokens)",
    ],
)
def test_a_question_too_long_is_about_no_parameter(said: bytes):
    """Else it would be asked again and again, to be refused again and again."""
    with pytest.raises(Trouble, match="too long"):
        refused(said, frozenset())
