"""The best that a budget allows: caps on time and cost first, then quality.

An option over a cap is out however good it is, and so is one that costs some segment too much. Of
two equally good ones the cheaper wins, then the faster, then the name.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from eval.evidence.scores import SAME


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One way to answer. quality: 0..1; seconds, cost: of one invocation; cost None: no price.

    held: no segment loses more than is borne
    """

    name: str
    quality: float
    seconds: float
    cost: float | None = None
    held: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Within:
    """``best``: None where nothing fits. ``out``: what was left out, and over which cap."""

    best: Option | None
    out: tuple[tuple[str, str], ...]


def best_within(
    options: Iterable[Option], *, seconds: float | None = None, cost: float | None = None
) -> Within:
    """The best option under the caps; an option without a price is over every cap on cost."""
    fitting: list[Option] = []
    out: list[tuple[str, str]] = []
    for one in options:
        why = _over(one, seconds, cost)
        if why:
            out.append((one.name, why))
        else:
            fitting.append(one)
    if not fitting:
        return Within(best=None, out=tuple(out))
    top = max(one.quality for one in fitting)
    best = min((one for one in fitting if one.quality >= top - SAME), key=_cheapness)
    return Within(best=best, out=tuple(out))


def frontier(options: Iterable[Option], *, by_cost: bool = False) -> list[Option]:
    """The options that no other beats in quality and price at once, the cheapest first (Pareto).

    ``by_cost`` takes money for the price, which leaves options without one out; else seconds.
    """
    priced = [one for one in options if not by_cost or one.cost is not None]
    ordered = sorted(priced, key=lambda one: (price(one, by_cost), -one.quality, one.name))
    kept: list[Option] = []
    for one in ordered:
        if not kept or one.quality > kept[-1].quality + SAME:
            kept.append(one)
    return kept


def price(one: Option, by_cost: bool) -> float:
    """What an option costs of one invocation, in money or in seconds."""
    return (one.cost or 0.0) if by_cost else one.seconds


def _over(one: Option, seconds: float | None, cost: float | None) -> str:
    if not one.held:
        return "some segment loses more than is borne"
    if seconds is not None and one.seconds > seconds:
        return f"{one.seconds:.3g} s over the cap of {seconds:g} s"
    if cost is not None and one.cost is None:
        return "no price is known to hold against the cap"
    if cost is not None and one.cost is not None and one.cost > cost:
        return f"{one.cost:.3g} over the cap of {cost:g}"
    return ""


def _cheapness(one: Option) -> tuple[float, float, str]:
    return (one.cost if one.cost is not None else float("inf"), one.seconds, one.name)
