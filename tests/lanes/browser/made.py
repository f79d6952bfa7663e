"""Copies of the notebook of the weights, without its stored outputs: what is seen then was run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from eval import demo, runfolder
from eval.tune.verdict import Case

NOTEBOOK = Path(__file__).resolve().parents[3] / "notebooks" / "20_rerank_weights.ipynb"
# Short: a table cuts its cells. Whichever way it were run, `planted` would be set.
HOSTILE = "<img src=x onerror=planted=1>"
QUERY, RECORD = "known:pandas.RangeIndex", "pandas.RangeIndex"
_T = TypeVar("_T")


class Made:
    """The folder, with the notebooks as they are asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def notebook(self, name: str, recording: str = "") -> str:
        """The name of a copy that looks at this recording; without one, at the shipped demo."""
        plain = json.loads(NOTEBOOK.read_text("utf-8"))
        for cell in plain["cells"]:
            if cell["cell_type"] == "code":
                cell["outputs"], cell["execution_count"] = [], None
            if "parameters" in cell["metadata"].get("tags", []):
                cell["source"] = f"recording: str = {recording!r}\nk: int = 10"
        return self._kept(name, plain)

    def planted(self, name: str, *sources: str) -> str:
        """The name of a notebook of these cells alone."""
        whole = json.loads(NOTEBOOK.read_text("utf-8"))
        empty = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
        cells = [{**empty, "id": f"n{n}", "source": source} for n, source in enumerate(sources)]
        return self._kept(name, {**whole, "cells": cells})

    def _kept(self, name: str, plain: object) -> str:
        (self.folder / name).write_text(json.dumps(plain), "utf-8")
        return name

    def hostile(self, name: str) -> tuple[str, Case]:
        """(its folder, its case): the demo with HTML in the names that a recording brings along."""
        case = demo.case()
        named = {QUERY: QUERY + HOSTILE}
        grades = {
            query: {(source, _in(key)): grade for (source, key), grade in rows.items()}
            for query, rows in case.judgements.items()
        }
        changed = replace(
            case,
            capability=f"demo {HOSTILE}",
            judgements=_renamed(grades, named),
            groups=_renamed(case.groups, named),
            strata=_renamed(case.strata, named),
        )
        folder = self.folder.parent / name
        runfolder.write(folder, changed)
        text = (demo.FOLDER / runfolder.TRACES).read_text("utf-8")
        for word in (QUERY, RECORD):
            text = text.replace(json.dumps(word), json.dumps(word + HOSTILE))
        (folder / runfolder.TRACES).write_text(text, "utf-8")
        return str(folder), changed


def _renamed(whole: Mapping[str, _T], named: Mapping[str, str]) -> dict[str, _T]:
    return {named.get(key, key): value for key, value in whole.items()}


def _in(key: str) -> str:
    return key + HOSTILE if key == RECORD else key
