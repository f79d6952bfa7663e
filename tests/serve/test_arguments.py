"""What is taken of what clients send, what is refused, and that a refusal repeats nothing."""

import json

import pytest

from esra.domain.outcome import Refused
from esra.serve.arguments import mended, read_arguments, read_body
from esra.strict_json import strict_json

PROMPT = {"prompt": "wing flutter"}
SECRET = "canary-4711"

# (what a client sent, what it means): only forms that can mean one thing.
TAKEN = [
    (PROMPT, ("wing flutter", 10, "brief")),
    ({**PROMPT, "limit": None, "mode": None}, ("wing flutter", 10, "brief")),
    ({**PROMPT, "limit": "", "mode": ""}, ("wing flutter", 10, "brief")),
    ({**PROMPT, "limit": "7"}, ("wing flutter", 7, "brief")),
    ({**PROMPT, "limit": 7.0}, ("wing flutter", 7, "brief")),
    ({**PROMPT, "mode": " Full "}, ("wing flutter", 10, "full")),
    ({"prompt": ["wing flutter"]}, ("wing flutter", 10, "brief")),
    ('{"prompt": "wing flutter", "limit": 3}', ("wing flutter", 3, "brief")),
    ({"arguments": PROMPT}, ("wing flutter", 10, "brief")),
    ({"arguments": '{"prompt": "wing flutter"}'}, ("wing flutter", 10, "brief")),
    # These look mangled and could be meant: a phrase in quotes, a question about JSON.
    ({"prompt": '"wing flutter"'}, ('"wing flutter"', 10, "brief")),
    ({"prompt": '["a", "b"]'}, ('["a", "b"]', 10, "brief")),
    ({"prompt": "a\nb\tc 🙂"}, ("a\nb\tc 🙂", 10, "brief")),
    ({"prompt": "x" * 32_768, "limit": 1_000}, ("x" * 32_768, 1_000, "brief")),
]

# (what a client sent, the field that is named); "others" stands for an argument that is none.
REFUSED = [
    ({}, "prompt"),
    (None, "prompt"),
    ({"prompt": None}, "prompt"),
    ({"prompt": ""}, "prompt"),
    ({"prompt": " \n\t"}, "prompt"),
    ({"prompt": 7}, "prompt"),
    ({"prompt": ["a", "b"]}, "prompt"),
    ({"prompt": {"text": SECRET}}, "prompt"),
    ({"prompt": f"{SECRET}\0"}, "prompt"),
    ({"prompt": "\0"}, "prompt"),
    ({"prompt": f"{SECRET}\ud800"}, "prompt"),
    ({"prompt": "x" * 32_769}, "prompt"),
    ({**PROMPT, "limit": True}, "limit"),
    ({**PROMPT, "limit": 10**30}, "limit"),
    ({**PROMPT, "limit": -1}, "limit"),
    ({**PROMPT, "limit": 0}, "limit"),
    ({**PROMPT, "limit": 1_001}, "limit"),
    ({**PROMPT, "limit": 1.5}, "limit"),
    ({**PROMPT, "limit": 1e300}, "limit"),
    ({**PROMPT, "limit": float("nan")}, "limit"),
    ({**PROMPT, "limit": "ten"}, "limit"),
    ({**PROMPT, "limit": " 7"}, "limit"),
    ({**PROMPT, "limit": "07"}, "limit"),
    ({**PROMPT, "limit": "+7"}, "limit"),
    ({**PROMPT, "limit": "\u0667"}, "limit"),
    ({**PROMPT, "limit": [7]}, "limit"),
    ({**PROMPT, "mode": SECRET}, "mode"),
    ({**PROMPT, "mode": 1}, "mode"),
    ({**PROMPT, SECRET: 1}, "others"),
    ({**PROMPT, "arguments": PROMPT}, "others"),
    ({**PROMPT, "\ud800": 1}, "others"),
    ([SECRET], "others"),
    (SECRET, "others"),
    (7, "others"),
]


@pytest.mark.parametrize(("sent", "meant"), TAKEN)
def test_a_mangled_form_that_means_one_thing_is_taken(sent, meant):
    """A client that writes its numbers as text would never get an answer."""
    found = read_arguments(mended(sent))
    assert (found.prompt, found.limit, found.mode) == meant


@pytest.mark.parametrize(("sent", "named"), REFUSED)
def test_anything_else_is_refused_by_the_name_of_the_field_alone(sent, named):
    """A refusal that repeats what was sent carries it into logs and to other readers."""
    with pytest.raises(Refused) as raised:
        read_arguments(mended(sent))
    said = raised.value
    assert named in said.message
    assert SECRET not in f"{said!r}{said.message}{said.__cause__!r}{said.__context__!r}"
    if isinstance(sent, dict):
        named_rules = {rule for rule in ("prompt", "limit", "mode") if f"{rule}:" in said.message}
        assert named_rules == {named} - {"others"}


@pytest.mark.parametrize("sent", [{**PROMPT, "limit": "7"}, {**PROMPT, "limit": None}])
def test_a_service_is_held_to_the_schema(sent):
    """A service's mistake would go unseen if it were guessed at."""
    with pytest.raises(Refused, match="limit"):
        read_body({**sent, "exposure": "ask"})


def test_mending_leaves_what_was_sent_alone():
    """The client's own object is not ours to change."""
    sent = {"prompt": ["a"], "limit": "7"}
    assert mended(sent) == {"prompt": "a", "limit": 7}
    assert sent == {"prompt": ["a"], "limit": "7"}


@pytest.mark.parametrize(
    "text", ['{"a": NaN}', '{"a": 1, "a": 2}', "[" * 100_000, "1" * 5_000, "", b"\xff", "{} {}"]
)
def test_json_that_two_readers_read_differently_is_none(text):
    """What one reader drops another would act on."""
    with pytest.raises(ValueError, match=r"."):
        strict_json(text)


def test_strict_json_reads_ordinary_json():
    """Else the test above would hold for a reader that refuses everything."""
    assert strict_json(json.dumps({"a": [1, None, "ü"]})) == {"a": [1, None, "ü"]}
