"""The figures that a report gives of a recording whose every number was chosen."""

import json
from math import log2
from pathlib import Path

import pytest

from tests.measure.runs import measured, sample

GOLDEN = Path(__file__).parent / "golden" / "report.json"
NAMES = "nDCG@10 RR P@2 R@10 AP Judged@10"


@pytest.fixture
def document(tmp_path, capsys):
    return measured(capsys, sample(tmp_path / "own"), "--measures", NAMES)


@pytest.fixture
def arm(document):
    (one,) = document["arms"]
    return one


def test_the_document_is_the_golden_one(document):
    """A figure of the report would change and nobody would notice: look at it, then replace it."""
    golden = json.loads(GOLDEN.read_text("utf-8"))
    assert _flat(document).keys() == _flat(golden).keys()
    for name, value in _flat(golden).items():
        wanted = pytest.approx(value, abs=1e-9) if isinstance(value, float) else value
        assert _flat(document)[name] == wanted, name


def _flat(value, name=""):
    if isinstance(value, dict):
        return {k: v for key, own in value.items() for k, v in _flat(own, f"{name}.{key}").items()}
    if isinstance(value, list) and value:
        return {k: v for i, own in enumerate(value) for k, v in _flat(own, f"{name}.{i}").items()}
    return {name: value}


@pytest.mark.req("W28")
def test_measures_by_hand(arm):
    """The first table of the report would be about other lists than those recorded."""
    values = {one["measure"]: one["values"] for one in arm["measures"]}
    # q1 shows grades 1, unjudged, 2; the best order is 2, 1.
    assert values["nDCG@10"]["q1"] == pytest.approx(
        (1 + 2 / log2(4)) / (2 + 1 / log2(3)), abs=1e-12
    )
    assert values["RR"] == {"q1": 1.0, "q2": 1.0, "q3": 0.0, "q6": 0.5}
    assert values["P@2"] == {"q1": 0.5, "q2": 0.5, "q3": 0.0, "q6": 0.5}
    assert values["R@10"] == {"q1": 1.0, "q2": 0.5, "q3": 0.0, "q6": 1.0}


@pytest.mark.req("W23")
def test_the_unjudged_four_ways_beside_each_figure(arm):
    """Nobody would see how much of a figure rests on results that nobody judged."""
    (rr,) = (one for one in arm["measures"] if one["measure"] == "RR")
    # Only q6's first result could change anything, from 1/2 to 1.
    assert rr["unjudged"]["irrelevant"] == rr["unjudged"]["worst"] == 2.5 / 4
    assert rr["unjudged"]["condensed"] == rr["unjudged"]["best"] == 3 / 4
    # Shown and judged: q1 2 of 3, q2 1 of 2, q3 shows nothing (1), q6 1 of 2.
    assert rr["unjudged"]["judged"] == pytest.approx((2 / 3 + 1 / 2 + 1 + 1 / 2) / 4)


@pytest.mark.req("W32")
def test_selection_of_each_source_with_its_interval(arm):
    """A selector that always takes one source too many would look perfect."""
    found = arm["selection"]
    # Right: q1 a; q2 a, b; q3 a; q4, q5 none; q6 b. Chosen: all but q3 and q4 (a), q5 (none).
    a, b = (found["sources"][name]["figures"] for name in ("a", "b"))
    assert (a["chosen"], a["right"], a["both"]) == (5, 3, 3)
    assert (b["chosen"], b["right"], b["both"]) == (3, 2, 2)
    assert (a["precision"], a["recall"]) == (3 / 5, 1.0)
    assert found["exact"]["value"] == 3 / 6  # q2, q3 and q5
    assert found["extra"]["value"] == 3 / 6
    assert found["wasted"] == 3 / 8
    low, high = found["sources"]["a"]["precision"]["interval"]
    assert low < 3 / 5 < high


@pytest.mark.req("W26")
def test_nothing_is_right_is_measured_apart(arm):
    """An engine that answers what has no answer would not be told from one that refuses."""
    found = arm["nothing_is_right"]
    # Best scores: q1 .9, q2 .6, q3 none, q6 .4; unanswerable q4 .2, q5 none.
    # Pairs won: three answerable beat both; q3 (none) loses to .2 and ties with none.
    assert found["auc"] == (3 * 2 + 0 + 0.5) / 8
    assert (found["refused"], found["false_refusals"]) == (1 / 2, 1 / 4)


@pytest.mark.req("W33")
def test_how_old_the_answers_are(arm):
    """Freshness could be tuned to nothing that anybody measured."""
    found = arm["freshness"]
    # q1: 1 of... 500 and 400 days of three are old; q2: 20 days is not; the others tell no age.
    assert found["staleness"] == {"value": (2 / 3 + 0) / 2, "queries": 2}
    assert found["age"] == {"value": (10 + 20) / 2, "queries": 2}


@pytest.mark.req("W34")
def test_what_the_answers_are_made_of(arm):
    """A small source whose documents are never shown would hide in the mean."""
    mix = arm["mix"]
    # Shown: q1 a b a, q2 a b, q4 a, q6 a (one was cut off).
    assert mix["sources"] == {"a": 5 / 7, "b": 2 / 7}
    assert mix["families"] == {"relation": 5 / 7, "topics": 2 / 7}
    # Sources with a right document: q1 a of a, q2 a and b of both, q3 none of a, q6 none of b.
    assert mix["coverage"] == {"value": (1 + 1 + 0 + 0) / 4, "queries": 4}
    # Right documents of the small source b: q2's k2 and q6's k1, neither is shown.
    assert mix["small"] == {"value": 0.0, "queries": 2}


@pytest.mark.req("W36")
def test_how_often_it_stumbled(arm):
    """A source that fails for every tenth question would be a footnote of a good mean."""
    rates = arm["rates"]
    assert (rates["zero_result"], rates["degraded"]) == (2 / 6, 1 / 6)
    assert rates["warnings"] == {"SOURCE_FAILED": 1 / 6}


@pytest.mark.req("W35")
def test_what_it_cost_stands_beside_it(arm):
    """A model that wins by a hair at a hundred times the cost would win."""
    spent = arm["spent"]
    assert spent["calls"] == 2 / 6
    assert spent["tokens_in"] == pytest.approx(200 / 6)
    assert spent["cost"] == pytest.approx(0.002 / 6)
    assert spent["seconds"] == pytest.approx((0.75 + 0.5) / 6)


def test_what_a_context_window_holds(arm):
    """Results would count as read that no assistant has room for."""
    found = arm["window"]
    # 4,000 characters are 1,000 tokens: q1 reads k2 (1,000) and k7 (1,100), and k1 no more.
    # q2 reads one of two; q3 shows nothing; what q6 shows is not right.
    assert found["recall"] == {"value": (1 / 2 + 1 / 2 + 0 + 0) / 4, "queries": 4}
    assert found["offset"] == {"value": 0.0, "queries": 2}
    assert found["lost"] == 2


@pytest.mark.req("W57")
def test_what_lost_the_right_documents_and_what_it_costs(arm):
    """The stage that loses most would be looked for by guessing."""
    causes = {one["cause"]: one for one in arm["misses"]["causes"]}
    assert {name: one["lost"] for name, one in causes.items()} == {
        "past the deadline": 1,
        "no term matched": 1,
        "cut by the answer's limit": 1,
    }
    assert causes["past the deadline"]["first"] == [["q3", ["a", "k9"]]]
    assert causes["past the deadline"]["price"] == 1 / 4
    assert (arm["misses"]["right"], arm["misses"]["shown"]) == (6, 3)


@pytest.mark.req("W21")
def test_every_segment_has_its_row(document):
    """A language that the tuning breaks would drown in the mean of all."""
    rows = {(one["kind"], one["value"]): one for one in document["segments"]}
    assert rows["language", "en"]["queries"] == 2
    assert rows["part", "head"]["queries"] == 1
    assert {value for kind, value in rows if kind == "source"} == {"a", "b"}
    (ndcg,) = (m for m in document["arms"][0]["measures"] if m["measure"] == "nDCG@10")
    assert rows["language", "de"]["means"]["own"] == ndcg["values"]["q1"]
