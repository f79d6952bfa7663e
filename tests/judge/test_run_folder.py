"""From a run's folder: the arms are what was decided between, and the sealed part stays shut."""

import json

import pytest

from eval import publish, record, runfolder
from eval.evidence import sealed
from eval.judge import cli
from eval.search.tunables import change, tunable
from eval.tune.verdict import Case
from tests.replay.random_traces import random_plain_trace

QUERIES = 90
PRIORITY = tunable("priority:b", ("a", "b", "c"))


def write(folder, *, flipped=frozenset(), opened=False, **elsewhere):
    """A run folder whose candidate is another priority of b; labels of ``flipped`` turned round.

    elsewhere: what its evidence says of the opening otherwise than this run is
    """
    folder.mkdir(parents=True)
    plain = {f"q{n}": random_plain_trace(n) for n in range(QUERIES)}
    own = plain["q0"]["scoring"] | {"sources": {}}
    lines = [{"query": q, "trace": trace | {"scoring": own}} for q, trace in plain.items()]
    (folder / "traces.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    recordings = record.read(folder / "traces.jsonl", frozenset(plain))
    judgements = {
        one.query: {
            (id.source, id.key): (n + (one.query in flipped)) % 2
            for n, (id, _) in enumerate(one.ranking[:6])
        }
        for one in recordings
    }
    judgements = {q: grades for q, grades in judgements.items() if grades}
    numbers = recordings[0].numbers
    case = Case(
        capability="cap", recordings=recordings, judgements=judgements, today=0, data="d",
        groups={q: q for q in plain}, strata={}, models={}, recording="r",
    )  # fmt: skip
    runfolder.write(folder, case)
    today = change(numbers, PRIORITY, 3.0)
    claim = publish.body_of("cap", change(numbers, PRIORITY, 9.0), numbers, {}, "d")
    measured = sum(any(grades.values()) for grades in judgements.values())
    evidence = {
        "against": publish.tunables_of(today, numbers),
        "sealed": {} if opened else None,
        "recording": "r",
        "queries": measured,
        **elsewhere,
    }
    publish.write_candidate(folder / "candidate.json", claim, evidence)
    return folder


def ask(folder, capsys, *more):
    assert cli.main([str(folder), "--json", "--budget", "1000", *more]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.fixture
def shut():
    names = [f"q{n}" for n in range(QUERIES)]
    return frozenset(q for q, hit in zip(names, sealed(names), strict=True) if hit)


def test_the_sealed_labels_show_in_no_figure_before_they_are_opened(tmp_path, capsys, shut):
    """Anybody could hold any candidate against the sealed part, and the ledger would not know."""
    first = ask(write(tmp_path / "1"), capsys)
    second = ask(write(tmp_path / "2", flipped=shut), capsys)
    told = ("difference", "lowest", "highest", "verdict", "judged", "queries", "sure")
    assert first["part"] == second["part"] == "development"
    assert {key: first[key] for key in told} == {key: second[key] for key in told}
    assert first["difference"] != 0.0
    opened = ask(write(tmp_path / "3", flipped=shut, opened=True), capsys)
    assert opened["part"] == "all"
    assert opened["difference"] != first["difference"]


@pytest.mark.parametrize("elsewhere", [{"recording": "other"}, {"queries": 60}])
def test_an_opening_elsewhere_opens_nothing_here(tmp_path, capsys, elsewhere):
    """A file promoted last year, or on a part of these queries, would show what is sealed of all of
    them as they are recorded now, and the ledger would not know.
    """
    assert ask(write(tmp_path / "1", opened=True), capsys)["part"] == "all"
    found = ask(write(tmp_path / "2", opened=True, **elsewhere), capsys)
    assert found["part"] == "development"


def test_pairs_of_the_sealed_part_are_still_asked_for(tmp_path, capsys, shut):
    """The part that decides would be the one that nobody judges."""
    found = ask(write(tmp_path / "1"), capsys)
    assert {one["query"] for one in found["next"]} & shut


def test_a_run_is_named_as_the_list_of_runs_names_it(tmp_path, capsys, monkeypatch):
    """Else every other command would take a name that this one takes for a missing folder."""
    monkeypatch.setenv("ESRA_HOME", str(tmp_path))
    write(tmp_path / "runs" / "desk" / "abc1")
    assert ask("desk", capsys)["queries"] > 0


def test_a_candidate_stands_against_what_it_was_measured_against(tmp_path, capsys):
    """Pairs would be asked for that a revision in force has settled already."""
    folder = write(tmp_path / "1")
    body = json.loads((folder / "candidate.json").read_text())
    same = {**body["evidence"], "against": body["tunables"]}
    claim = {key: body[key] for key in ("capability", "tunables", "models", "data")}
    publish.write_candidate(folder / "candidate.json", claim, same)
    assert ask(folder, capsys)["difference"] == 0.0
    assert ask(folder, capsys)["next"] == []
