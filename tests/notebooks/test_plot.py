"""The curve, as a figure and as text."""

from math import inf
from pathlib import Path

import pytest

from eval import plot

SHARES, MEANS = [0.0, 0.25, 0.5, 0.75, 1.0], [0.2, 0.4, 0.6, 0.5, 0.3]


def test_a_sketch_has_its_peak_where_the_curve_has_it():
    """The first picture would send a person to the wrong share."""
    line, below = plot.sketch(SHARES, MEANS).splitlines()
    # (mean - 0.2) / 0.4 of seven steps, rounded: 0, 3.5 -> 4, 7, 5.25 -> 5, 1.75 -> 2.
    assert line.strip() == "▁▅█▆▃"
    assert "peak 0.6000 at 0.5, lowest 0.2000" in below


def test_a_flat_curve_has_a_sketch():
    """Where no share differs from another the command would end in a division by nought."""
    assert "▁▁▁" in plot.sketch([0.0, 0.5, 1.0], [0.4, 0.4, 0.4])


def test_a_long_curve_fits_the_terminal():
    """A line of 101 blocks would wrap, and no longer be a curve."""
    line = plot.sketch(list(range(101)), [i / 100 for i in range(101)]).splitlines()[0]
    assert len(line.strip()) <= 60


def test_a_title_with_dollars_is_no_formula():
    """A capability named `$a_b$` would be typeset, or stop the picture."""
    axes = plot.curve(SHARES, MEANS, title=r"$\frac{a}$ and $b")
    assert plot.png(axes).startswith(b"\x89PNG")
    assert plot.plain_title("$a") == r"\$a"


@pytest.mark.parametrize("margin", [[0.1] * 5, [inf] * 5, [0.0, 0.1, 0.0, inf, 0.2]])
def test_a_band_without_an_end_still_has_a_picture(margin):
    """One group of questions leaves every share possible; the picture has to say so."""
    axes = plot.curve(SHARES, MEANS, margin=margin, plateau=(0.25, 0.75), today=0.7, setting=0.5)
    assert plot.png(axes).startswith(b"\x89PNG")
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert labels == ["mean, in sample", "band to the peak", "plateau", "today 0.7", "chosen 0.5"]


def test_the_same_curve_is_the_same_file(tmp_path: Path):
    """A picture that changes with the day or the release makes every commit a change."""
    first = plot.save(plot.curve(SHARES, MEANS), tmp_path / "a" / "one.png")
    second = plot.save(plot.curve(SHARES, MEANS), tmp_path / "a" / "two.png")
    assert first.read_bytes() == second.read_bytes()
    assert b"matplotlib" not in first.read_bytes()
    assert sorted(path.name for path in first.parent.iterdir()) == ["one.png", "two.png"]
