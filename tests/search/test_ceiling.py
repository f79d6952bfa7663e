"""A ceiling is decided like any number, and its saving stands beside the quality."""

import json
from dataclasses import replace

import numpy as np
import pytest

from esra.config.apply import tuned
from esra.config.tuned import read_tuned
from esra.domain.capability import Capability
from eval import bulk
from eval.search.learnable import everything
from eval.search.tunables import change, tunable
from eval.tune import numbers as room
from eval.tune.numbers import NothingToLearn
from eval.tune.turned import UNKNOWN
from tests.replay.random_traces import random_trace
from tests.tune.planted import SOURCES, case_of, planted, run

CEILING = tunable("ceiling:b", SOURCES)


@pytest.fixture(scope="module")
def known():
    """300 traces under one set of numbers; what is right is what b's first query found alone."""
    numbers = random_trace(0).numbers
    for name, value in (("share", 0.5), ("priority:b", 10.0), ("shortlist", 200.0)):
        numbers = change(numbers, tunable(name, SOURCES), value)
    return planted(numbers, change(numbers, CEILING, 1.0))


@pytest.mark.req("U12", "U13")
def test_a_lower_ceiling_is_promoted_and_orders_the_runtime(known, tmp_path):
    """The one number that saves the database work could not be tuned, or would not be in force."""
    done = run(case_of(known), ["ceiling:b"], tmp_path)
    assert done.decision.promoted, done.why
    assert done.told == {"today": "3 queries", "setting": "1 query"}
    raw = done.config.read_bytes()
    file = read_tuned(raw, where="f", capability="cap", sources=frozenset(SOURCES))
    assert file.tunables.sources["b"].model_dump(exclude_none=True) == {"ceiling": 1}
    bare = Capability(id="cap", name="cap", bindings=(), scoring=known[2])
    assert tuned(bare, file).scoring.of("b").ceiling == 1
    lower = replace(bare, scoring=change(known[2], tunable("ceiling:b", SOURCES), 1.0))
    raised = file.model_copy(update={"tunables": _with_ceiling(file.tunables, 3)})
    assert tuned(lower, raised).scoring.of("b").ceiling == 1  # never above the catalog's own


def _with_ceiling(tunables, count):
    own = tunables.sources["b"].model_copy(update={"ceiling": count})
    return tunables.model_copy(update={"sources": {"b": own}})


def test_without_a_reranker_no_score_is_missing(known, tmp_path):
    """A capability without a model would be told that nothing of its shortlist was scored."""
    traces, judgements, numbers = known
    plain = [replace(t, asked=(), reranked=False, semantic={}) for t in traces[:80]]
    models = {"select": "", "plan": "", "rerank": ""}
    case = case_of((plain, judgements, numbers), models=models, explore=True)
    done = run(case, ["ceiling:b"], tmp_path)
    assert done.decision.coverage == 1.0
    assert done.unknown[0] == done.unknown[1]
    assert UNKNOWN not in done.notes


def test_what_each_stop_asks_of_the_engines_stands_beside_its_figure(known, tmp_path):
    """Quality would be bought with queries that nobody counted."""
    done = run(case_of(known, explore=True), ["ceiling:b"], tmp_path)
    ran = [
        sum(a.source != "b" or a.query < n for t in known[0] for a in t.answers) for n in (1, 2, 3)
    ]
    assert done.queries == pytest.approx([count / 300 for count in ran])
    assert done.as_json()["curve"]["queries_a_call"] == list(done.queries)
    text = done.as_text()
    for told, count in zip(("1 query", "2 queries", "3 queries"), done.queries, strict=True):
        assert any(told in line and f"{count:.2f}" in line for line in text.splitlines())


@pytest.mark.req("W50")
def test_a_ceiling_that_no_answer_depends_on_says_what_it_costs(known, tmp_path):
    """Queries that change nothing would be asked for ever, since no curve shows them."""
    traces, judgements, numbers = known
    answer = next(a for a in traces[0].answers if a.source == "a")
    # Source b answers the same to each of its three queries, and no bonus is given for it.
    own = tuple(replace(hit, id=replace(hit.id, source="b")) for hit in answer.result)
    thrice = [replace(answer, source="b", query=n, result=own) for n in range(3)]
    same = [replace(t, answers=(answer, *thrice)) for t in traces]
    case = case_of((same, judgements, replace(numbers, match_bonus=0.0)))
    with pytest.raises(NothingToLearn) as said:
        run(case, ["ceiling:b"], tmp_path)
    assert str(said.value).endswith("at 1 query a call asks 2.00 queries in all, today 4.00")


@pytest.mark.req("W45", "W50")
def test_all_turns_the_whole_table_and_says_first_what_it_cannot_learn(
    known, tmp_path, monkeypatch
):
    """A number would be neither turned nor explained, or the reader would learn it at the end."""
    monkeypatch.setattr(room, "cross_fitted", lambda *_, **__: None)
    climbed = room.ascend
    monkeypatch.setattr(room, "ascend", lambda *a, **k: climbed(*a, **{**k, "restarts": 0}))
    said = []
    small = known[0][:40], known[1], known[2]
    done = run(case_of(small, explore=True), ["all"], tmp_path, say=said.append)
    turned = done.way.name.split(" + ")
    laid = bulk.lay_out(small[0])
    every = [str(one) for one in everything(laid, known[2])]
    lost = [line.partition(": cannot be learned")[0] for line in done.unlearnable]
    assert sorted([*turned, *lost]) == sorted(every)
    assert {"shortlist", "ceiling:b"} <= set(turned)
    at = {word: n for n, line in enumerate(said) for word in ("cannot", "smallest", "climbing")
          if word in line}  # fmt: skip
    assert at["cannot"] < at["smallest"] < at["climbing"]
    shown = dict(done.can_show[1])
    assert list(shown) == turned
    text = done.as_text()
    head, _, rest = text.partition("smallest difference")
    assert all(line in head for line in done.unlearnable)
    assert "settings tried" in rest
    assert json.dumps(done.as_json(), allow_nan=False)
    assert np.isfinite([least for least in shown.values() if least is not None]).all()
