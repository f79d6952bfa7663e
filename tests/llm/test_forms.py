"""The schemas of the three replies: strict mode's subset, and no word that no brief holds."""

from __future__ import annotations

import json

import pytest

from esra.briefs import CandidateBrief, RerankBrief
from esra.domain.plan import Strategy
from esra.domain.source import Operator
from esra.llm.openai.forms import BOUNDS, plan_form, rerank_form, select_form, unbounded
from esra.stages.plan import admit_plan, brief_plan
from tests.house import call, field, source
from tests.llm.double import select_brief

PLAIN = {"type", "properties", "required", "additionalProperties", "items", "enum", "anyOf"}
DATED = field("year", filterable=True, operators=frozenset({Operator.GTE}))
SECRET = field("salary", filterable=True, restricted=True, operators=frozenset({Operator.EQ}))


def planned(*fields):
    supported = frozenset({Strategy.KEYWORD, Strategy.PHRASE})
    return plan_form(brief_plan(call(), source(fields=fields), supported, 3))


def ranked(number: int) -> RerankBrief:
    ids = (f"{n:016x}" for n in range(number))
    facts = {"source": "News", "title": "t", "fragments": ()}
    return RerankBrief(
        prompt="q", candidates=tuple(CandidateBrief(resultId=i, **facts) for i in ids)
    )


FORMS = {
    "select": select_form(select_brief("news", "law")),
    "plan": planned(),
    "plan with filters": planned(DATED, SECRET),
    "rerank": rerank_form(ranked(3)),
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


@pytest.mark.parametrize("name", FORMS)
def test_a_form_bounds_its_lists_and_texts_and_nothing_else(name: str):
    """Else a small model would go on until its time is over."""
    for schema in schemas(FORMS[name]):
        assert schema.keys() <= PLAIN | set(BOUNDS)
        assert (schema.get("type") == "array") is ("maxItems" in schema)
        free = schema.get("type") == "string" and "enum" not in schema
        assert free is ("maxLength" in schema)


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


def test_forms_of_scores_are_few_and_have_room():
    """Else an endpoint would work through a new schema before each answer, or cut a list short."""
    forms = [rerank_form(ranked(number)) for number in range(1, 201)]
    assert len({json.dumps(form) for form in forms}) == 20
    most = [form["properties"]["scores"]["maxItems"] for form in forms]
    assert all(number <= room < number + 10 for number, room in enumerate(most, 1))
