"""Prices and coverage that are not known are told as such."""

import pytest

from eval.runs import cli
from tests.runs import made
from tests.said import said


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("ESRA_HOME", str(tmp_path))
    for name in ("one", "two"):
        made.run(tmp_path, name, {"a": 1, "b": 2})
    return tmp_path


@pytest.mark.req("W50")
def test_no_empty_picture_is_drawn_where_no_cost_is_known(home):
    """A person would take the empty axes for runs that cost nothing."""
    words = ("compare", "desk/one", "desk/two", "--picture", home / "p.png")
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
