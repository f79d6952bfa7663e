"""A small package made by hand, in which every rule of the data set has one case."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from eval.pydocs.entries import Entry, read
from eval.pydocs.packages import Package
from eval.pydocs.walk import Item, Kind, walk

TOP = '''
"""A package of texts."""
from collections import OrderedDict
from handmade.grid import Grid, total

__all__ = ["OrderedDict", "Grid", "total", "add_up", "limit", "absent", "version"]
version = "1"
add_up = total


class _Limit:
    """Callable limits."""

    def __call__(self):
        return 1


limit = _Limit()


def __getattr__(name):
    raise AttributeError(name)
'''
GRID = '''
from json import dumps


class Grid(dict):
    """Cells in rows and columns.

    See Also
    --------
    total : Sum of cells.
    """

    def fill(self):
        """Put one value into every cell.

        See Also
        --------
        clear_all, handmade.total : Another description.
        Grid
        :ref:`a chapter on grids`
        """

    def clear_all(self):
        """Empty every cell."""

    def silent(self):
        pass

    def _hidden(self):
        """Not public."""


def total():
    """Sum of all cells."""
'''


@pytest.fixture
def handmade(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Package:
    """The package `handmade` on the path, with its module `handmade.grid`."""
    folder = tmp_path / "site" / "handmade"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text(TOP, encoding="utf-8")
    (folder / "grid.py").write_text(GRID, encoding="utf-8")
    monkeypatch.syspath_prepend(folder.parent)
    for name in ("handmade", "handmade.grid"):
        # Each test imports its own copy.
        monkeypatch.delitem(sys.modules, name, raising=False)
    return Package(
        name="handmade",
        distribution="handmade",
        licence="none",
        modules=("", "grid"),
    )


@pytest.fixture
def items(handmade: Package) -> dict[str, Item]:
    """What the walk finds in it, by main name."""
    return {item.name: item for item in walk((handmade,), lambda line: None)}


Texts = Callable[[dict[str, str]], list[Entry]]


@pytest.fixture
def entries() -> Texts:
    """Entries from `name="documentation"` pairs; a name's first part is its package."""

    def make(texts: dict[str, str]) -> list[Entry]:
        return read(
            Item(
                name=name,
                names=(name,),
                origin="",
                package=name.partition(".")[0],
                kind=Kind.FUNCTION,
                doc=doc,
            )
            for name, doc in texts.items()
        )

    return make


Repeats = Callable[[Iterable[str], Iterable[str]], list[str]]


@pytest.fixture
def repeats() -> Repeats:
    """Which sentences stand in which texts letter for letter; shares no code with the builder."""

    def look(sentences: Iterable[str], texts: Iterable[str]) -> list[str]:
        everything = "\0".join(re.sub(r"[\W_]+", "", text).lower() for text in texts)
        return [one for one in sentences if re.sub(r"[\W_]+", "", one).lower() in everything]

    return look
