"""Copies of one text share their judgement; the pool says what each configuration brings."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import pytest

from esra import scoring
from eval import demo
from eval.dataset import load_folder
from eval.labels.carry import carry, twins
from eval.labels.pool import Adds, pool
from eval.replay import replay

TEXTS = [
    ("a", "T", "x"),
    ("b", "T", "x"),
    ("c", "T", "x"),
    ("d", "t", "x"),
    ("e", "", " "),
    ("f", "", " "),
]


@pytest.mark.req("W25")
def test_a_judgement_is_carried_to_exact_copies_and_marked():
    """An unjudged copy of the right document would count as a miss."""
    found = carry({"q": {"b": 2, "d": 1, "e": 1}}, twins(TEXTS))
    assert found.grades == {"q": {"a": 2, "b": 2, "c": 2, "d": 1, "e": 1}}
    assert found.origins == {"q": {"a": "b", "c": "b"}}
    assert (found.count, found.disputed) == (2, ())


@pytest.mark.req("W25")
def test_copies_judged_differently_decide_nothing():
    """Whichever copy came first in a file would decide over the others."""
    found = carry({"q": {"a": 2, "b": 0}}, twins(TEXTS))
    assert found.grades == {"q": {"a": 2, "b": 0}}
    assert (found.origins, found.disputed) == ({}, (("q", "c"),))


@pytest.mark.req("W25")
def test_copies_of_a_real_set_are_found(shared):
    """A product sold under two ids would be right under one of them only."""
    folder = load_folder(shared / "data" / "chorus-ecommerce")
    alike = twins((one.key, one.title, one.text) for one in folder.documents)
    lines = (shared / "data" / "chorus-ecommerce" / "corpus.jsonl").read_text("utf-8")
    rows = map(json.loads, lines.splitlines())
    copies = Counter((row["title"], row["text"]) for row in rows if row["title"] + row["text"])
    several = [count for count in copies.values() if count > 1]
    assert (len(alike), len(set(alike.values()))) == (sum(several), len(several))
    assert len(several) > 200
    found = carry(folder.judgements, alike)
    for query, origins in found.origins.items():
        for copy, origin in origins.items():
            assert copy not in folder.judgements[query]
            assert found.grades[query][copy] == folder.judgements[query][origin]
    assert found.count > 0


@pytest.mark.req("W22")
def test_a_pool_is_the_union_of_the_tops():
    """A configuration would be measured on what others brought, and its own finds be misses."""
    runs = {"x": {"q": "abc"}, "y": {"q": "bad", "r": "e"}, "z": {"q": "ab"}}
    found = pool(runs, 2, {"q": {"a": 0}})
    assert found.documents == {"q": ("a", "b"), "r": ("e",)}
    assert found.unjudged == {"q": ("b",), "r": ("e",)}
    assert found.adds == {
        "x": Adds(found=2, new=2, alone=0),
        "y": Adds(found=3, new=1, alone=1),
        "z": Adds(found=2, new=0, alone=0),
    }
    with pytest.raises(ValueError, match="pools nothing"):
        pool(runs, 0)


@pytest.mark.req("W22")
def test_a_sweep_is_pooled_from_every_setting():
    """Only the setting that is in force would ever be judged."""
    recordings, judgements, _ = demo.load()
    runs = {}
    for share in (0, 300, 1000):
        semantic, lexical = scoring.weights(share)
        runs[str(share)] = {
            one.query: [
                (ranked.candidate.hit.id.source, ranked.candidate.hit.id.key)
                for ranked in replay(
                    one, replace(one.numbers, semantic_weight=semantic, lexical_weight=lexical)
                )
            ]
            for one in recordings[:12]
        }
    found = pool(runs, 3, judgements)
    for name, run in runs.items():
        for query, ranking in run.items():
            assert set(ranking[:3]) <= set(found.documents[query]), name
    sizes = sum(map(len, found.documents.values()))
    assert sizes == sum(one.new for one in found.adds.values())
    assert found.adds["1000"].alone > 0
