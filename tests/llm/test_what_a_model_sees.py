"""What leaves for an endpoint, byte by byte: what a step needs, and nothing it must not see."""

from __future__ import annotations

import pytest

from esra.domain.capability import Presence
from esra.domain.plan import Strategy
from esra.domain.source import Operator, Vocabulary
from tests.house import FakeEngine, catalog, field, hit, source
from tests.llm.double import MODELS, Server, language_model, tell

NATIVE = 123456.789012
PRESENCE = {"news": Presence.MANDATORY, "wire": Presence.FORCED}
FIELDS = (
    field("year", filterable=True, operators=frozenset({Operator.GTE})),
    field("salary_canary", restricted=True, filterable=True, operators=frozenset(Operator)),
)
CANARY = Vocabulary(synonyms=(("canary-word", ("canary-other",)),))
LAW = source(
    "law",
    name="Court rulings",
    fields=FIELDS,
    description="rulings of courts",
    usage="search for cases",
    exclusions="not for statutes",
    tags=("legal",),
    languages=("en",),
    examples=("who won the appeal?",),
    freshness="weekly",
    vocabulary=Vocabulary(synonyms=(("verdict", ("ruling",)),), acronyms=(("ca", ("court",)),)),
)
SOURCES = (
    LAW,
    source("news", description="canary-news", usage="canary-news", vocabulary=CANARY),
    source("wire", name="Wire", description="canary-wire"),
    source("off", description="canary-off", enabled=False),
)
HITS = {
    "law": ([hit("key-canary-1", NATIVE, source="law", title="Appeal", fragment="was heard")],),
    "news": ([hit("key-canary-2", 2 * NATIVE, title="Storm", fragment="at sea")],),
}
# Names of schema, table, columns and keys (all hidden_), record keys, fields, scores.
CANARIES = ("hidden_", "key-canary", "salary", "canary-off", "123456", "246913", "127.0.0.1")


@pytest.fixture
def sent(server: Server) -> dict[str, list]:
    """Step -> what it was sent; by hand, since a plan is asked for once a source."""
    engine = FakeEngine(HITS, strategies=(Strategy.KEYWORD, Strategy.PHRASE))
    known = catalog(*SOURCES, forms=MODELS, presence=PRESENCE)
    told = tell(language_model(server), "who won?", known=known, engine=engine)
    assert told.codes == []
    return {step: [a for a in server.asked if a.step == step] for step in {*server.steps()}}


@pytest.mark.req("E034", "E056", "E145", "E146", "E147")
def test_no_canary_leaves(sent):
    """Else a vendor, or whoever reads its logs, would learn names of tables or a record's key."""
    for asked in (one for step in sent.values() for one in step):
        assert [canary for canary in CANARIES if canary.encode() in asked.body] == []


@pytest.mark.req("E024", "E025", "E027", "E028", "E029", "E030", "E031", "E032", "E033")
def test_a_selector_sees_the_business_facts_of_optional_sources_alone(sent):
    """Else it would choose blindly, or be asked about what is not its to choose."""
    (asked,) = sent["select"]
    assert asked.data == {
        "prompt": "who won?",
        "candidates": [
            {
                "id": "law",
                "description": "rulings of courts",
                "usage": "search for cases",
                "exclusions": "not for statutes",
                "tags": ["legal"],
                "languages": ["en"],
                "examples": ["who won the appeal?"],
                "freshness": "weekly",
            }
        ],
    }
    assert b"canary" not in asked.body


@pytest.mark.req("E048", "E051", "E052", "E053", "E054", "E055", "E057")
def test_a_planner_sees_one_source_and_four_facts_a_field(sent):
    """Else it would plan for an engine it does not know, or in the words of another source."""
    assert len(sent["plan"]) == 3
    (asked,) = (one for one in sent["plan"] if b"rulings of courts" in one.body)
    data = asked.data
    assert (data["prompt"], data["description"], data["ceiling"]) == (
        "who won?",
        "rulings of courts",
        3,
    )
    assert (data["strategies"], data["unsupported"]) == (
        ["phrase", "keyword"],
        ["synonym", "acronym", "entity", "recent"],
    )
    assert data["vocabulary"] == {
        "synonyms": [["verdict", ["ruling"]]],
        "acronyms": [["ca", ["court"]]],
    }
    (mapping,) = data["mappings"]
    assert (mapping["id"], mapping["name"], mapping["description"]) == (
        "docs",
        "Docs",
        "about docs",
    )
    assert mapping["fields"] == [
        {
            "fieldName": "year",
            "isSearchable": False,
            "isFilterable": True,
            "allowedOperators": ["gte"],
        }
    ]
    assert b"canary" not in asked.body


@pytest.mark.req("E140", "E141", "E142", "E143", "E144")
def test_a_reranker_sees_titles_and_fragments_under_opaque_ids(sent):
    """Else it could judge by source or record, or tell two invocations' results together."""
    (asked,) = sent["rerank"]
    assert asked.data["prompt"] == "who won?"
    seen = [(c["source"], c["title"], c["fragments"]) for c in asked.data["candidates"]]
    assert sorted(seen) == [
        ("Court rulings", "Appeal", ["was heard"]),
        ("News", "Storm", ["at sea"]),
    ]
    ids = {candidate["resultId"] for candidate in asked.data["candidates"]}
    assert len(ids) == 2
    assert all(len(id) == 16 for id in ids)
