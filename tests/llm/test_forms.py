"""The schemas of the three replies: strict mode's subset, and no word that no brief holds."""

from __future__ import annotations

import json

import pytest

from esra.domain.source import Operator
from esra.llm.openai.forms import RERANK_FORM, plan_form, select_form, unbounded
from esra.stages.plan import admit_plan, brief_plan
from tests.house import call, field, source
from tests.llm.double import Server, language_model, select_brief, tell

PLAIN = {"type", "properties", "required", "additionalProperties", "items", "enum", "anyOf"}
DATED = field("year", filterable=True, operators=frozenset({Operator.GTE}))
SECRET = field("salary", filterable=True, restricted=True, operators=frozenset({Operator.EQ}))


def planned(*fields):
    from esra.domain.plan import Strategy

    supported = frozenset({Strategy.KEYWORD, Strategy.PHRASE})
    return plan_form(brief_plan(call(), source(fields=fields), supported, 3))


FORMS = {
    "select": select_form(select_brief("news", "law")),
    "plan": planned(),
    "plan with filters": planned(DATED, SECRET),
    "rerank": RERANK_FORM,
}


def schemas(form: object):
    """Each schema inside a schema, itself included."""
    if isinstance(form, dict):
        yield form
        inner = [*form.get("properties", {}).values(), form.get("items"), *form.get("anyOf", ())]
        for each in inner:
            yield from schemas(each)


@pytest.mark.parametrize("name", FORMS)
def test_a_form_keeps_to_what_strict_mode_takes_everywhere(name: str):
    """Else an endpoint would refuse it, and answer in whatever form it likes."""
    for schema in schemas(unbounded(FORMS[name])):
        assert schema.keys() <= PLAIN
        if schema.get("type") == "object":
            assert schema["required"] == list(schema["properties"])
            assert schema["additionalProperties"] is False
        assert schema.get("enum", ["some"]) != []


@pytest.mark.parametrize("name", ["select", "plan", "plan with filters"])
def test_a_form_bounds_its_lists_and_nothing_else(name: str):
    """Else a small model would go on listing until its time is over."""
    for schema in schemas(FORMS[name]):
        assert schema.keys() <= PLAIN | {"maxItems"}
        assert (schema.get("type") == "array") is ("maxItems" in schema)


def test_a_form_offers_what_the_brief_offers():
    """Else a model held to its form could not answer, or could name what it must not."""
    sources = FORMS["select"]["properties"]["sources"]["items"]["enum"]
    assert sources == ["news", "law"]
    query = FORMS["plan with filters"]["properties"]["queries"]["items"]["properties"]
    assert query["mapping"]["enum"] == ["docs"]
    assert query["strategy"]["enum"] == ["phrase", "keyword"]
    assert query["filters"]["items"]["properties"]["field"]["enum"] == ["year"]
    assert "filters" not in FORMS["plan"]["properties"]["queries"]["items"]["properties"]
    assert "salary" not in json.dumps(FORMS)


def test_a_reply_in_its_form_is_admitted():
    """Else the form asked for and the form accepted would be two."""
    query = FORMS["plan with filters"]["properties"]["queries"]["items"]["properties"]
    row = {key: [] if "items" in form else form["enum"][0] for key, form in query.items()}
    row["filters"] = [{"field": "year", "operator": "gte", "value": 2020}]
    (admitted,) = admit_plan(json.dumps({"queries": [row]}), 3)
    assert admitted.filters[0].values == (2020,)


def test_the_form_of_scores_is_the_same_for_every_call(server: Server):
    """Else an endpoint would work through a new schema before each answer."""
    model = language_model(server)
    tell(model), tell(model, "another question")
    sent = [a.document["response_format"] for a in server.asked if a.step == "rerank"]
    assert len(sent) == 2
    assert sent[0] == sent[1]
