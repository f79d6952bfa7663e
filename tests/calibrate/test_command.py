"""The command that tests the workbench's own claims can say no."""

import json

import pytest

from eval import calibrate
from eval.evidence import campaign
from eval.evidence.outcome import Outcome


def run(capsys, *words):
    code = calibrate.main(["--quiet", *words])
    return code, capsys.readouterr().out


def test_the_document_has_the_promised_form(capsys):
    """A program that watches the figures would read names that are not there."""
    code, out = run(capsys, "--json", "--sets", "40", "--groups", "60", "--shape", "independent")
    document = json.loads(out)
    assert list(document) == ["cells", "false_promotion_rate", "upper_99"]
    (cell,) = document["cells"]
    names = {"groups", "shape", "false_promotion_rate", "upper_99", "power", "in_plateau"}
    assert names <= set(cell)
    assert (cell["groups"], cell["shape"]) == (60, "independent")
    assert code == 0


def test_the_same_seed_gives_the_same_figures(capsys):
    """A figure in a report could not be had again."""
    words = ("--json", "--sets", "10", "--groups", "60", "--shape", "zeros", "--seed", "3")
    assert run(capsys, *words) == run(capsys, *words)


def test_a_test_that_lets_everything_through_is_found(capsys, monkeypatch):
    """The command would bless any procedure at all."""
    monkeypatch.setattr(campaign, "_tested", lambda *_: Outcome.PROMOTED)
    code, out = run(capsys, "--sets", "100", "--groups", "60", "--shape", "independent")
    assert code == 1
    assert "does not hold: false gains" in out  # most are not even opened


def test_a_test_that_refuses_everything_is_found(capsys, monkeypatch):
    """No false claim would be made because none is ever made."""
    monkeypatch.setattr(campaign, "_tested", lambda *_: Outcome.NO_GAIN_SHOWN)
    code, out = run(capsys, "--sets", "40", "--groups", "60", "--shape", "independent")
    assert code == 1
    assert "power 0.000 is below 0.9" in out


@pytest.mark.parametrize(
    ("hits", "sets", "found"),
    [(1, 120, False), (3, 120, False), (12, 120, True), (72, 1_800, True)],
)
def test_a_few_sets_contradict_nothing_that_chance_explains(hits, sets, found):
    """One false promotion of 120, where three are to be expected, would be told as a broken test.

    By hand: at a rate of 2.5 % 120 sets give 9 or more in under 1 %, 1,800 give 61 or more.
    """
    cell = {"groups": 60, "shape": "zeros", "sets": sets, "power": 1.0, "in_plateau": 1.0}
    for what, other in (("false_promotions", "false_gains"), ("false_gains", "false_promotions")):
        document = {"cells": [{**cell, what: hits, other: 0}]}
        assert bool(calibrate._broken(document)) is found


@pytest.mark.parametrize("words", [["--sets", "0"], ["--shape", "square"], ["--groups", "x"]])
def test_misuse_is_said(words, capsys):
    """A typing error would simulate for an hour."""
    with pytest.raises(SystemExit) as stopped:
        calibrate.main(words)
    assert stopped.value.code == 2
    assert capsys.readouterr().err


def test_too_few_groups_say_nothing(capsys):
    """Cells that can promote nothing would lower the rate of false promotions."""
    assert calibrate.main(["--groups", "40"]) == 2
    assert "60 groups" in capsys.readouterr().err
