"""Reranking: what the model sees, what is accepted of it, and an order computed here."""

import asyncio
import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from esra.briefs import CandidateBrief, RerankBrief
from esra.domain.capability import Forms, RerankForm
from esra.domain.codes import WarningCode
from esra.domain.hit import Answer, Given, NotAsked, Omitted
from esra.domain.plan import Strategy
from esra.domain.ranking import OrderedBy
from esra.llm.scripted import Scripted
from esra.stages.aggregate import aggregate
from esra.stages.normalize import normalize
from esra.stages.rerank import admit_scores, rerank, shortlist
from tests.house import call, hit, scope, scoring, source

LOCAL = Forms(rerank=RerankForm.LOCAL)


def candidates(*hits, numbers=None):
    numbers = numbers or scoring()
    by_source: dict[str, list] = {}
    for one in hits:
        by_source.setdefault(one.id.source, []).append(one)
    answers = tuple(
        Answer(source=id, query=0, strategy=Strategy.KEYWORD, result=tuple(own))
        for id, own in by_source.items()
    )
    return aggregate(normalize(answers, numbers, 0.0).value, numbers).value


def run(found, answer, *, numbers=None, sources=None):
    """(keys in order, the outcome, the model); ``answer`` maps titles to scores, or makes text."""
    model = Scripted(answer if callable(answer) else lambda brief: by_title(brief, answer))
    own = scope(*(sources or (source("news"),)), forms=LOCAL, scoring=numbers or scoring())
    outcome = asyncio.run(rerank(call(), own, found, {"local": model}, 5.0))
    return [r.candidate.hit.id.key for r in outcome.value.ranked], outcome, model


def by_title(brief: RerankBrief, scores: dict[str, object]) -> str:
    rows = [
        {"resultId": c.resultId, "score": scores[c.title]}
        for c in brief.candidates
        if c.title in scores
    ]
    return json.dumps({"scores": rows})


THREE = (hit("a", 0.0), hit("b", 5.0), hit("c", 10.0))  # weighted 0, .5, 1


@pytest.mark.req("E151")
def test_final_is_the_blend_worked_by_hand():
    """Else the order would not be the documented formula's."""
    keys, outcome, _ = run(candidates(*THREE), {"title a": 1.0, "title b": 0.5, "title c": 0.25})
    # a: .7 x 1 + .3 x 0 = .7; b: .35 + .15 = .5; c: .175 + .3 = .475
    assert keys == ["a", "b", "c"]
    assert [r.final for r in outcome.value.ranked] == pytest.approx([0.7, 0.5, 0.475], abs=1e-15)
    assert outcome.value.ordered_by is OrderedBy.FINAL


@pytest.mark.req("E150")
def test_the_models_array_order_means_nothing():
    """Else a model could order by position and ignore its own scores."""

    def shuffled(seed):
        def answer(brief):
            rows = [{"resultId": c.resultId, "score": 0.5} for c in brief.candidates]
            random.Random(seed).shuffle(rows)
            return json.dumps(rows)

        return run(candidates(*THREE), answer)[0]

    assert {tuple(shuffled(seed)) for seed in range(20)} == {("c", "b", "a")}


@pytest.mark.req("E153", "E154", "E155")
def test_an_omitted_candidate_ranks_below_a_scored_zero_and_keeps_no_score():
    """Else an incomplete answer would read as a judgement of irrelevance."""
    keys, outcome, _ = run(candidates(*THREE), {"title a": 0.0, "title b": 0.1})
    assert keys == ["b", "a", "c"]
    assert outcome.value.ranked[-1].semantic == Omitted()
    (warning,) = outcome.warnings
    assert (warning.code, warning.count) == (WarningCode.RERANK_INCOMPLETE, 1)


def test_what_was_not_asked_comes_last_by_weighted():
    """Else a candidate nobody judged could outrank one the model saw (RULINGS 7)."""
    many = candidates(*(hit(f"{n}", float(n)) for n in range(8)))
    keys, outcome, model = run(
        many, {f"title {n}": 0.5 for n in range(8)} | {}, numbers=scoring(shortlist=5)
    )
    assert len(model.seen[0].candidates) == 5
    assert keys == ["7", "6", "5", "4", "3", "2", "1", "0"]
    states = [type(r.semantic) for r in outcome.value.ranked]
    assert states == [Given] * 5 + [NotAsked] * 3


@pytest.mark.req("E140", "E142", "E143", "E144", "E145", "E147")
def test_the_model_sees_prompt_source_title_and_fragment_and_no_key_or_score():
    """Else keys would leak, or native scores would anchor the model to lexical ranking."""
    found = candidates(
        hit("key-4711", 0.123456789012, title="Flutter", fragment="of wings"),
        hit("key-4712", 0.987654321098, title="Drag"),
    )
    _, _, model = run(found, {}, sources=(source("news", name="The News"),))
    (brief,) = model.seen
    assert brief.prompt == "wing flutter"
    shown = next(c for c in brief.candidates if c.title == "Flutter")
    assert (shown.source, shown.fragments) == ("The News", ("of wings",))
    assert "4711" not in repr(brief)
    assert "123456789012" not in repr(brief)
    assert "987654321098" not in repr(brief)
    assert set(CandidateBrief.__dataclass_fields__) == {"resultId", "source", "title", "fragments"}


@pytest.mark.req("E141")
def test_result_ids_say_nothing_and_are_new_for_each_invocation():
    """Else an id could be traced back to a record, or joined over two calls."""
    found = candidates(*THREE)
    seen = []
    for salt in ("one", "two"):
        model = Scripted(lambda brief: "[]")
        own = scope(source("news"), forms=LOCAL)
        asked = call().__class__(**{**_fields(call()), "salt": salt})
        asyncio.run(rerank(asked, own, found, {"local": model}, 5.0))
        seen.append({c.resultId for c in model.seen[0].candidates})
    assert len(seen[0]) == len(seen[1]) == 3
    assert not seen[0] & seen[1]


def _fields(record):
    return {name: getattr(record, name) for name in record.__dataclass_fields__}


@pytest.mark.req("E148", "E149")
def test_a_small_source_keeps_its_place_on_the_shortlist():
    """Else a source with 500 hits would crowd out three strong ones."""
    crowd = [hit(f"{n:03}", float(n)) for n in range(500)]
    few = [hit(f"s{n}", float(n), source="law") for n in range(3)]
    taken = shortlist(candidates(*crowd, *few), 10)
    assert sum(c.hit.id.source == "law" for c in taken) == 3
    names = ["s1", "s2", "s3", "s4"]
    four = [hit(f"{s}{n}", float(n), source=s) for s in names for n in range(2)]
    taken = shortlist(candidates(*crowd, *four), 10)
    assert {s: sum(c.hit.id.source == s for c in taken) for s in names} == dict.fromkeys(names, 2)


@pytest.mark.req("E156", "E157")
@pytest.mark.parametrize("text", ["", "no", "{}", '{"scores": 3}', "<html>", '{"scores": [}'])
def test_an_unusable_answer_orders_by_weighted_with_a_warning(text):
    """Else a broken model would shuffle, or hide, the answer."""
    keys, outcome, _ = run(candidates(*THREE), lambda brief: text)
    assert keys == ["c", "b", "a"]
    assert [w.code for w in outcome.warnings] == [WarningCode.RERANK_FALLBACK]
    assert outcome.value.ordered_by is OrderedBy.WEIGHTED


def test_with_weights_one_and_no_bonus_weighted_order_is_normalised_order():
    """Else the fallback would not be the seed's "normalized-score ordering" (RULINGS 8)."""
    found = candidates(*THREE, hit("p", 1.0, source="law"), hit("q", 4.0, source="law"))
    by_normalised = sorted(
        found, key=lambda c: (-c.matches[0].normalised, c.hit.id.source, c.hit.id.key)
    )
    assert list(found) == by_normalised


@pytest.mark.parametrize("score", [-0.1, 1.1, 1e400, "0.5", True, None, [0.5]])
def test_a_score_that_is_none_counts_as_omitted(score):
    """Else "score me 100" in a document would win (B27)."""
    rows = [{"resultId": "a", "score": score}, {"resultId": "b", "score": 0.5}]
    try:
        text = json.dumps(rows, allow_nan=False)
    except ValueError:
        text = json.dumps(rows).replace("Infinity", "1e400")
    assert admit_scores(text, frozenset({"a", "b"})) == {"b": 0.5}


def test_a_duplicate_id_counts_as_omitted_and_an_unknown_one_as_nothing():
    """Else the last word of a confused model would decide."""
    rows = [
        {"resultId": "a", "score": 0.9},
        {"resultId": "a", "score": 0.1},
        {"resultId": "z", "score": 1},
        {"resultId": "b", "score": 0},
        "noise",
    ]
    assert admit_scores(json.dumps(rows), frozenset({"a", "b"})) == {"b": 0.0}


@given(st.text())
def test_any_text_at_all_is_admitted_or_refused_and_never_breaks(text):
    """Else some reply would end the invocation."""
    from esra.reply import Unusable

    try:
        scores = admit_scores(text, frozenset({"a"}))
    except Unusable:
        return
    assert set(scores) <= {"a"}
