"""Real sets, labelled by others, load with the counts their own cards state."""

from __future__ import annotations

import re

import pytest

from eval.dataset import load_federation, load_folder

# documents, queries, judgements, queries with a relevant document: from each set's SOURCE.md.
COUNTS = {
    "cranfield": (1400, 225, 1612, 225),
    "cisi": (1460, 112, 3114, 76),
    "medline": (1033, 30, 696, 30),
    "time": (423, 83, 324, 83),
    "chorus-ecommerce": (19406, 68, 1725, 58),
    "realtimeqa-2022a": (2018, 329, 109, 103),
    **{f"xquad/{language}": (240, 1190, 1190, 1190) for language in ("en", "es", "de", "zh")},
    **{f"uct/tb{n:02}": (200, 5, 1000, 5) for n in (1, 2, 3, 5, 6, 11, 15)},
}


@pytest.mark.req("W05")
@pytest.mark.parametrize("name", COUNTS)
def test_a_set_has_the_counts_of_its_card(shared, name):
    """Part of a public set would be lost without a word."""
    found = load_folder(shared / "data" / name)
    relevant = sum(any(g > 0 for g in grades.values()) for grades in found.judgements.values())
    judged = sum(map(len, found.judgements.values()))
    assert (len(found.documents), len(found.queries), judged, relevant) == COUNTS[name]
    assert len(found.unjudged) == len(found.queries) - len(found.judgements)
    blank = 2 if name == "cranfield" else 0
    assert sum(one.count for one in found.findings) == blank
    dated = sum(one.date is not None for one in found.documents)
    lines = (shared / "data" / name / "corpus.jsonl").read_text("utf-8")
    assert dated == len(re.findall(r'"date": "', lines))


def test_translations_of_one_query_stay_apart(shared):
    """A question in one language would be answered by the labels of another."""
    languages = ["en", "es", "de", "zh"]
    found = load_federation([shared / "data" / "xquad" / one for one in languages])
    assert [source.name for source in found.sources] == languages
    assert len(found.queries) == len(found.judgements) == 4 * 1190
    assert found.judgements["zh/56beb4343aeaaa14008c925b"] == {("zh", "p001"): 1}


def test_near_sources_join_to_one_federation(shared):
    """The federation that tuning is shown on would miss queries or judgements."""
    names = ["tb01", "tb02", "tb03", "tb05", "tb06", "tb11", "tb15"]
    found = load_federation([shared / "data" / "uct" / name for name in names])
    assert (len(found.queries), sum(map(len, found.judgements.values()))) == (35, 7000)
    assert all(
        source == query.split("-")[0]
        for query in found.judgements
        for source, _ in found.judgements[query]
    )
