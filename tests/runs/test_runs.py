"""`runs`: what is listed, compared, explained and taken apart of runs on the disk."""

import csv
import json
from math import log2

import pytest

from eval import demo, runfolder
from eval.runs import figures, tools
from eval.runs.ablate import ablate
from eval.runs.arm import read_arm
from eval.runs.folders import NoSuchRun, all_runs, find_run, folder_of
from tests.runs import made
from tests.runs.asked import plain, runs

SECOND, THIRD = 1 / log2(3), 1 / log2(4)
URL = "https://example.test/q?a=1|b&c=#x"


def test_a_run_goes_by_its_id_its_beginning_or_its_capability(home):
    """Else nobody could name a run without copying sixteen letters, or would get another one."""
    for name in ("abc1", "abd2"):
        made.run(home, name, {"q": 1})
    assert find_run(home, "desk/abc").id == "desk/abc1"
    assert find_run(home, "desk").id == all_runs(home)[0].id
    made.write(home / "runs" / "other_one" / "abc2", {"q": 1})
    assert find_run(home, "abd").id == "desk/abd2"
    with pytest.raises(NoSuchRun, match="begins 2 runs, desk/abc1, other_one/abc2; name more"):
        find_run(home, "abc")
    for wrong in ("desk/ab", "desk/x", "other", "../desk", "desk/..", "/etc", "desk/abc1/x", ""):
        with pytest.raises(NoSuchRun):
            find_run(home, wrong)
    outside = made.write(home / "elsewhere" / "desk" / "s3cret", {"q": 1})
    (home / "runs" / "desk" / "linked").symlink_to(outside)
    with pytest.raises(NoSuchRun):
        find_run(home, "desk/linked")


def test_labels_of_a_runs_name_are_not_taken_for_it(home, tmp_path, monkeypatch):
    """Whoever types a capability where its labels lie would be told that these are no run."""
    made.run(home, "abc1", {"q": 1})
    (tmp_path / "here" / "desk").mkdir(parents=True)
    (tmp_path / "here" / "other").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert folder_of(home, "desk") == home / "runs" / "desk" / "abc1"
    assert folder_of(home, "other").is_dir()  # and is told what it lacks
    own = made.write(tmp_path / "here" / "desk", {"q": 1})
    assert folder_of(home, "desk").samefile(own)


@pytest.mark.req("W61", "W71")
@pytest.mark.parametrize("text", ["{broken", "[]", "[" * 100_000, "\N{NO-BREAK SPACE}"])
def test_one_broken_run_hides_no_other(home, text):
    """Half a file that a full disk left would take the whole list away, from a person and from a
    client of the tools.
    """
    made.run(home, "one", {"q": 1})
    (made.run(home, "two", {"q": 1}) / "run.json").write_text(text, "utf-8")
    outcomes = {row["run"]: row["outcome"] for row in plain("list")["runs"]}
    assert outcomes == {"desk/one": "recorded", "desk/two": "unreadable"}
    assert "unreadable" in runs("list")[0]
    assert len(tools.call(home, "list_runs", {})["runs"]) == 2
    assert "desk/two: run.json is no JSON" in runs("show", "desk/two", code=3)[1]


@pytest.mark.req("W61")
def test_an_empty_home_and_a_run_of_an_older_version_are_listed_as_they_are(home):
    """Else looking would fail where there is nothing to see yet."""
    assert "no run yet" in runs("list")[0]
    (made.run(home, "one", {"q": 1}) / "labels.json").unlink()
    (home / "runs" / "desk" / "one" / "run.json").write_text("{}")
    (row,) = plain("list")["runs"]
    assert (row["run"], row["can_be_replayed"], row["queries"]) == ("desk/one", False, None)
    assert runs("list")[0].split() == ["desk/one", row["written"], "-", "unknown"]
    (home / "runs" / "desk" / "one" / "run.json").unlink()
    made.run(home, "one", {"q": 1})
    (row,) = plain("list")["runs"]
    assert row["outcome"] == "recorded"
    assert str(home) not in runs("list", "--json")[0] + runs("show", "desk", "--json")[0]


@pytest.mark.req("W61")
def test_a_recording_is_listed_with_what_it_shows(home, monkeypatch):
    """Whoever records twice would have to measure both to see which is which."""
    # By hand: the right document first, second and third; one of the three is judged.
    made.run(home, "some", {"a": 1, "b": 2, "c": 3})
    (row,) = plain("list")["runs"]
    assert (row["queries"], row["measure"], row["tuned"]) == (3, "nDCG@10", None)
    assert row["today"] == pytest.approx((1 + SECOND + THIRD) / 3, abs=1e-12)
    assert row["judged"] == pytest.approx(1 / 3, abs=1e-12)
    told = runs("list")[0]
    assert "3 queries, nDCG@10 0.7103, judged@10 0.333  recorded" in told
    arm = read_arm(all_runs(home)[0])
    for name, value in (("nDCG@10", row["today"]), ("Judged@10", row["judged"])):
        assert sum(one.values[name] for one in arm.queries.values()) / 3 == pytest.approx(value)
    monkeypatch.setattr(figures, "MOST_BYTES", 10)
    (row,) = plain("list")["runs"]
    assert (row["queries"], row["today"]) == (None, None)


def test_a_recording_that_cannot_be_read_is_listed_without_figures(home):
    """One damaged folder would hide all the others."""
    made.run(home, "good", {"a": 1})
    folder = made.run(home, "torn", {"a": 1})
    for damage in ('{"schema": 1}', "not JSON", '{"schema": 1, "judgements": {"a": [1]}, "k": 10}'):
        (folder / "labels.json").write_text(damage)
        rows = {row["run"]: row["queries"] for row in plain("list")["runs"]}
        assert rows == {"desk/good": 1, "desk/torn": None}


@pytest.mark.req("W58", "W35", "W61")
def test_two_runs_beside_each_other_by_hand(home, tmp_path):
    """Else "better" would be a matter of which queries one looks at."""
    made.run(home, "one", {"a": 1, "b": 2, "c": 3, URL: 2})
    made.run(home, "two", {"a": 2, "b": 2, "c": 1, URL: 1})
    table = tmp_path / "table.csv"
    found = plain(
        "compare", "desk/one", "desk/two", "--csv", table, "--picture", tmp_path / "p.png"
    )
    first, second = found["runs"]
    assert first["figures"]["nDCG@10"] == pytest.approx((1 + 2 * SECOND + THIRD) / 4)
    assert second["figures"]["nDCG@10"] == pytest.approx((2 + 2 * SECOND) / 4)
    against = second["against_the_first"]
    assert against["tallies"][0] == {
        "kind": "all", "value": "", "wins": 2, "ties": 1, "losses": 1, "climbed": 2, "fell": 1,
    }  # fmt: skip
    assert [mover["query"] for mover in against["losses"]] == ["a"]
    assert [mover["query"] for mover in against["gains"]] == ["c", URL]
    assert first["spent"]["seconds"] == 0.25
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")
    rows = {row["query"]: row for row in csv.DictReader(table.open())}
    assert (rows["c"]["first right"], rows["c"]["then"]) == ("3", "1")
    assert rows[URL]["difference"] == f"{1 - SECOND:.6f}"


def test_a_query_that_is_a_formula_is_none_in_a_spreadsheet(home, tmp_path):
    """Else whoever opens the table runs what somebody typed into a search box."""
    formula = '=HYPERLINK("http://x","y")'
    for name in ("one", "two"):
        made.run(home, name, {formula: 1, "+1": 1, "@x": 2})
    runs("compare", "desk/one", "desk/two", "--csv", tmp_path / "t.csv")
    first = [row[0] for row in csv.reader((tmp_path / "t.csv").open())]
    assert first == ["query", "+1", f"'{formula}", "'@x"]  # +1 is a number


@pytest.mark.req("W48", "W35")
def test_a_cap_names_the_best_within_it(home):
    """Else the slowest run would win every comparison."""
    made.run(home, "fast", {"a": 2, "b": 2})
    answers = made.trace("a", 1)["answers"]
    slow = {query: made.trace(query, 1) for query in ("a", "b")}
    for one in slow.values():
        one["answers"] = [{**one["answers"][0], "seconds": 2.0}]
    assert answers[0]["seconds"] == 0.25
    made.write_traces(home / "runs" / "desk" / "slow", slow)
    assert plain("compare", "desk/fast", "desk/slow", "--max-seconds", 5)["best"] == "desk/slow"
    found = plain("compare", "desk/fast", "desk/slow", "--max-seconds", 1)
    assert found["best"] == "desk/fast"
    assert found["out"] == {"desk/slow": "2 s over the cap of 1 s"}
    free = runs("compare", "desk/fast", "desk/slow", "--max-cost", 1)[0]
    assert "best within the caps: desk/slow" in free


def test_the_name_of_a_run_is_no_mathematics_in_the_picture():
    """Else a name with two dollar signs would end the picture in a traceback."""
    from dataclasses import replace

    from eval.measures.service import Spent
    from eval.plot import png
    from eval.runs.arm import arm_of
    from eval.runs.beside import Beside, picture

    arm = arm_of(demo.case(), "demo/x")
    cheap = Spent(
        seconds=1.0, seconds_p95=1.0, commands=1, calls=0, tokens_in=0, tokens_out=0, cost=None
    )
    odd = replace(arm, run="$\\frac{$ \\bad")
    found = [Beside(arm=odd, spent=cheap, pair=None)]
    assert png(picture(found, title="$x$")).startswith(b"\x89PNG")


@pytest.mark.parametrize("query", ["q1", URL, "0001", "a|b", "=1+1"])
def test_every_factor_of_a_result_is_explained_whatever_its_query_is_called(home, query):
    """Else an analyst could not say why a document stands where it stands."""
    made.run(home, "one", {query: 2})
    found = plain("explain", "desk/one", query)
    second = found["results"][1]
    assert (second["key"], second["grade"], second["rank"]) == (f"{query}/right", 1, 2)
    assert (second["semantic"], second["final"]) == (0.75, 0.75)
    # Native 1 of 1 to 3: normalised to 0, and so is its weighted score.
    assert second["matches"][0]["normalised"] == 0.0
    assert "semantic 0.7500 and weighted 0.0000" in runs("explain", "desk/one", query)[0]
    _, err = runs("explain", "desk/one", "nobody asked", code=3)
    assert "holds no query 'nobody asked'" in err


def test_a_sealed_query_is_not_explained(home):
    """Else whoever tunes would look at the very queries that are to judge him."""
    from eval.evidence import sealed

    queries = [f"q{number:02}" for number in range(80)]
    made.run(home, "one", dict.fromkeys(queries, 1))
    mask = sealed([f"need {query}" for query in queries])
    shut = next(query for query, held in zip(queries, mask, strict=True) if held)
    free = next(query for query, held in zip(queries, mask, strict=True) if not held)
    assert plain("explain", "desk/one", free)["query"] == free
    _, err = runs("explain", "desk/one", shut, code=3)
    assert "sealed part" in err
    assert "--even-sealed" in err
    # A client of the tools has no such option, and is not told of a way round.
    with pytest.raises(tools.ToolError) as refused:
        tools.call(home, "explain_result", {"run": "desk/one", "query": shut})
    assert "sealed part" in str(refused.value)
    assert "--" not in str(refused.value)
    assert plain("explain", "desk/one", shut, "--even-sealed")["query"] == shut


@pytest.mark.req("W53")
def test_what_each_step_is_worth_by_hand(home):
    """Else nobody could say which part of the pipeline earns its keep."""
    # The model puts the right document first; without it the words put it last, of three.
    made.run(home, "one", {"a": 1, "b": 1, "c": 2})
    found = {row["step"]: row for row in plain("ablate", "desk/one")["steps"]}
    with_it = (2 + SECOND) / 3
    assert found["rerank"]["difference"] == pytest.approx(with_it - THIRD)
    assert found["rerank"]["moved"] == 3
    for step in ("bonus", "freshness", "evidence", "priority"):
        assert (found[step]["difference"], found[step]["moved"]) == (0.0, 0)
    text, _ = runs("ablate", "desk/one")
    assert "selection: decides what is found" in text
    assert "planner: decides what is found" in text
    made.run(home, "plain", {"a": 3, "b": 1, "c": 2})
    text, _ = runs("ablate", "desk/one", "--planner", "desk/plain")
    assert "planner: decides" not in text
    planner = next(line for line in text.splitlines() if line.startswith("planner"))
    assert f"{(1 - THIRD) / 3:+.4f}" in planner


@pytest.mark.req("W53")
def test_an_ablation_on_a_real_recording_agrees_with_the_table_of_tuning():
    """Else "without a model" would mean one thing in `tune` and another here."""
    from eval.table import tabulate

    case = demo.case()
    table = tabulate(case.recordings, case.judgements, (case.today,))
    found = {one.name: one for one in ablate(case, "demo/x")}
    rerank = found["rerank"].pair.comparison
    assert rerank.before == pytest.approx(float(table.no_model.mean()))
    assert rerank.after == pytest.approx(float(table.values.mean()))
    bonus = found["bonus"].pair.comparison
    assert bonus.before != bonus.after or found["bonus"].moved == 0


@pytest.mark.req("W67")
def test_a_shadow_is_what_the_other_revision_would_have_shown(home, tmp_path):
    """Else a revision could only be judged by serving it."""
    from esra.config.tuned import sealed_body
    from tests.claimed import claim_of

    folder = made.run(home, "one", {"a": 1, "b": 3})
    # Words alone: the right document, whose native score is the least, comes last.
    body = claim_of("desk", 0, {}, "d") | {"revision": 2, "evidence": {}}
    other = tmp_path / "0002.json"
    other.write_text(json.dumps(sealed_body(body, None)))
    words = ("shadow", folder / "traces.jsonl", "--config", other)
    found = plain(*words, "--orders", tmp_path / "orders.jsonl")
    # a: right a b -> a b right. b: a b right -> the same.
    assert (found["calls"], found["first"], found["changed"]) == (2, 0.5, 0.5)
    assert (found["coverage"], found["jaccard"]) == (1.0, 1.0)
    (strayed,) = found["strayed"]
    assert strayed["call"] == "a"
    # Overlaps 0, 1, 3 of three: .1 / .9 x (0 + .5 x .81 + .729) + .729, extrapolated.
    assert strayed["rbo"] == pytest.approx(0.1 / 0.9 * (0.5 * 0.81 + 0.729) + 0.729)
    orders = [json.loads(line) for line in (tmp_path / "orders.jsonl").read_text().splitlines()]
    assert orders[0]["served"][0] == ["news", "a/right"]
    assert orders[0]["other"][-1] == ["news", "a/right"]
    lines = (folder / "traces.jsonl").read_text()
    (folder / "traces.jsonl").write_text(lines.replace('"match_bonus": 0.02', '"match_bonus": 0.1')
                                         .replace('1.0, 1.0]', '1.0, 0.9]'))  # fmt: skip
    _, err = runs(*words, code=3)
    assert "does not give the order that was served" in err


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["compare", "desk"], 3, "two runs or more"),
        (["explain", "desk/none", "q"], 3, "no run 'desk/none'"),
        (["compare", "desk", "desk", "--max-seconds", "0"], 2, "no number above 0"),
        (["nothing"], 2, "invalid choice"),
        (["shadow", "desk", "--config", "missing.json"], 3, "missing.json"),
    ],
)
def test_misuse_is_said_in_one_line(home, words, code, says):
    """Else a typo would end in a traceback."""
    made.run(home, "one", {"q": 1})
    _, err = runs(*words, code=code)
    assert says in err
    assert "Traceback" not in err


def test_a_run_that_was_killed_half_way_is_listed_and_not_compared(home):
    """Else one broken folder would hide all others."""
    made.run(home, "one", {"q": 1})
    broken = made.run(home, "two", {"q": 1})
    (broken / runfolder.LABELS).write_text("{")
    assert len(plain("list")["runs"]) == 2
    _, err = runs("compare", "desk/one", "desk/two", code=3)
    assert "not JSON" in err
