"""Labels of every stage: kept to the letter, the same whatever their order, never contradicting."""

from __future__ import annotations

import json
import random

import pytest

from esra.domain.plan import Strategy
from eval.dataset import DatasetError, load_federation, load_folder
from eval.dataset.labels import Labels, load_labels
from eval.dataset.records import Query
from eval.dataset.stages import RightPlan, Stages
from eval.dataset.store import store_labels
from eval.formats.sheet import Failure, Judgement
from eval.labels.settle import Rule, Settling

PLAN = {"query": "q1", "source": "shop", "strategies": ["keyword", "phrase"], "required": ["red"]}
QUERIES = (
    {"_id": "q1", "text": "red shoes", "need": "shoes", "tags": ["head", "lang:en"]},
    {"_id": "q2", "text": "vans", "nothing_is_right": True},
    {"_id": "q3", "text": "news", "time_sensitive": True, "date": "2022-06-16"},
)
FULL = Labels(
    queries=(
        Query(id="q1", text="red shoes", group="g", need="shoes", tags=("head",), extra={"n": 1}),
        Query(id="q2", text="vans", group="vans", nothing=True),
        Query(id="q3", text="news", group="news", timely=True),
    ),
    grades={"q1": {"d1": 2, " d 2 ": 0}, "q2": {"d1": 0}},
    judgements=(
        Judgement(query="q1", document="d1", grade=1, rater="ada", reason='says "red",\nplainly'),
        Judgement(query="q1", document="d1", grade=2.5, rater="bob"),
        Judgement(query="q1", document=" d 2 ", grade=0, rater="ada"),
    ),
    open=(("q3", "d1"),),
    failures=(Failure(query="q2", document="d1", rater="model", why="timeout"),),
    origins={"q1": {" d 2 ": "d1"}},
    stages=Stages(
        sources={"q1": {"shop": 1, "press": 0}},
        plans={
            "q1": {
                "shop": RightPlan(
                    query="q1", source="shop", strategies=(Strategy.KEYWORD,), required=("red",)
                )
            }
        },
    ),
    guidelines="# Judge the text\n\nand not the title.\n",
    settling=Settling(rule=Rule.MEAN, cuts=(0.5, 1.5)),
)


@pytest.mark.req("W11", "W16", "W27")
def test_labels_of_every_stage_come_back(tmp_path):
    """A label of one stage would be lost when another one is edited."""
    store_labels(FULL, tmp_path)
    found = load_labels(tmp_path)
    for name in Labels.__dataclass_fields__:
        if name not in ("lines", "findings"):
            assert getattr(found, name) == getattr(FULL, name), name
    assert found.fingerprint == FULL.fingerprint
    store_labels(found, tmp_path)
    assert load_labels(tmp_path) == found


def test_shuffled_rows_are_the_same_labels(tmp_path):
    """A sorted file would read as other labels, or an edited one as the same."""
    store_labels(FULL, tmp_path)
    first = load_labels(tmp_path).fingerprint
    dice = random.Random(4)
    for name in ("queries.jsonl", "source_qrels.tsv", "qrels.tsv"):
        path = tmp_path / name
        head, *rest = path.read_text().splitlines()
        rows = [head, *rest] if name.endswith("jsonl") else rest
        dice.shuffle(rows)
        path.write_text("\n".join(rows if name.endswith("jsonl") else [head, *rows]) + "\n")
    assert load_labels(tmp_path).fingerprint == first
    changes = {
        "qrels.tsv": ("d1\t2", "d1\t1"),
        "queries.jsonl": ("shoes", "boots"),
        "source_qrels.tsv": ("shop\t1", "shop\t2"),
        "plans.jsonl": ("red", "blue"),
        "carried.tsv": ("d1", "d3"),
        "GUIDELINES.md": ("text", "title"),
        "ratings.csv": ("timeout", "refused"),
    }
    for name, (before, after) in changes.items():
        old = (tmp_path / name).read_text()
        (tmp_path / name).write_text(old.replace(before, after))
        assert load_labels(tmp_path).fingerprint != first, name
        (tmp_path / name).write_text(old)


@pytest.fixture
def staged(folder):
    """A folder with documents and labels of sources and plans."""

    def build(name="shop", queries=QUERIES, qrels="q1\td1\t2\n", sources="", plans=()):
        path = folder(name, queries=queries, qrels=qrels)
        if sources:
            (path / "source_qrels.tsv").write_text(sources)
        if plans:
            (path / "plans.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in plans))
        return path

    return build


@pytest.mark.req("W27")
def test_a_folder_carries_labels_of_each_stage(staged):
    """Selection and planning could not be measured by themselves."""
    path = staged(sources="query-id\tsource-id\tscore\nq1\tshop\t1\nq1\tpress\t0\n", plans=[PLAN])
    (path / "GUIDELINES.md").write_text("Be strict.\n")
    found = load_folder(path)
    assert [(one.nothing, one.timely, one.tags) for one in found.queries] == [
        (False, False, ("head", "lang:en")),
        (True, False, ()),
        (False, True, ()),
    ]
    assert found.stages.sources == {"q1": {"shop": 1, "press": 0}}
    assert found.stages.plans["q1"]["shop"] == RightPlan(
        query="q1",
        source="shop",
        strategies=(Strategy.KEYWORD, Strategy.PHRASE),
        required=("red",),
    )
    assert found.guidelines == "Be strict.\n"


def test_a_folder_without_them_keeps_its_fingerprint(staged, folder):
    """Every tuned configuration would be told that its data changed."""
    plain = load_folder(staged())
    labelled = load_folder(staged("other", sources="q1\tshop\t1\n"))
    assert (
        plain.fingerprint
        == load_folder(folder("again", queries=QUERIES, qrels="q1 d1 2")).fingerprint
    )
    assert labelled.fingerprint != plain.fingerprint


def _refused(path):
    with pytest.raises(DatasetError) as caught:
        load_folder(path)
    (found,) = caught.value.findings
    return found.line, found.message


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"qrels": "q1 d1 2\nq2 d1 1\n"}, "for which nothing is right"),
        ({"sources": "q1\tshop\t1\nq1\tshop\t0\n"}, "judges 'q1' 'shop' a second time"),
        ({"plans": [PLAN, {**PLAN, "required": ["x"]}]}, "plans 'q1' for 'shop' a second time"),
        ({"plans": [{**PLAN, "source": ""}]}, "names no query or no source"),
        ({"plans": [{**PLAN, "strategies": ["magic"]}]}, "names the strategy 'magic'; there are"),
        (
            {"queries": [{"_id": "q1", "text": "t", "nothing_is_right": "no"}]},
            "write true or false",
        ),
    ],
)
def test_labels_that_contradict_are_refused(staged, parts, said):
    """One of two labels would win by its place in a file."""
    assert said in _refused(staged(**parts))[1]


def test_labels_of_unknown_queries_are_counted(staged):
    """A label would be dropped without a word."""
    found = load_folder(staged(sources="q9\tshop\t1\n", plans=[{**PLAN, "query": "q9"}]))
    assert [one.message for one in found.findings] == [
        "right source of an unknown query, left out: 1, namely 'q9' (line 1)",
        "right plan of an unknown query, left out: 1, namely 'q9' (line 1)",
    ]
    assert found.stages == Stages(sources={}, plans={})


@pytest.mark.req("W27")
def test_the_right_sources_of_a_federation(staged):
    """A source that holds the answer would be scored as one too many, or the reverse."""
    queries = [*QUERIES, {"_id": "q4", "text": "unjudged"}, {"_id": "q5", "text": "none found"}]
    shop = staged("shop", queries=queries, qrels="q1\td1\t2\nq3\td1\t1\nq5\td1\t0\n")
    press = staged(
        "press",
        queries=queries,
        qrels="q1\td2\t0\nq3\td2\t1\n",
        sources="q3\tpress\t1\nq3\tshop\t0\n",
    )
    found = load_federation([shop, press])
    assert found.right_sources == {
        "q1": {"shop"},
        "q2": frozenset(),
        "q3": {"press"},
        "q5": frozenset(),
    }
    assert [one.timely for one in found.queries if one.id == "q3"] == [True]


def test_nothing_is_right_in_no_folder_of_a_federation(staged):
    """A query would count as unanswerable and as answered."""
    shop = staged("shop")
    press = staged("press", queries=[{"_id": "q2", "text": "vans"}], qrels="q2\td1\t1\n")
    with pytest.raises(DatasetError, match=r"press: holds a right document of 'q2'"):
        load_federation([shop, press])


@pytest.mark.req("W27")
def test_a_real_routing_set_has_its_labels(shared):
    """A set that labels sources alone could not be read at all."""
    found = load_labels(shared / "data" / "routing-clinc-oos")
    assert len(found.queries) == 7600 + 3100
    right = found.stages.sources
    assert sum(map(len, right.values())) == len(right) == 10_700 - 200
    assert {next(iter(own)) for own in right.values()} >= {"travel", "banking", "credit_cards"}
