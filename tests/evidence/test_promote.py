"""Every way a decision ends, and that nothing is claimed which was not shown."""

import json
import re
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from eval.evidence import Outcome, UnfitScores, nested, sealed, smallest_detectable, split
from eval.evidence.agree import Agreement
from eval.evidence.ledger import at_level
from eval.evidence.promote import due
from eval.evidence.simulate import PLATEAU, SETTINGS, Shape, World, detectable_gain, simulate
from tests.evidence.tables import NOW, gained, named, table, verdict


def planted(seed=1, groups=100, times=2.0, shape=Shape.CLUSTERED):
    gain = times * detectable_gain(shape, round(groups * 0.4))
    return simulate(World(shape=shape, gain=gain), groups, np.random.default_rng(seed))


@pytest.mark.parametrize("shape", Shape)
def test_a_gain_of_twice_the_smallest_detectable_is_promoted(ledger, shape):
    """The workbench would refuse everything and be safe and useless."""
    decision = verdict(planted(shape=shape), ledger)
    assert decision.outcome is Outcome.PROMOTED
    assert decision.promoted
    assert PLATEAU[0] <= decision.setting <= PLATEAU[1]
    assert decision.sealed.opening == 1
    assert decision.sealed.p <= decision.sealed.level == 0.025
    assert decision.sealed.interval[0] > 0
    assert re.fullmatch(
        r"promoted: 0\.\d+ against today's 0\.7 gives \+0\.\d{4} nDCG@10 on \d+ sealed groups "
        r"\(p = \S+ at level 0\.025, opening 1\)\.",
        decision.why,
    )


@pytest.mark.parametrize("shape", Shape)
@pytest.mark.parametrize("seed", range(3))
def test_a_set_without_a_gain_is_not(ledger, shape, seed):
    """Noise would be written into production."""
    decision = verdict(planted(seed=seed, times=0.0, shape=shape), ledger)
    assert not decision.promoted


def test_a_second_identical_decision_opens_nothing(ledger):
    """Running the command again would be another chance, or cost a level."""
    first = verdict(planted(), ledger)
    head = ledger.head
    later = verdict(planted(), ledger, now=NOW.replace(year=2027), seed=0)
    assert ledger.head == head == later.ledger_head
    assert later.sealed == first.sealed
    assert later.promoted
    assert later.why == f"shown before on 2026-03-01T12:00:00+00:00: {first.why}"


def test_needs_that_are_named_later_make_no_new_set(ledger):
    """Adding the field `need` to every query would seal others of the same queries, and the next
    claim on them would be tested as mildly as the first.
    """
    questions = tuple(f"question {i}" for i in range(200))
    plain = replace(gained(200, 0.02, noise=0.05), groups=questions, texts=questions)
    needs = replace(plain, groups=tuple(f"the need behind {i}" for i in questions))
    assert verdict(plain, ledger).sealed.opening == 1
    second = verdict(needs, ledger, candidate_hash_of=lambda setting: "needs")
    assert (second.sealed.opening, second.sealed.level) == (2, 0.0125)
    with pytest.raises(UnfitScores, match="3 texts"):
        replace(plain, texts=questions[:3])


def test_what_can_be_shown_is_said_at_the_level_of_the_opening(ledger):
    """A refusal at half the level would name a difference that only the first opening could show,
    and its reader would think that the set is large enough.
    """
    scores = gained(100, 0.03, noise=0.06)
    first = verdict(scores, ledger)
    second = verdict(scores, ledger, candidate_hash_of=lambda setting: "another")
    groups, development = split(scores).sealed_groups, split(scores).development
    for decision, level in ((first, 0.025), (second, 0.0125)):
        least = smallest_detectable(development, groups, level=level)
        assert decision.sealed.level == level
        assert decision.smallest_detectable == least
    assert second.smallest_detectable.value > 1.05 * first.smallest_detectable.value
    # Shown once more, each says what it said.
    assert verdict(scores, ledger).smallest_detectable == first.smallest_detectable
    nothing = verdict(scores, None, explore=True)
    assert nothing.smallest_detectable == first.smallest_detectable
    assert due(scores, split(scores), ledger) == 0.00625
    assert at_level(0.025) == ""
    assert at_level(0.00625) == " at the level 0.00625 of opening 3"


def test_figures_are_means_of_the_right_part(ledger):
    """Before and after would be taken from queries that chose the number."""
    scores = planted()
    decision = verdict(scores, ledger)
    hidden = sealed(scores.groups)
    chosen = SETTINGS.index(decision.setting)
    assert decision.sealed.before == pytest.approx(scores.values[hidden, scores.today].mean())
    assert decision.sealed.after == pytest.approx(scores.values[hidden, chosen].mean())
    assert decision.before == pytest.approx(scores.values[~hidden, scores.today].mean())
    assert decision.choice.curve == pytest.approx(scores.values[~hidden].mean(axis=0))
    assert decision.estimate.groups + decision.sealed_groups == decision.groups


def test_the_sealed_part_changes_nothing_but_its_own_verdict(ledger, tmp_path):
    """The proposal would have looked at the queries that are to judge it."""
    scores = planted()
    values = np.array(scores.values)
    values[sealed(scores.groups)] = 0.5
    one, other = (
        verdict(scores, None, explore=True),
        verdict(scores.with_values(values), None, explore=True),
    )
    assert one == other


def test_estimate_is_nested_cross_validation_of_the_development_part(ledger):
    """The estimate would come from another procedure than the one that proposes."""
    scores = planted()
    expected = nested(split(scores).development, rng=np.random.default_rng([0, 2]), draws=2)
    assert verdict(scores, ledger).estimate == expected


def test_exploring_opens_nothing(ledger):
    """A notebook run for fun would use up the sealed part."""
    decision = verdict(planted(), ledger, explore=True)
    assert decision.outcome is Outcome.EXPLORED
    assert decision.sealed is None
    assert not ledger.path.exists()
    assert "the candidate against today's 0.7; nothing was opened" in decision.why
    with pytest.raises(ValueError, match="needs the ledger"):
        verdict(planted(), None)


def test_today_in_the_plateau_opens_nothing(ledger):
    """Confirming today's own number would cost a level."""
    decision = verdict(planted(seed=1, times=0.0), ledger)
    assert decision.outcome is Outcome.TODAY_STAYS
    assert decision.setting == Fraction(7, 10)
    assert decision.why == "today's 0.7 lies in the plateau 0 to 1 and stays; nothing was opened."
    assert not ledger.path.exists()


def test_under_sixty_groups_nothing_is_promoted(ledger):
    """Twenty queries would decide for everybody."""
    decision = verdict(gained(59, 0.3), ledger)
    assert decision.outcome is Outcome.TOO_FEW_GROUPS
    assert decision.estimate.groups == 59
    assert decision.why == (
        "59 groups of queries are too few to promote (60 are needed); 0.1 is advice only."
    )
    assert not ledger.path.exists()
    same = verdict(gained(59, 0.0, noise=0.001), ledger)
    assert same.why.endswith("; today's 0 lies in the plateau 0 to 0.1.")


def test_parameters_need_groups(ledger):
    """Five numbers would be fitted to a hundred queries."""
    scores = gained(200, 0.1)
    groups = split(scores).development.group_count
    assert verdict(scores, ledger, parameters=groups // 40).promoted
    refused = verdict(scores, ledger, parameters=groups // 40 + 1)
    assert refused.outcome is Outcome.TOO_MANY_PARAMETERS
    assert f"for {groups} groups in the development part, which allow {groups // 40}" in refused.why


def test_no_gain_on_the_sealed_part_is_said_with_its_figures(ledger):
    """A refusal would not say whether the gain is absent or the set too small."""
    scores = gained(100, 0.1)
    values = np.array(scores.values)
    hidden = sealed(scores.groups)
    values[hidden, 1] = values[hidden, 0] + np.resize([0.02, -0.03], hidden.sum())
    decision = verdict(scores.with_values(values), ledger)
    assert decision.outcome is Outcome.NO_GAIN_SHOWN
    assert not decision.promoted
    assert decision.sealed.difference < 0
    assert re.search(
        r"no gain shown: .*\(p = .* at level 0\.025, .*; smallest detectable of this setting 0\.0",
        decision.why,
    )


def test_a_setting_of_which_no_gain_is_detectable_is_told_so(ledger):
    """ "Unknown" would contradict the report, whose figure is that of the median setting."""
    scores = gained(100, 0.1)
    values = np.array(scores.values)
    hidden = sealed(scores.groups)
    free = np.flatnonzero(~hidden)
    values[:, 1] = values[:, 0]
    values[free[:4], 1] += 0.1  # four of 57 move, so that of 43 sealed ones too few would
    values[np.flatnonzero(hidden)[:6], 1] -= 0.01
    decision = verdict(scores.with_values(values), ledger)
    assert decision.outcome is Outcome.NO_GAIN_SHOWN, decision.why
    assert "too few queries for any gain of it to be detectable" in decision.why


def test_the_second_candidate_of_a_lineage_meets_half_the_level(ledger):
    """Two candidates would each be tested as if there were one."""
    verdict(planted(), ledger)
    second = verdict(planted(), ledger, candidate_hash_of=lambda setting: "another")
    assert (second.sealed.opening, second.sealed.level) == (2, 0.0125)


def test_a_part_that_cannot_show_a_gain_says_so(ledger):
    """ "No gain" would be read where no gain could have been seen."""
    scores = gained(60, 0.1)
    values = np.array(scores.values)
    hidden = np.flatnonzero(sealed(scores.groups))
    values[hidden[4:], 1] = values[hidden[4:], 0]
    decision = verdict(scores.with_values(values), ledger)
    assert decision.outcome is Outcome.CANNOT_SHOW
    assert "whose smallest possible p 0.0625 exceeds the level 0.025 of opening 1" in decision.why


def test_low_coverage_keeps_the_part_shut(ledger):
    """A setting would be promoted on semantic scores that were never recorded."""
    decision = verdict(gained(100, 0.1), ledger, coverage=0.979)
    assert decision.outcome is Outcome.NOT_COVERED
    assert decision.why.startswith("only 0.979 of the shortlist under 0.1 has a recorded semantic")
    assert not ledger.path.exists()
    assert verdict(gained(100, 0.1), ledger, coverage=0.98).promoted


@pytest.mark.parametrize(
    ("p", "floor", "outcome"),
    [
        (1.0, 0.0, Outcome.PROMOTED),
        (0.5, 0.01, Outcome.PROMOTED),
        (0.5, 0.2, Outcome.NOISE_TAKES_THE_GAIN),
        (0.0, 0.01, Outcome.NOT_AS_PREDICTED),
    ],
)
def test_what_live_answers_do_not_bear_out_keeps_the_part_shut(ledger, p, floor, outcome):
    """A sealed part would be used up on scores that the model takes back."""
    heard = Agreement(
        queries=50, predicted=0.5, live=0.48, floor=floor, p=p, recordings=1, answers=3,
        reached=1.0, claimed=0.1,
    )  # fmt: skip
    decision = verdict(gained(100, 0.1), ledger, as_predicted=lambda setting: heard)
    assert decision.outcome is outcome
    assert ledger.path.exists() == decision.promoted
    assert decision.as_json()["live"]["bearing"] == str(heard.bearing)
    if not decision.promoted:
        told = "0.4800 against 0.5000 over 50 queries, the model's own noise floor"
        assert told in decision.why


def test_coverage_is_that_of_the_candidate(ledger):
    """Today's full coverage would stand for the candidate's."""
    decision = verdict(gained(100, 0.1), ledger, coverage=[1.0, 0.5])
    assert (decision.outcome, decision.coverage) == (Outcome.NOT_COVERED, 0.5)


@pytest.mark.parametrize("coverage", [float("nan"), -0.1, 98.0])
def test_a_coverage_that_is_no_share_is_refused(ledger, coverage):
    """98 per cent written as 98 would pass the door."""
    with pytest.raises(ValueError, match="not a share between 0 and 1"):
        verdict(gained(100, 0.1), ledger, coverage=coverage)


def test_a_gain_has_to_survive_every_bound(ledger, tmp_path):
    """The unknown scores would be guessed in the candidate's favour."""
    scores = gained(100, 0.1)
    kind, unkind = np.array(scores.values), np.array(scores.values)
    unkind[:, 1] = unkind[:, 0] + np.resize([0.01, -0.01], 100)
    lost = verdict(scores, ledger, coverage=0.9, lower_bound_values=[kind, unkind])
    assert lost.outcome is Outcome.GAIN_LOST_AT_BOUND
    assert not lost.promoted
    assert lost.sealed.p > 0.025
    assert "only 0.900 of the shortlist's semantic scores are recorded" in lost.why
    kept = verdict(
        scores, ledger, coverage=0.9, lower_bound_values=[kind, kind], candidate_hash_of=str
    )
    assert kept.promoted
    covered = verdict(
        scores, ledger, coverage=1.0, lower_bound_values=[unkind], candidate_hash_of=repr
    )
    assert covered.promoted


@pytest.mark.parametrize(
    ("scores", "outcome"),
    [
        (table(np.full((80, 3), 0.5)), Outcome.NOTHING_VARIES),
        (table(np.random.default_rng(1).uniform(size=(80, 1))), Outcome.ONE_SETTING),
        (table([[0.1, 0.9]]), Outcome.TOO_FEW_GROUPS),
        (
            table(np.random.default_rng(1).uniform(size=(80, 3)), groups=["one"] * 80),
            Outcome.TOO_FEW_GROUPS,
        ),
        (table([[0.5]]), Outcome.ONE_SETTING),
    ],
    ids=["no variance", "one setting", "one query", "one group", "one of each"],
)
def test_degenerate_tables_are_decided(ledger, scores, outcome):
    """A small first try would end in a traceback or a NaN."""
    decision = verdict(scores, ledger)
    assert decision.outcome is outcome
    assert not decision.promoted
    json.dumps(decision.as_json(), allow_nan=False)


@pytest.mark.parametrize(
    ("scores", "interval"),
    [
        (table([[0.1, 0.9]]), None),
        (table([[0.1, 0.9], [0.2, 0.8], [0.3, 0.3]], groups=["one"] * 3), None),
        (table([[0.1, 0.9], [0.2, 0.8]]), [-1.0, 1.0]),
    ],
    ids=["one query", "one group", "two groups"],
)
@pytest.mark.parametrize("explore", [False, True])
def test_a_first_try_is_written_down_whole(ledger, scores, interval, explore):
    """A team's first query would end in a traceback over an infinity that JSON does not know."""
    decision = verdict(scores, ledger, explore=explore)
    written = json.loads(json.dumps(decision.as_json(), allow_nan=False))
    assert written["estimate"]["interval"] == interval
    assert decision.estimate.bounded == (interval is not None)
    assert decision.estimate.interval == (-1.0, 1.0)
    choice = decision.choice
    json.dumps([choice.curve, choice.shortfall, choice.margin], allow_nan=False)
    said = "one group of queries cannot show anything" in decision.why
    assert said == (interval is None)


def test_one_group_leaves_today_as_it_is(ledger):
    """A single wording would move the setting of everybody."""
    decision = verdict(table([[0.1, 0.9]]), ledger)
    assert decision.setting == 0
    assert decision.choice.margin == (1.0, 1.0)
    assert decision.why == (
        "one group of queries cannot show anything, for nobody knows how the next would differ "
        "(60 groups are needed to promote); today's 0 stays."
    )


def test_the_document_has_its_shape(ledger):
    """A script that reads the report would break, or read NaN."""
    whole = json.loads(json.dumps(verdict(planted(), ledger).as_json(), allow_nan=False))
    assert {
        "queries",
        "measure",
        "before",
        "after",
        "estimate",
        "sealed",
        "coverage",
        "promoted",
        "why",
    } <= set(whole)
    assert {"difference", "interval", "level", "groups"} <= set(whole["estimate"])
    assert {"before", "after", "interval", "opening", "level"} <= set(whole["sealed"])
    assert whole["ledger"] == ledger.head
    assert whole["promoted"] is True
    shut = verdict(planted(), None, explore=True).as_json()
    assert (shut["sealed"], shut["ledger"]) == (None, "no ledger found")


def test_the_order_of_queries_changes_no_verdict(ledger):
    """Re-ordering a file would be another throw of the dice."""
    scores = gained(120, 0.01, noise=0.03)
    order = np.random.default_rng(4).permutation(120)
    shuffled = table(scores.values[order], groups=[scores.groups[i] for i in order])
    one, other = verdict(scores, ledger), verdict(shuffled, ledger, candidate_hash_of=named)
    assert other.sealed == one.sealed
    assert one.choice.plateau == other.choice.plateau


@pytest.mark.req("W48")
def test_a_source_that_loses_too_much_holds_the_rest_back(ledger):
    """The mean would rise while everybody who asks one source gets worse answers."""
    rng = np.random.default_rng(4)
    before = rng.uniform(0.3, 0.6, 400)
    change = np.where(np.arange(400) < 280, 0.10, -0.05) + rng.normal(0, 0.01, 400)
    strata = tuple("wide" if place < 280 else "narrow" for place in range(400))
    scores = table(np.column_stack([before, before + change]), strata=strata)
    decision = verdict(scores, ledger)
    assert decision.outcome is Outcome.SEGMENT_LOSES
    assert not decision.promoted
    assert "one segment loses too much: source:narrow -0.0499" in decision.why
    again = verdict(scores, ledger)
    assert again.outcome is Outcome.SEGMENT_LOSES
    assert again.sealed == decision.sealed
    few = scores.part(np.arange(400) < 300)  # the loser has under 30 queries
    small = verdict(few, ledger, candidate_hash_of=lambda setting: "of the smaller set")
    assert small.promoted, small.why


def tagged(rng, kinds):
    """400 queries that gain .1, but for the last 120, which lose .05; tags as ``kinds`` say."""
    before = rng.uniform(0.3, 0.6, 400)
    change = np.where(np.arange(400) < 280, 0.10, -0.05) + rng.normal(0, 0.01, 400)
    return table(np.column_stack([before, before + change]), tags=tuple(map(kinds, range(400))))


@pytest.mark.req("W48")
@pytest.mark.parametrize(
    ("kinds", "loser"),
    [
        (lambda n: ("language:en" if n < 280 else "language:de",), "language:de"),
        (lambda n: ("head",) if n < 100 else ("torso",) if n < 280 else ("tail",), "part:tail"),
        (lambda n: ("part:head" if n < 280 else "part:tail", "intent:find"), "part:tail"),
        (lambda n: ("legal",) if n < 280 else (), "tag:(none)"),
    ],
)
def test_a_segment_by_tag_that_loses_holds_the_rest_back(ledger, kinds, loser):
    """A language, an intent or all rare questions would pay for the mean of the others."""
    scores = tagged(np.random.default_rng(4), kinds)
    decision = verdict(scores, ledger)
    assert decision.outcome is Outcome.SEGMENT_LOSES
    assert f"one segment loses too much: {loser} -0.0" in decision.why
    first, *others = decision.sealed.segments
    assert (f"{first['kind']}:{first['value']}", first["blocks"]) == (loser, True)
    assert not any(one["blocks"] for one in others)
    json.dumps(decision.as_json(), allow_nan=False)
    again = verdict(scores, ledger)
    assert again.sealed == decision.sealed


@pytest.mark.req("W48")
def test_a_handful_that_loses_is_listed_and_blocks_nothing(ledger):
    """Five queries could veto every number; or nobody would hear of them."""
    rng = np.random.default_rng(4)
    before = rng.uniform(0.3, 0.6, 400)
    change = np.where(np.arange(400) < 370, 0.10, -0.20)
    tags = tuple(("language:en",) if place < 370 else ("language:fi",) for place in range(400))
    scores = table(np.column_stack([before, before + change]), tags=tags)
    decision = verdict(scores, ledger)
    assert decision.promoted, decision.why
    handful = next(one for one in decision.sealed.segments if one["value"] == "fi")
    assert (handful["small"], handful["blocks"]) == (True, False)
    assert handful["queries"] == sum(sealed(scores.groups)[370:]) < 30
    assert handful["after"] - handful["before"] == pytest.approx(-0.2)


def test_a_tag_of_each_querys_own_does_not_fill_the_ledger(ledger):
    """A tuned file would outgrow what a runtime reads, and be refused by it."""
    scores = tagged(np.random.default_rng(4), lambda n: (f"id:{n}", f"half:{n % 2}"))
    shown = verdict(scores, ledger).sealed
    assert [one["kind"] for one in shown.segments[:3]] == ["half", "half", "id"]
    assert len(shown.segments) == 40
    assert shown.more_segments == sum(sealed(scores.groups)) + 2 - 40
