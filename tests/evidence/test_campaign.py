"""The claims themselves, on sets whose truth is known. ESRA_LONG=1 runs them at full length."""

import os

import pytest

from eval.evidence.campaign import GROUPS, Cell, pooled, run_cell, upper_bound
from eval.evidence.simulate import Shape

LONG = os.environ.get("ESRA_LONG") == "1"
SETS = 2_000 if LONG else 200


@pytest.fixture(scope="module")
def cells() -> list[Cell]:
    return [run_cell(shape, groups, SETS, seed=1) for shape in Shape for groups in GROUPS]


def test_no_false_claims(cells):
    """More than one number in twenty would be promoted where nothing changed."""
    assert pooled(cells)["upper_99"] <= 0.05
    if LONG:
        assert all(cell.as_json()["upper_99"] <= 0.05 for cell in cells)


def test_not_by_refusing_to_test(cells):
    """The rate above would be low because hardly a set is opened, while the test is too mild."""
    gains, sets = sum(cell.false_gains for cell in cells), sum(cell.sets for cell in cells)
    assert upper_bound(gains, sets) <= 0.05
    # Nor is the test deaf: at 2.5 % some of the sets without a gain must look like one.
    assert gains / sets > 0.01
    if LONG:
        assert all(cell.as_json()["false_gain_upper_99"] <= 0.05 for cell in cells)


def test_no_missed_gain(cells):
    """A gain of twice the smallest detectable would be lost to the person who made it."""
    assert all(cell.power >= 0.9 for cell in cells), cells
    assert all(cell.in_plateau >= 0.95 for cell in cells), cells


def test_upper_bound_equals_published_figures():
    """The margin of the campaign would be taken from the wrong side of the table."""
    # No hit in n: 1 - .01^(1/n). n = 100: .0450.
    assert upper_bound(0, 100) == pytest.approx(0.045007, abs=1e-6)
    assert upper_bound(5, 5) == 1.0
    # Clopper and Pearson, two-sided 98 %, 1 of 10: .504.
    assert upper_bound(1, 10) == pytest.approx(0.5044, abs=1e-4)
