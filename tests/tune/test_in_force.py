"""A claim is measured against what is in force, and keeps all of it but what it claims."""

from dataclasses import replace

import pytest

from esra.config.apply import newest, tuned
from esra.domain.capability import Capability
from eval.evidence import BrokenLedger, Ledger
from eval.search.tunables import change, tunable, value_of
from eval.tune import numbers as numbers_room
from eval.tune.live import in_force
from eval.tune.numbers import NothingToLearn
from eval.tune.verdict import reach, share_of
from tests.tune.planted import SOURCES, case_of, run
from tests.tune.test_numbers import PRIORITY, SHARE, known

__all__ = ["known"]
MODELS = {"select": "", "plan": "", "rerank": "m"}
BONUS = tunable("bonus", SOURCES)


def next_case(known, folder, *asked):
    """The case of a further call of `tune`: today is what the folder's newest revision says."""
    own = known[2]
    bare = Capability(id="cap", name="cap", bindings=(), scoring=own)
    file = newest(folder / "promoted", "cap", frozenset(SOURCES), MODELS, ()).file
    numbers = in_force(bare, file, ("d", "r"), asked)
    share = share_of(numbers.semantic_weight, numbers.lexical_weight)
    return case_of(known, numbers=numbers, today=share, asked=asked)


def in_use(known, folder):
    bare = Capability(id="cap", name="cap", bindings=(), scoring=known[2])
    file = newest(folder / "promoted", "cap", frozenset(SOURCES), MODELS, ()).file
    return tuned(bare, file).scoring


def share(case, folder):
    ledger = Ledger(folder / "openings.jsonl")
    return reach(case, ledger, folder / "promoted", folder / "candidate.json")


@pytest.fixture
def wrong_twice(known):
    """Numbers that are wrong in two ways: the labels are of priority 5 and a share of .5."""
    traces, judgements, numbers = known
    off = change(numbers, SHARE, 1.0)
    return [replace(t, numbers=off) for t in traces], judgements, off


@pytest.mark.req("U12", "U13")
def test_tuning_the_share_keeps_the_numbers_that_were_tuned_before(wrong_twice, tmp_path):
    """Tuning one number would silently take another's gain back."""
    off = wrong_twice[2]
    lone = [replace(t, numbers=change(off, SHARE, 0.9)) for t in wrong_twice[0]]
    start = (lone, wrong_twice[1], change(off, SHARE, 0.9))
    first = run(next_case(start, tmp_path, "priority:b"), ["priority:b"], tmp_path)
    assert first.decision.promoted, first.why
    priority = value_of(first.numbers, PRIORITY)
    second = share(next_case(start, tmp_path), tmp_path)
    assert second.decision.promoted, second.why
    found = in_use(start, tmp_path)
    assert value_of(found, PRIORITY) == priority
    assert value_of(found, SHARE) == float(second.decision.setting) < 0.9
    # Both are measured: today's figure of the second is about what the first came to.
    assert second.decision.before > first.decision.before


def test_asking_all_of_it_again_opens_nothing(wrong_twice, tmp_path):
    """Of two numbers tuned in turn the same claims would be tested again and again."""
    start = (wrong_twice[0], wrong_twice[1], wrong_twice[2])
    start = ([replace(t, numbers=change(t.numbers, SHARE, 0.9)) for t in start[0]], start[1],
             change(start[2], SHARE, 0.9))  # fmt: skip
    run(next_case(start, tmp_path, "priority:b"), ["priority:b"], tmp_path)
    share(next_case(start, tmp_path), tmp_path)
    before = (tmp_path / "openings.jsonl").read_bytes()
    files = sorted(path.name for path in (tmp_path / "promoted").iterdir())
    again = share(next_case(start, tmp_path), tmp_path)
    assert "shown before" in again.decision.why
    assert (tmp_path / "openings.jsonl").read_bytes() == before
    assert sorted(path.name for path in (tmp_path / "promoted").iterdir()) == files


def test_a_second_number_keeps_the_first(known, tmp_path):
    """The second promotion would put the first number back without a word."""
    first = run(next_case(known, tmp_path, "priority:b"), ["priority:b"], tmp_path)
    assert first.decision.promoted
    other = next_case(known, tmp_path, "bonus")
    assert value_of(other.numbers, PRIORITY) == value_of(first.numbers, PRIORITY)
    again = next_case(known, tmp_path, "priority:b")
    assert again.numbers == known[2]


def test_a_ledger_that_lost_its_tail_stops_the_next_opening(known, tmp_path):
    """Cutting the ledger would give every number the full level again."""
    run(case_of(known), ["priority:b"], tmp_path)
    (tmp_path / "openings.jsonl").write_text("")
    with pytest.raises(BrokenLedger, match="is missing"):
        run(case_of(known), ["bonus"], tmp_path)


@pytest.mark.req("W50")
def test_a_priority_is_not_tuned_on_a_mix_that_nobody_asks(known, tmp_path):
    """A source would be preferred for the labels it has, not for the callers it serves."""
    with pytest.raises(NothingToLearn, match="--as-asked"):
        run(case_of(known, mixed=False), ["priority:b"], tmp_path)


def test_every_number_that_was_free_to_move_is_counted(known, tmp_path, monkeypatch):
    """A climb over three numbers of which one moved would pass for the choice of one."""
    fewer = numbers_room.cross_fitted
    quick = lambda *a, **k: fewer(*a, **{**k, "draws": 1})  # noqa: E731
    monkeypatch.setattr(numbers_room, "cross_fitted", quick)
    small, said = (known[0][:90], known[1], known[2]), []
    names = ["stale-weight", "priority:b", "bonus-cap"]
    done = run(case_of(small), names, tmp_path, say=said.append)
    assert done.decision.outcome.value == "too-many-parameters"
    assert "3 parameters are too many" in done.why
    assert any("groups allow 1, so this is a look" in line for line in said)
    assert not (tmp_path / "openings.jsonl").exists()
