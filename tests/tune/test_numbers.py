"""Any number is tuned as the share is: said, decided once, and written for the runtime."""

import json
from dataclasses import replace

import numpy as np
import pytest

from esra.config.tuned import read_tuned
from esra.domain.outcome import Failed
from eval import bulk
from eval.search.tunables import change, tunable, value_of
from eval.table import pair
from eval.tune.numbers import NothingToLearn
from eval.tune.predicted import Again
from tests.replay.random_traces import random_trace
from tests.tune import labelled
from tests.tune.commands import command, tune
from tests.tune.planted import SOURCES, case_of, planted, run

PRIORITY = tunable("priority:b", SOURCES)
SHARE = tunable("share", SOURCES)


@pytest.fixture(scope="module")
def known():
    """300 traces under one set of numbers, whose labels come from a priority of b that is 5."""
    numbers = random_trace(0).numbers
    numbers = change(change(numbers, PRIORITY, 1.0), SHARE, 0.5)
    numbers = replace(numbers, shortlist=200)
    return planted(numbers, change(numbers, PRIORITY, 5.0))


@pytest.mark.req("U10", "U12", "W45")
def test_a_priority_is_promoted_and_the_runtime_takes_the_file(known, tmp_path):
    """A planted priority would not be found, or not be written where the runtime reads it."""
    done = run(case_of(known), ["priority:b"], tmp_path)
    assert done.decision.promoted, done.why
    assert value_of(done.numbers, PRIORITY) > 2
    sources = frozenset(SOURCES)
    raw = done.config.read_bytes()
    file = read_tuned(raw, where="f", capability="cap", sources=sources)
    assert file.tunables.sources["b"].priority == value_of(done.numbers, PRIORITY)
    assert set(file.tunables.sources) == {"b"}
    assert file.tunables.match_bonus is None
    assert json.loads(raw)["evidence"]["way"] == "priority:b"


def test_a_curve_names_its_stops_as_a_person_would_write_them(known, tmp_path):
    """A peak at "off" would read as a floor, and 30 days as a half-life of .0333."""
    case = case_of(known, explore=True)
    floor = run(case, ["native-floor:a"], tmp_path)
    assert "  means of the development part:\n  today " in floor.as_text()
    assert floor.as_json()["part"] == "development"
    names = floor.as_json()["curve"]["told"]
    assert names[0] == "off"
    assert names[1:] == [f"{float(stop):.4g}" for stop in floor.way.settings[1:]]
    best = names[int(np.argmax(floor.decision.choice.curve))]
    assert f" at {best}, lowest" in floor.as_text()
    dated = [
        replace(one, now=3e9, answers=tuple(_dated(answer) for answer in one.answers))
        for one in known[0]
    ]
    life = run(case_of((dated, *known[1:]), explore=True), ["half-life:a"], tmp_path)
    assert {"off", "30 days"} < set(life.as_json()["curve"]["told"])
    assert "days, lowest" in life.as_text() or "at off, lowest" in life.as_text()


def _dated(answer):
    """The same records, each some days old."""
    if isinstance(answer.result, Failed):
        return answer
    hits = (replace(hit, timestamp=3e9 - 86_400 * n) for n, hit in enumerate(answer.result))
    return replace(answer, result=tuple(hits))


def test_asking_again_opens_nothing(known, tmp_path):
    """The same claim would be tested until luck lets it through."""
    first = run(case_of(known), ["priority:b"], tmp_path)
    ledger = (tmp_path / "openings.jsonl").read_bytes()
    again = run(case_of(known), ["priority:b"], tmp_path)
    assert (tmp_path / "openings.jsonl").read_bytes() == ledger
    assert again.config == first.config
    assert again.decision.sealed == first.decision.sealed


def test_exploring_opens_no_ledger(known, tmp_path):
    """A look would use up an opening."""
    done = run(case_of(known, explore=True), ["priority:b"], tmp_path)
    assert not done.decision.promoted
    assert not (tmp_path / "openings.jsonl").exists()
    assert done.config.name == "explored.json"


@pytest.mark.req("W45", "W47")
def test_several_numbers_are_climbed_and_estimated_without_their_own_queries(
    known, tmp_path, monkeypatch
):
    """The estimate of a climb would be made of the queries that chose its direction."""
    import eval.tune.numbers as room

    fewer = room.cross_fitted
    monkeypatch.setattr(room, "cross_fitted", lambda *a, **k: fewer(*a, **{**k, "draws": 1}))
    small = known[0][:90], known[1], known[2]
    done = run(case_of(small, explore=True), ["share", "priority:b"], tmp_path)
    assert done.tried > 0
    assert done.way.parameters == 2
    assert done.decision.estimate.difference > 0
    assert done.decision.estimate.draws == 1
    assert done.decision.outcome.value in ("explored", "too-many-parameters")


@pytest.mark.req("W50")
def test_what_cannot_be_learned_is_said_and_nothing_is_written(known, tmp_path):
    """A person would get a middle of a flat line and call it tuned."""
    none = [replace(one, evidence={}) for one in known[0]]
    said = []
    with pytest.raises(NothingToLearn, match="no source evidence") as refused:
        run(case_of((none, *known[1:])), ["evidence-floor"], tmp_path, say=said.append)
    assert said
    (line,) = refused.value.more["cannot_be_learned"]
    assert line in str(refused.value)
    assert not list(tmp_path.iterdir())


def test_a_replay_that_live_answers_contradict_opens_nothing(known, tmp_path):
    """A listwise model's other shortlist would have been scored otherwise than was replayed."""
    traces, judgements, numbers = known
    short = replace(numbers, shortlist=5)
    cut = [replace(t, numbers=short, asked=t.asked[:5]) for t in traces]
    case = case_of((cut, judgements, short))
    asked = []

    def worst(numbers, queries, draw):
        asked.append(len(queries))
        chosen = {t.query: t for t in cut}
        return bulk.lay_out([replace(chosen[q], answers=(), ranking=()) for q in queries])

    done = run(case, ["priority:b"], tmp_path, again=Again(ask=worst))
    assert asked
    assert asked[0] <= 50
    assert done.decision.outcome.value == "not-as-predicted"
    assert not (tmp_path / "openings.jsonl").exists()


def test_the_sealed_queries_have_no_say_in_the_climb(known, tmp_path):
    """The sealed part would have been looked at before it is opened."""
    from eval.evidence import sealed

    traces, judgements, _ = known
    first = run(case_of(known, explore=True), ["priority:b"], tmp_path)
    groups = [one.query for one in traces]
    hidden = [g for g, hit in zip(groups, sealed(groups), strict=True) if hit]
    turned = {**judgements, **{q: {k: 4 - v for k, v in judgements[q].items()} for q in hidden}}
    second = run(case_of((traces, turned, known[2]), explore=True), ["priority:b"], tmp_path)
    assert first.decision.setting == second.decision.setting
    assert np.array_equal(first.decision.choice.curve, second.decision.choice.curve)


def test_the_sealed_queries_have_no_say_in_what_can_be_learned(known, tmp_path):
    """What only they tell apart would be searched, and their labels known before the opening."""
    from eval.evidence import sealed

    traces, judgements, _ = known
    groups = [one.query for one in traces]
    hidden = {g for g, hit in zip(groups, sealed(groups), strict=True) if hit}
    # Where all that was found is right, no order of it is better than another.
    laid = bulk.lay_out(traces)
    labels = {query: dict(judgements[query]) if query in hidden else {} for query in laid.queries}
    for query, id in zip(laid.query, laid.ids, strict=True):
        if laid.queries[query] not in hidden:
            labels[laid.queries[query]][pair(id)] = 1
    with pytest.raises(NothingToLearn, match="no labelled query is sensitive"):
        run(case_of((traces, labels, known[2]), explore=True), ["priority:b"], tmp_path)


def test_the_sealed_queries_have_no_say_in_a_climb_over_several(known, tmp_path, monkeypatch):
    """The direction itself would be chosen on the queries that are to confirm it."""
    import eval.tune.numbers as room
    from eval.evidence import sealed

    monkeypatch.setattr(room, "cross_fitted", lambda *_, **__: None)
    traces, judgements = known[0][:90], known[1]
    groups = [one.query for one in traces]
    hidden = [g for g, hit in zip(groups, sealed(groups), strict=True) if hit]
    turned = {**judgements, **{q: {k: 4 - v for k, v in judgements[q].items()} for q in hidden}}
    first, second = (
        run(case_of((traces, labels, known[2]), explore=True), ["share", "priority:b"], tmp_path)
        for labels in (judgements, turned)
    )
    assert first.way.numbers(first.way.settings[-1]) == second.way.numbers(second.way.settings[-1])
    assert first.numbers == second.numbers != known[2]
    assert first.decision.choice.curve == second.decision.choice.curve


@pytest.mark.req("U12", "U13")
def test_the_command_tunes_a_named_number_and_the_runtime_answers_with_it(tmp_path):
    """The number would be tuned in the workbench and never reach a caller."""
    folder = labelled.write(tmp_path / "things")
    found, _ = tune(tmp_path / "home", "things", folder, "--parameter", "share")
    assert found["promoted"], found["why"]
    assert found["parameter"] == "share"
    asked = ("esra", "retrieve", "things", "car repair", "--json")
    answer = json.loads(command(tmp_path / "home", *asked).stdout)
    assert answer["configuration"]["tuned"]
    wrong = ("eval", "tune", "--name", "things", "--data", str(folder), "--parameter", "shore")
    assert "no number 'shore'" in command(tmp_path / "home", *wrong, code=2).stderr
