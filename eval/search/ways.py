"""A way through a capability's numbers: what is decided on, one setting after the other.

A way has one coordinate, so that one curve, one plateau and one band say all there is to say. Along
a single number the coordinate is its value. Over several it is how far to go, in twentieths, from
today's numbers (0) to where a climb on the development part ended (1).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from esra.domain.capability import Scoring
from eval.search.tunables import HALF_LIVES, SHARE, WHOLE, Tunable, change, grid, value_of

STEPS = 50
TWENTIETHS = tuple(Fraction(step, 20) for step in range(21))
# Ratios that a person would say: a tenth, three quarters, twice, ten times.
BELOW_ONE = (Fraction(1, n) for n in (10, 8, 6, 5, 4, 3, 2))
BETWEEN = tuple(Fraction(n, d) for n, d in ((2, 3), (3, 4), (1, 1), (5, 4), (4, 3), (3, 2)))
PRIORITIES = (*BELOW_ONE, *BETWEEN, *(Fraction(n) for n in (2, 3, 4, 5, 6, 8, 10)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """settings: strictly rising; today: the index of what is in force; parameters: how many numbers
    were free to turn, whether they did or not.
    """

    name: str
    settings: tuple[Fraction, ...]
    today: int
    parameters: int
    numbers: Callable[[Fraction], Scoring]
    told: Callable[[Fraction], str]


def along(today: Scoring, one: Tunable) -> Way:
    """The way along one number, all else as it is today; today's own value is one of its stops."""
    own = _coordinate(one, value_of(today, one))
    stops = sorted({*_stops(one), own})
    return Way(
        name=str(one),
        settings=tuple(stops),
        today=stops.index(own),
        parameters=1,
        numbers=lambda x: change(today, one, _value(one, x)),
        told=lambda x: _told(one, _value(one, x)),
    )


def towards(today: Scoring, goal: Scoring, turned: Sequence[Tunable]) -> Way:
    """The straight way from today's numbers to ``goal``, all of ``turned`` together."""
    ends = [
        (one, _coordinate(one, value_of(today, one)), _coordinate(one, value_of(goal, one)))
        for one in turned
    ]
    ends = [(one, start, end) for one, start, end in ends if start != end]

    def numbers(x: Fraction) -> Scoring:
        made = today
        for one, start, end in ends if x else []:
            made = change(made, one, _value(one, start + (end - start) * x))
        return made

    def told(x: Fraction) -> str:
        said = [
            f"{one} {_told(one, _value(one, start + (end - start) * x))}"
            for one, start, end in ends
        ]
        return ", ".join(said) or "the numbers of today"

    return Way(
        name=" + ".join(str(one) for one in turned),
        settings=TWENTIETHS if ends else (Fraction(0),),
        today=0,
        parameters=len(turned),
        numbers=numbers,
        told=told,
    )


def _stops(one: Tunable) -> list[Fraction]:
    """Exact values inside the bounds. A half-life's coordinate is its rate, so that off is 0."""
    if one.name == "half-life":
        return [*([Fraction(0)] if one.off else []), *(1 / Fraction(days) for days in HALF_LIVES)]
    if one.name == "native-floor" or one.name in WHOLE:
        return [_coordinate(one, value) for value in grid(one)]
    if one.name == "priority":
        return list(PRIORITIES)
    if one.name == SHARE:
        return [Fraction(step, 100) for step in range(101)]
    low, high = Fraction(str(one.bounds.low)), Fraction(str(one.bounds.high))
    return [low + (high - low) * step / STEPS for step in range(STEPS + 1)]


def _coordinate(one: Tunable, value: float | None) -> Fraction:
    if one.name == "half-life":
        return Fraction(0) if value is None else 1 / Fraction(value)
    if value is None:
        # Off lies below every floor, as far as one would step.
        return Fraction(str(one.stops[0] if one.stops else 0.0)) - 1
    # What a person wrote, not the nearest double: .02 is 1/50.
    return Fraction(str(value))


def _value(one: Tunable, x: Fraction) -> float | None:
    if one.name == "half-life":
        # Between off and a long half-life lie longer ones than may be written.
        return None if x == 0 else min(float(1 / x), one.bounds.high)
    if one.name == "native-floor" and (not one.stops or x < Fraction(str(one.stops[0]))):
        return None
    return float(round(x)) if one.name in WHOLE else float(x)


def _told(one: Tunable, value: float | None) -> str:
    if value is None:
        return "off"
    if one.name == "ceiling":
        return "1 query" if value == 1 else f"{value:.0f} queries"
    return f"{value:.4g} days" if one.name == "half-life" else f"{value:.4g}"
