"""docs/tuning.md is true: every number that can be tuned, with its default and its bounds."""

import re
from pathlib import Path

from esra.domain.capability import Scoring, SourceScoring
from eval.search.tunables import OF_A_SOURCE, OF_ALL, SHARE, tunable, value_of

PAGE = (Path(__file__).parents[2] / "docs" / "tuning.md").read_text("utf-8")
ROWS = {
    name: (default, bounds)
    for name, default, bounds in re.findall(
        r"^\| `([^`]+)` \| [^|]+ \| ([^|]+) \| ([^|]+) \| `[^|]+ \| [^|]+ \|$", PAGE, re.MULTILINE
    )
}
OWN = "native-floor:SOURCE"  # its bounds are an engine's scores


def test_every_number_stands_on_the_page():
    """A number nobody is told of stays at its default for ever."""
    assert list(ROWS) == [SHARE, *OF_ALL, *(f"{kind}:SOURCE" for kind in OF_A_SOURCE)]


def test_defaults_and_bounds_are_the_runtimes():
    """A reader would ask for what is refused, or leave out what is allowed."""
    numbers = Scoring(sources=(("SOURCE", SourceScoring()),))
    for name, (default, bounds) in ROWS.items():
        one = tunable(name, ["SOURCE"])
        value = value_of(numbers, one)
        assert default == ("off" if value is None else f"{value:g}"), name
        if name != OWN:
            assert bounds == f"{one.bounds.low:g} to {one.bounds.high:g}", name
