"""What ``tune`` shows of its work: a picture before it starts, two notebooks when it is done."""

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np

from eval import demo, plot, runfolder
from eval.evidence import choose, sealed
from eval.notebooks.runner import run
from eval.notebooks.scrub import ROOT
from eval.table import GRID, tabulate
from eval.tune.verdict import scores_of

Say = Callable[[str], None]
SHIPPED = ROOT / "notebooks"
FIRST = "first-picture.png"


def first_picture(out: Path, say: Say) -> Path:
    """The curve of the shipped demo trace as ``out``, or in it where it is a folder.

    Needs no database and no model. The path of the PNG; the same curve in text goes to ``say``.
    """
    path = out / FIRST if out.is_dir() or not out.suffix else out
    case = demo.case()
    table = tabulate(case.recordings, case.judgements, GRID)
    scores = scores_of(case, table)
    # The part the notebooks may look at, so that the example has one curve everywhere.
    looked_at = scores.part(~sealed(scores.groups))
    choice = choose(looked_at, rng=np.random.default_rng([0, 1]))
    shares, means = [share / 1000 for share in GRID], choice.curve
    low, high = (float(edge) for edge in choice.plateau)
    axes = plot.curve(
        shares,
        means,
        margin=choice.margin,
        plateau=(low, high),
        today=case.share,
        measure=table.measure,
        title=f"A recorded example: {len(looked_at.groups)} questions about Python functions",
    )
    say(f"a recorded example, {table.measure} at each semantic share (in sample):")
    for line in plot.sketch(shares, means).splitlines():
        say(line)
    saved = plot.save(axes, path)
    say(f"  the same as a picture: {saved}")
    return saved


def after(run_folder: Path, say: Say, *, tour: bool = True) -> list[Path]:
    """Runs the tour and the rerank weights into a finished run's folder; the produced notebooks.

    ``tour`` False leaves the tour out: it is the same whatever was tuned.
    Raises ``NotebookFailed`` with the first that does not complete.
    """
    wanted: dict[str, dict[str, object]] = {"00_tour": {}} if tour else {}
    if (run_folder / runfolder.TRACES).exists():
        wanted["20_rerank_weights"] = {"recording": os.curdir}
    else:
        say(f"{run_folder}: no traces, so notebook 20_rerank_weights is left out")
    return [
        # Relative to the notebook's own folder, so that the folder may be moved or sent.
        run(SHIPPED / f"{name}.ipynb", run_folder / f"{name}.ipynb", given, say=say).notebook
        for name, given in wanted.items()
    ]
