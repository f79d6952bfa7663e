"""Runs a shipped notebook and stores its outputs where they are compared or worth seeing.

Everything else of the run is left out, times and whatever metadata an editor wrote among it, so
that a change of a notebook shows as a change of what it says.
"""

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from eval.notebooks.check import CHECKED, IGNORED
from eval.notebooks.files import read, write
from eval.notebooks.runner import run

KERNEL = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def refresh(notebook: Path) -> None:
    """Writes the notebook anew with the outputs of this run. Raises what ``run`` raises."""
    with TemporaryDirectory() as folder:
        produced = read(run(notebook, Path(folder, notebook.name)).notebook)
    write(settled(produced), notebook)


def settled(produced: Mapping) -> dict[str, object]:
    """The notebook as it is kept, from one that was just run."""
    return {
        "cells": [_cell(cell) for cell in produced["cells"]],
        "metadata": KERNEL,
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def _cell(cell: Mapping) -> dict[str, object]:
    tags = cell["metadata"].get("tags", [])
    kept = {
        "cell_type": cell["cell_type"],
        "id": cell["id"],
        "metadata": {"tags": tags} if tags else {},
        "source": _lines(cell["source"]),
    }
    if cell["cell_type"] == "code":
        outputs = cell["outputs"] if {CHECKED, IGNORED} & set(tags) else []
        # The count of a fresh kernel; nbval refuses an output without one.
        kept |= {
            "execution_count": cell["execution_count"] if outputs else None,
            "outputs": [_output(output) for output in outputs],
        }
    return dict(sorted(kept.items()))


def _output(output: Mapping) -> dict[str, object]:
    plain = {**output, "metadata": {}} if "metadata" in output else dict(output)
    if "text" in plain:
        plain["text"] = _lines(plain["text"])
    if "data" in plain:
        plain["data"] = {
            kind: content if kind.startswith("image/") else _lines(content)
            for kind, content in sorted(plain["data"].items())
        }
    return dict(sorted(plain.items()))


def _lines(text: str) -> list[str]:
    """Text as a list of lines: one changed line is one changed line in a diff."""
    return text.splitlines(keepends=True)
