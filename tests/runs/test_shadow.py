"""`runs shadow` over what a served house really leaves: several capabilities, and torn lines."""

import json

import pytest

from esra.config.tuned import sealed_body
from eval.runs import cli
from tests.claimed import claim_of
from tests.runs import made
from tests.said import said


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("ESRA_HOME", str(tmp_path))
    return tmp_path


def tuned(folder, capability="desk"):
    """A file of words alone, which put the right document last."""
    body = claim_of(capability, 0, {}, "d") | {"revision": 2, "evidence": {}}
    (folder / f"{capability}.json").write_text(json.dumps(sealed_body(body, None)))
    return folder / f"{capability}.json"


def live(path, *traces: dict) -> None:
    lines = [json.dumps({"query": f"call {n}", "trace": one}) for n, one in enumerate(traces)]
    path.write_text("\n".join(lines) + "\n")


@pytest.mark.req("W67")
def test_the_calls_of_another_capability_are_not_ordered_by_these_numbers(home):
    """A house keeps all calls in one file: the numbers of one capability would be judged by what
    they do to the calls of another.
    """
    path = home / "live.jsonl"
    live(path, made.trace("a", 1, capability="shop"), made.trace("b", 1))
    out, _ = said(cli.main, "shadow", path, "--config", tuned(home), "--json")
    found = json.loads(out)
    assert (found["calls"], found["others"]) == (1, 1)
    assert [one["call"] for one in found["strayed"]] == ["call 1"]
    assert "1 calls of other" in said(cli.main, "shadow", path, "--config", tuned(home))[0]
    _, err = said(cli.main, "shadow", path, "--config", tuned(home, "bank"), code=3)
    assert "no call of 'bank'" in err
    assert "desk, shop" in err


@pytest.mark.req("W67")
def test_lines_that_hold_no_whole_trace_are_counted(home):
    """Half the calls of a week could be missing from a figure that says nothing of it."""
    path = home / "live.jsonl"
    live(path, made.trace("a", 1), made.trace("b", 1, pipeline=0))
    with path.open("a") as file:
        file.write('{"query": "torn", "tra')
    found = json.loads(said(cli.main, "shadow", path, "--config", tuned(home), "--json")[0])
    assert (found["calls"], found["torn"]) == (1, 2)


@pytest.mark.req("W67")
def test_a_question_that_was_recorded_twice_is_no_damaged_line(home):
    """Whoever went on with a recording would be told that the disk had lost a part of it."""
    path = home / "traces.jsonl"
    twice = [{"query": "a", "trace": made.trace("a", place)} for place in (3, 1)]
    path.write_text("".join(json.dumps(one) + "\n" for one in twice))
    found = json.loads(said(cli.main, "shadow", path, "--config", tuned(home), "--json")[0])
    assert (found["calls"], found["torn"]) == (1, 0)


def test_where_no_model_is_asked_no_score_is_missing(home):
    """Coverage 0 would say that nothing is known, of an order that is known to the last bit."""
    path, forms = home / "live.jsonl", {"select": "all", "plan": "template", "rerank": "none"}
    ranking = [[made.SOURCE, "docs", f"a/{key}", w, w] for key, w in (("a", 1.0), ("b", 0.5))]
    ranking.append([made.SOURCE, "docs", "a/right", 0.0, 0.0])
    bare = made.trace("a", 3, forms=forms, asked=[], ordered_by="weighted", ranking=ranking)
    live(path, bare)
    found = json.loads(said(cli.main, "shadow", path, "--config", tuned(home), "--json")[0])
    assert found["coverage"] == 1.0


def test_a_file_that_is_no_tuned_one_is_named(home):
    """Whoever mixed two files up would not learn which one is meant."""
    path = home / "live.jsonl"
    live(path, made.trace("a", 1))
    (home / "notes.toml").write_text("x = 1")
    _, err = said(cli.main, "shadow", path, "--config", home / "notes.toml", code=3)
    assert f"{home / 'notes.toml'}: not a tuned file" in err
