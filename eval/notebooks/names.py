"""Which names a notebook uses that no cell has defined by then, as ruff reads it.

A parameter that was renamed in its own cell and nowhere else is one of them: the notebook would run
until the first cell that uses it.
"""

import json
import subprocess
from collections.abc import Iterator, Mapping

# Names that IPython binds before the first cell, beside those that ruff knows of.
GIVEN = ("In", "Out", "_")
# pyflakes' "undefined name", and "import *", under which it looks for none.
UNDEFINED, STAR = "F821", "F403"


def undefined(notebook: Mapping) -> Iterator[tuple[int, str]]:
    """(code cell from 1, name) of every such use in a notebook in nbformat 4; for `import *`, "*".

    Nothing of a notebook that holds what is not Python: ``runnable`` says so.
    """
    numbers = _code_numbers(notebook)
    for one in _findings(notebook):
        if one["code"] == UNDEFINED:
            yield numbers[one["cell"]], one["message"].split("`")[1]
        elif one["code"] == STAR:
            yield numbers[one["cell"]], "*"


def _findings(notebook: Mapping) -> list[dict]:
    # Where the program is depends on how it was installed: its own package knows.
    from ruff import find_ruff_bin

    words = [
        find_ruff_bin(),
        "check",
        "--isolated",
        "--no-cache",
        "--ignore-noqa",
        "--exit-zero",
        f"--select={UNDEFINED},{STAR}",
        f"--config=builtins={json.dumps(GIVEN)}",
        "--output-format=json",
        "--stdin-filename=notebook.ipynb",
        "-",
    ]
    done = subprocess.run(
        words, input=json.dumps(notebook), capture_output=True, check=True, encoding="utf-8"
    )
    return json.loads(done.stdout)


def _code_numbers(notebook: Mapping) -> dict[int, int]:
    """The number among the code cells by the number among all; both from 1."""
    places = [at for at, cell in enumerate(notebook["cells"], 1) if cell["cell_type"] == "code"]
    return {at: number for number, at in enumerate(places, 1)}
