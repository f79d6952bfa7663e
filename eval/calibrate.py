"""``./workbench calibrate``: tests the workbench's own claims on sets whose truth is known.

Every simulated set goes through the functions that decide on real queries. Sets without a gain say
how often one would be claimed all the same; sets with a gain of twice the smallest detectable, how
often it would be found.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass

from eval.command import FINDING, OK, USAGE, Done, count, ended, failed, parser_of
from eval.progress import Progress

SETS = 200
NOMINAL = 0.025  # one-sided, of a first opening
MOST_FALSE = 0.05  # what the upper 99 % bound of the promotion rate has to stay below
LEAST_POWER, LEAST_IN_PLATEAU = 0.90, 0.95
EPILOG = """\
2,000 sets a cell take about ten times as long as the default and give bounds of a percent.
Exit codes: 0 every claim holds, 1 one does not, 2 usage, 130 interrupted.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibrated:
    """The document that ``--json`` prints, and each claim that does not hold."""

    document: dict[str, object]
    broken: tuple[str, ...]


def parser() -> argparse.ArgumentParser:
    made = parser_of(
        "calibrate", "Simulate labelled sets, and count false promotions and missed gains.", EPILOG
    )
    made.add_argument("--sets", type=count, default=SETS, help=f"a cell (default {SETS})")
    made.add_argument("--groups", type=count, nargs="+", metavar="N", help="60 100 300")
    made.add_argument(
        "--shape",
        action="append",
        choices=["independent", "clustered", "zeros"],
        help="how differences lie; may be repeated (default: each)",
    )
    made.add_argument("--seed", type=int, default=1, help="of the simulation (default 1)")
    made.add_argument("--json", action="store_true", help="one JSON document on stdout")
    made.add_argument("--quiet", action="store_true", help="no progress on stderr")
    return made


def main(argv: Sequence[str]) -> int:
    arguments = parser().parse_args(argv)
    from eval.evidence.split import LEAST_GROUPS

    low = [size for size in arguments.groups or () if size < LEAST_GROUPS]
    if low:
        said = f"under {LEAST_GROUPS} groups nothing is ever promoted, so {low[0]} says nothing"
        return failed("calibrate", arguments, said, USAGE)
    done = calibrate(arguments)
    code = FINDING if done.broken else OK
    return ended("calibrate", arguments, Done(document=done.document, text=_text(done), code=code))


def calibrate(arguments: argparse.Namespace) -> Calibrated:
    """Runs every cell."""
    from eval.evidence.campaign import GROUPS, pooled, run_cell
    from eval.evidence.simulate import Shape

    shapes = [Shape(name) for name in arguments.shape] if arguments.shape else list(Shape)
    sizes = list(dict.fromkeys(arguments.groups or GROUPS))
    wanted = [(shape, size) for shape in shapes for size in sizes]
    progress, cells = Progress(arguments.quiet), []
    with progress.bar("calibrating") as bar:
        for shape, size in wanted:
            bar(len(cells), len(wanted))
            cells.append(run_cell(shape, size, arguments.sets, arguments.seed))
            bar(len(cells), len(wanted))
    document = {"cells": [cell.as_json() for cell in cells], **pooled(cells)}
    return Calibrated(document=document, broken=_broken(document))


def _broken(document: dict[str, object]) -> tuple[str, ...]:
    """The claims that these sets contradict: beyond what chance explains at 99 %."""
    from eval.evidence.campaign import upper_bound

    lines = []
    for what in ("false_promotions", "false_gains"):
        if _too_often(document, what):
            said = what.replace("_", " ")
            lines.append(f"{said}: more than {NOMINAL:.1%} of sets without a gain")
    for cell in document["cells"]:
        name, sets = f"{cell['groups']} groups, {cell['shape']}", cell["sets"]
        for what, least in (("power", LEAST_POWER), ("in_plateau", LEAST_IN_PLATEAU)):
            if upper_bound(round(cell[what] * sets), sets) < least:
                lines.append(f"{name}: {what} {cell[what]:.3f} is below {least:g}")
    return tuple(lines)


def _too_often(document: dict[str, object], what: str) -> bool:
    """Beyond the promise, and not merely too few sets to say: both 99 % bounds are too high.

    what: ``false_gains`` are those of the test alone, which no refusal to test can flatter
    """
    from eval.evidence.campaign import upper_bound

    sets = sum(cell["sets"] for cell in document["cells"])
    hits = sum(cell[what] for cell in document["cells"])
    return upper_bound(hits, sets) > MOST_FALSE and 1 - upper_bound(sets - hits, sets) > NOMINAL


def _text(done: Calibrated) -> str:
    head = "groups  shape        false promotions  upper 99 %   power  in the plateau"
    lines = [head]
    lines += [
        f"{cell['groups']:6}  {cell['shape']:11}  {cell['false_promotion_rate']:16.4f}"
        f"  {cell['upper_99']:10.4f}  {cell['power']:6.3f}  {cell['in_plateau']:14.3f}"
        for cell in done.document["cells"]
    ]
    rate, bound = done.document["false_promotion_rate"], done.document["upper_99"]
    lines.append(f"pooled               {rate:16.4f}  {bound:10.4f}")
    lines.append("power: gains of twice the smallest detectable that were promoted")
    if bound > MOST_FALSE and not done.broken:
        lines.append(f"too few sets to show that it stays below {MOST_FALSE:.0%}: give more --sets")
    return "\n".join([*lines, *(f"does not hold: {line}" for line in done.broken)])
