"""The published schema of tuned files says what the reader does."""

import copy
import json
from pathlib import Path

import jsonschema
import pytest

from esra.config.schema import tuned_schema, written
from esra.config.strict import ConfigError
from esra.config.tuned import body_hash, read_tuned, sealed_body

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "docs" / "schema" / "tuned.schema.json"
GOOD = {
    "capability": "cap",
    "revision": 7,
    "tunables": {
        "semantic_weight": 0.4,
        "lexical_weight": 0.6,
        "shortlist": 30,
        "match_bonus": 0.1,
        "sources": {"news": {"priority": 10.0, "half_life": 0.25, "ceiling": 20}},
    },
    "models": {"rerank": "m"},
    "data": "d",
    "evidence": {"anything": [1, {"at": "all"}]},
}

# Where, and what stands there.
BAD = [
    (("tunables", "semantic_weight"), 1.1),
    (("tunables", "semantic_weight"), "0.5"),
    (("tunables", "semantic_weight"), True),
    (("tunables", "match_bonus"), 0.11),
    (("tunables", "shortlist"), 4),
    (("tunables", "shortlist"), 30.5),
    (("tunables", "sources", "news", "priority"), 0.0),
    (("tunables", "sources", "news", "half_life"), 0.2),
    (("tunables", "sources", "news", "ceiling"), 21),
    (("tunables", "host"), "db"),
    (("models", "embed"), "m"),
    (("capability",), 1),
    (("revision",), 0),
    (("revision",), 2**53),
    (("evidence",), []),
    (("governance",), {}),
    (("exposures",), []),
    (("providers",), {}),
    (("$schema",), 1),
]


def changed(where, value):
    body = copy.deepcopy(GOOD)
    at = body
    for name in where[:-1]:
        at = at[name]
    at[where[-1]] = value
    return body


def taken_by_schema(body) -> bool:
    return jsonschema.Draft202012Validator(tuned_schema()).is_valid(body)


def taken_by_reader(body) -> bool:
    try:
        read_tuned(
            json.dumps(body).encode(), where="f", capability="cap", sources=frozenset({"news"})
        )
    except ConfigError:
        return False
    return True


def test_the_published_file_is_the_models_own():
    """Somebody would write files by a schema that the reader no longer follows."""
    jsonschema.Draft202012Validator.check_schema(tuned_schema())
    assert FILE.read_text("utf-8") == written(tuned_schema())


def test_a_good_file_passes_both_with_and_without_its_schemas_name():
    """A check that refuses everything would look strict."""
    for body in (GOOD, {**GOOD, "$schema": "./tuned.schema.json"}):
        sealed = sealed_body(dict(body), None)
        assert taken_by_schema(sealed)
        assert taken_by_reader(sealed)
    # It is part of what is hashed, like anything else.
    assert not taken_by_reader({**sealed_body(dict(GOOD), None), "$schema": "x"})


@pytest.mark.parametrize(("where", "value"), BAD, ids=str)
def test_what_the_reader_refuses_the_schema_refuses(where, value):
    """An editor would call a file good that no runtime loads."""
    sealed = sealed_body(changed(where, value), None) if value != 2**53 else None
    if sealed is None:
        sealed = {**sealed_body(dict(GOOD), None), "revision": value}
    assert not taken_by_schema(sealed)
    assert not taken_by_reader(sealed)


@pytest.mark.parametrize("name", ["schema", "pipeline", "revision"])
def test_true_is_no_number(name):
    """In Python true equals 1, so that a file would be taken for what it does not say it is."""
    body = {**sealed_body({**GOOD, "revision": 1}, None), name: True}
    body["hash"] = body_hash(body)
    assert not taken_by_schema(body)
    assert not taken_by_reader(body)
