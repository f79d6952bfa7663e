"""Live answers bear a replay out where the model means the same by a record in any company."""

import random
from dataclasses import replace

import numpy as np
import pytest

from esra.domain.hit import Given
from eval import bulk
from eval.evidence import Scores
from eval.evidence.agree import Agreement, Bearing
from eval.search.tunables import change, tunable
from eval.table import pair
from eval.tune.predicted import Again, as_predicted
from eval.tune.turned import heard
from tests.replay.answered import answered, numbers_of

BEFORE, AFTER = numbers_of(1, shortlist=7), numbers_of(2, shortlist=7)


def unsteady(one, draw, spread):
    """The same answer by a model that does not repeat itself."""
    dice = random.Random(f"{one.query} {draw}")
    said = {
        id: Given(value=min(1.0, max(0.0, own.value + dice.gauss(0, spread))))
        if isinstance(own, Given)
        else own
        for id, own in one.semantic.items()
    }
    return replace(one, semantic=said)


def asked_again(*, listwise, spread=0.0, repeats=0, queries=30, world=0):
    """(what is found of so many questions, recorded with a short shortlist and asked under other
    numbers; how many were asked how often, as announced; the draws that were taken).
    """

    def answers(numbers, draw):
        return [unsteady(answered(seed, numbers, listwise=listwise), f"{world} {draw}", spread)
                for seed in range(queries)]  # fmt: skip

    def some(recordings, names):
        found = {one.query: one for one in recordings}
        return bulk.lay_out([found[name] for name in names])

    laid = bulk.lay_out(answers(BEFORE, "recorded"))
    judgements = {
        query: {pair(laid.ids[at]): 1 for at in np.flatnonzero(laid.query == q) if at % 3}
        for q, query in enumerate(laid.queries)
    }
    labels = bulk.label(laid, judgements)
    # Nothing was right before, so that no noise takes the gain.
    scores = Scores(
        measure="", settings=(0,), values=[[0.0]] * queries, groups=laid.queries, today=0
    )
    told, draws = [], []

    def ask(numbers, names, draw):
        draws.append(draw)
        return some(answers(numbers, f"live {draw}"), names)

    again = Again(
        ask=ask,
        repeats=lambda names: [some(answers(BEFORE, n), names) for n in range(repeats)],
        warn=lambda queries, times: told.append((queries, times)),
    )
    return as_predicted(laid, labels, AFTER, scores, again), told, draws


@pytest.mark.req("U12")
def test_a_model_that_scores_each_record_by_itself_is_borne_out_by_one_answer():
    """No number that changes the shortlist could ever be promoted: the scores that were missing
    would count as a contradiction."""
    found, told, draws = asked_again(listwise=False)
    assert found.bearing is Bearing.BORNE_OUT
    assert (found.floor, found.difference) == (0.0, 0.0)
    assert told == [(found.queries, 3)]
    assert draws == [0]


def test_a_model_whose_scores_depend_on_their_company_is_not():
    """A replay would speak for scores that the model takes back (RULINGS 38)."""
    found, _, draws = asked_again(listwise=True)
    assert found.bearing is Bearing.CONTRADICTED
    # It says the same each time it is asked: no noise excuses the difference.
    assert (found.floor, draws) == (0.0, [0, 1, 2])


@pytest.mark.req("U12")
def test_a_model_that_does_not_repeat_itself_is_borne_out_within_its_own_noise():
    """With a language model no such number could be promoted, however honest its scores."""
    found, _, draws = asked_again(listwise=False, spread=0.1)
    assert found.bearing is Bearing.BORNE_OUT
    assert 0 < abs(found.difference) <= found.floor
    assert (found.recordings, found.answers, draws) == (1, 3, [0, 1, 2])


def test_recordings_that_are_there_are_not_paid_for_again():
    """Whoever recorded three times to know the noise would be sent three more bills."""
    found, told, draws = asked_again(listwise=False, spread=0.1, repeats=2)
    assert found.bearing is Bearing.BORNE_OUT
    assert (found.recordings, found.answers, draws) == (3, 1, [0])
    assert told == [(found.queries, 1)]


def test_noise_does_not_hide_a_model_whose_scores_depend_on_their_company():
    """A model would only have to be unsteady to be believed, here where it is right on average."""
    found, _, _ = asked_again(listwise=True, spread=0.05, queries=80)
    assert found.bearing is Bearing.CONTRADICTED
    assert abs(found.difference) < found.floor
    assert "query by query they differ by more than the model's noise" in heard(found)[1]


@pytest.mark.parametrize(
    ("floor", "p", "claimed", "says"),
    [
        (0.0, 1.0, 0.1, "the model repeats itself: the replay is borne out"),
        (0.0, 0.0, 0.1, "the model repeats itself: the replay is contradicted"),
        (0.03, 0.5, 0.1, "up to 0.0300 of the difference may be the model's own noise: the replay"
         " is borne out"),
        (0.03, 0.5, 0.01, "up to 0.0300 of the difference may be the model's own noise: that could"
         " take the whole gain, so nobody can tell"),
        (0.03, 0.01, 0.1, "0.0300 of the difference may be the model's own noise: the replay is"
         " contradicted"),
    ],
)  # fmt: skip
def test_what_live_answers_say_is_told_in_words(floor, p, claimed, says):
    """A person would have to know the law of a noise floor to read one line of a report."""
    one = Agreement(
        queries=50, predicted=0.45, live=0.4, floor=floor, p=p, recordings=1, answers=3,
        reached=1.0, claimed=claimed,
    )  # fmt: skip
    first, second = heard(one)
    assert "0.4000 where the replay said 0.4500" in first
    assert says in second


def planned(*, by_model, otherwise=False):
    """(what is found where a ceiling of 1 is claimed for one source, how often it was asked).

    No reranker stands between, so that only the plan may differ.
    """
    before = numbers_of(1, shortlist=200)
    after = change(before, tunable("ceiling:a", ("a",)), 1.0)

    def answers(seed, numbers):
        one = answered(seed, numbers)
        return replace(one, reranked=False, asked=(), semantic={})

    own = [replace(answers(seed, before), modelled=frozenset("a" * by_model)) for seed in range(20)]
    laid = bulk.lay_out(own)
    judgements = {
        one.query: {pair(id): 1 for id, _ in one.ranking[:6] if id.source == "a"} for one in own
    }
    labels = bulk.label(laid, judgements)
    asked = []

    def second(one):
        """Told of one query, the model asks what was its second."""
        kept = [a for a in one.answers if a.source != "a" or a.query]
        return replace(one, answers=tuple(replace(a, query=0) for a in kept))

    def ask(numbers, names, draw):
        asked.append(draw)
        if otherwise:
            return bulk.lay_out([second(own[int(name)]) for name in names])
        return bulk.lay_out([answers(int(name), numbers) for name in names])

    groups = tuple(q for q, told in zip(laid.queries, labels.measured, strict=True) if told)
    scores = Scores(measure="", settings=(0,), values=[[0.0]] * len(groups), groups=groups, today=0)
    again = Again(ask=ask)
    found = as_predicted(laid, labels, after, scores, again, recordings=own, judgements=judgements)
    return found, asked


def test_a_plan_by_the_template_is_known_without_asking():
    """Every lower ceiling would be paid for in live questions that can tell nothing."""
    assert planned(by_model=False) == (None, [])


@pytest.mark.req("U12")
def test_a_language_model_that_is_told_a_lower_ceiling_is_asked_what_it_plans():
    """Its shorter plan would be taken for the head of its longer one."""
    kept, asked = planned(by_model=True)
    assert asked == [0]
    assert kept.bearing is Bearing.BORNE_OUT
    other, asked = planned(by_model=True, otherwise=True)
    assert asked == [0, 1, 2]
    assert other.bearing is Bearing.CONTRADICTED
