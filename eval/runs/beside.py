"""Runs beside each other: quality with its price, and each against the first.

For a person, as one table; within a cap where one is given; as a picture of quality against price.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from eval import record, runfolder
from eval.evidence.capped import Option, Within, best_within, frontier, price
from eval.measures.service import Spent, spent
from eval.plot import BLUE, GREEN, ORANGE, plain_title
from eval.runs.arm import Arm, read_arm
from eval.runs.folders import RunFolder
from eval.runs.pairs import CannotCompare, Mover, Pair, pair

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LISTED = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """One run of the table. ``pair``: against the first; None for the first itself."""

    arm: Arm
    spent: Spent
    pair: Pair | None

    @property
    def option(self) -> Option:
        held = self.pair is None or not any(one.blocks for one in self.pair.segments)
        return Option(
            name=self.arm.run,
            quality=self.arm.mean(self.arm.measure),
            seconds=self.spent.seconds,
            cost=self.spent.cost,
            held=held,
        )


def beside(runs: Sequence[RunFolder]) -> list[Beside]:
    """The runs in the order given, each over the first one's queries.

    CannotCompare where one is about something else, or lacks one of these queries.
    """
    found: list[Beside] = []
    for run in runs:
        arm = read_arm(run)
        against = pair(found[0].arm, arm) if found else None
        if found:
            # A mean over queries that the others never had says nothing of who is better.
            same = {query: arm.queries[query] for query in found[0].arm.queries}
            arm = replace(arm, queries=same)
        traces = [
            trace
            for query, trace in record.lines(run.path / runfolder.TRACES)
            if query in arm.queries
        ]
        found.append(Beside(arm=arm, spent=spent(traces), pair=against))
    return found


def within(found: Sequence[Beside], seconds: float | None, cost: float | None) -> Within:
    """The best run under the caps."""
    return best_within([one.option for one in found], seconds=seconds, cost=cost)


def as_json(found: Sequence[Beside], listed: int = LISTED) -> list[dict[str, object]]:
    """Plain values, the movers cut to ``listed`` at either end."""
    return [
        {
            "run": one.arm.run,
            "queries": len(one.arm.queries),
            "unmeasured": len(one.arm.unmeasured),
            "figures": {name: one.arm.mean(name) for name in _names(one.arm)},
            "spent": asdict(one.spent),
            "against_the_first": None if one.pair is None else pair_json(one.pair, listed),
        }
        for one in found
    ]


def pair_json(one: Pair, listed: int = LISTED) -> dict[str, object]:
    compared = one.comparison
    gains = [mover for mover in reversed(one.movers) if mover.difference > 0]
    losses = [mover for mover in one.movers if mover.difference < 0]
    return {
        "measure": one.measure,
        "queries": one.queries,
        "groups": compared.groups,
        "difference": compared.difference,
        "interval": list(compared.interval),
        "level": 1 - 2 * compared.level,
        "p": compared.p,
        "only_sealed": one.only_sealed,
        "tallies": [asdict(tally) for tally in one.tallies[:listed]],
        "losses": [_mover(mover) for mover in losses[:listed]],
        "gains": [_mover(mover) for mover in gains[:listed]],
    }


def as_text(found: Sequence[Beside]) -> str:
    measure = found[0].arm.measure
    wide = max(len(one.arm.run) for one in found)
    head = f"{'run':<{wide}}  {measure:>8}   against the first (95 %)            won/tied/lost"
    lines = [f"{head}   seconds  queries  calls    cost"]
    for one in found:
        mean, cost = one.arm.mean(measure), one.spent.cost
        lines.append(
            f"{one.arm.run:<{wide}}  {mean:>8.4f}   {_against(one.pair):<48} "
            f"{one.spent.seconds:>9.3f}  {one.spent.commands:>7.2f}  {one.spent.calls:>5.2f}  "
            f"{'-' if cost is None else f'{cost:.6f}':>6}"
        )
    return "\n".join(lines)


def picture(found: Sequence[Beside], *, by_cost: bool = False, title: str = "") -> Axes:
    """Quality against price, the frontier joined; names are text and never mathematics.

    CannotCompare where the picture would be empty.
    """
    from matplotlib.figure import Figure

    options = [one.option for one in found]
    if by_cost and all(one.cost is None for one in options):
        raise CannotCompare(
            "no cost of these runs is known, for their catalogs name no price of a model; "
            "without --by-cost the picture is drawn against seconds"
        )
    axes = Figure(figsize=(7, 4), layout="constrained").subplots()
    best = frontier(options, by_cost=by_cost)
    for one in options:
        if by_cost and one.cost is None:
            continue
        colour = GREEN if one in best else ORANGE
        axes.plot(price(one, by_cost), one.quality, "o", color=colour)
        axes.annotate(
            plain_title(one.name), (price(one, by_cost), one.quality), fontsize="small",
            xytext=(4, 4), textcoords="offset points",
        )  # fmt: skip
    axes.plot(
        [price(one, by_cost) for one in best],
        [one.quality for one in best],
        color=BLUE,
        drawstyle="steps-post",
        label="no run is better and cheaper",
    )
    unit = "price of a query" if by_cost else "seconds of a query"
    axes.set(xlabel=unit, ylabel=found[0].arm.measure, title=plain_title(title))
    axes.legend(fontsize="small")
    return axes


def _names(arm: Arm) -> list[str]:
    return list(next(iter(arm.queries.values())).values)


def _mover(one: Mover) -> dict[str, object]:
    return {**asdict(one), "difference": one.difference}


def _against(one: Pair | None) -> str:
    if one is None:
        return "-"
    low, high = one.comparison.interval
    tally = one.tallies[0]
    return (
        f"{one.comparison.difference:+.4f} ({low:+.4f} to {high:+.4f})   "
        f"{tally.wins}/{tally.ties}/{tally.losses}"
    )
