"""Prices and coverage that are not known are told as such, and what costs nothing costs 0."""

import json
from math import log2

import pytest

from eval.runs import cli
from tests.runs import made
from tests.said import said


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("ESRA_HOME", str(tmp_path))
    made.run(tmp_path, "one", {"a": 1, "b": 2})
    for name, cost in (("unpriced", None), ("priced", 0.5)):
        paid = {q: asked(q, cost) for q in ("a", "b")}
        made.write_traces(tmp_path / "runs" / "desk" / name, paid)
    return tmp_path


def asked(query: str, cost: float | None) -> dict[str, object]:
    """A trace for which a language model was asked once."""
    usage = {"calls": 1, "tokens_in": 9, "tokens_out": 9, "seconds": 0.1, "cost": cost}
    forms = {"select": "all", "plan": "template", "rerank": "model"}
    call = {"step": "rerank", "identity": "m", "source": None, "usage": usage}
    return made.trace(query, 2, forms=forms, calls=[call])


@pytest.mark.req("W50")
def test_no_empty_picture_is_drawn_where_no_cost_is_known(home):
    """A person would take the empty axes for runs that cost nothing."""
    words = ("compare", "desk/unpriced", "desk/unpriced", "--picture", home / "p.png")
    _, err = said(cli.main, *words, "--by-cost", code=3)
    assert "no cost of these runs is known" in err
    assert not (home / "p.png").exists()
    said(cli.main, *words)
    assert (home / "p.png").stat().st_size


@pytest.mark.req("W53")
def test_without_a_model_no_coverage_is_told(home):
    """Coverage 0 beside every step would say that its worth is a guess, where it is exact."""
    bare = {q: made.trace(q, 1, asked=[], ordered_by="weighted") for q in ("a", "b")}
    made.write_traces(home / "runs" / "desk" / "bare", bare)
    table = said(cli.main, "ablate", "desk/bare")[0].splitlines()
    assert {line.split()[-1] for line in table[2:7]} == {"-"}
    assert said(cli.main, "ablate", "desk/one")[0].splitlines()[2].split()[-1] == "1.000"


@pytest.mark.req("W48")
def test_a_run_that_asked_no_language_model_costs_nothing(home):
    """The free run was out for want of a price, and the paid one won that it is better than."""
    words = ("compare", "desk/one", "desk/priced", "desk/unpriced", "--max-cost", "1", "--json")
    found = json.loads(said(cli.main, *words)[0])
    assert [one["spent"]["cost"] for one in found["runs"]] == [0.0, 0.5, None]
    assert found["best"] == "desk/one"
    assert found["out"] == {"desk/unpriced": "no price is known to hold against the cap"}


@pytest.mark.req("W48")
def test_a_longer_recording_is_held_over_the_queries_of_the_first(home):
    """Easy queries that the others never had would make it the best of them."""
    # Second place on both, and first on two more that the first run has not got.
    longer = {
        **{q: asked(q, 0.1) for q in ("a", "b")},
        "c": made.trace("c", 1),
        "d": made.trace("d", 1),
    }
    made.write_traces(home / "runs" / "desk" / "longer", longer)
    made.run(home, "short", {"a": 2, "b": 1})
    words = ("compare", "desk/short", "desk/longer", "--max-seconds", "9", "--json")
    found = json.loads(said(cli.main, *words)[0])
    second = 1 / log2(3)
    means = [one["figures"]["nDCG@10"] for one in found["runs"]]
    assert means == pytest.approx([(second + 1) / 2, second])
    assert found["best"] == "desk/short"
    assert found["runs"][1]["spent"]["cost"] == pytest.approx(0.1)
