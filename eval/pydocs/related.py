"""Finds which object each "See Also" name means. Guesses nothing: what is not found is counted."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from eval.pydocs.docstring import is_name
from eval.pydocs.entries import Entry
from eval.pydocs.walk import Kind

# The names under which documentation texts import the packages.
_SHORT = {"np": "numpy", "pd": "pandas", "plt": "matplotlib.pyplot", "sp": "scipy"}


class Met(StrEnum):
    """Where a "See Also" name was found, in the order tried, or why it was dropped."""

    CLASS = "same class"
    MODULE = "same module"
    DOTTED = "dotted name"
    TOP = "package top"
    ITSELF = "dropped: the item itself"
    NOT_A_NAME = "dropped: not a name"
    UNKNOWN = "dropped: no documented public object of that name"


@dataclass(frozen=True, slots=True, kw_only=True)
class Relations:
    """`targets`: main name -> main names its "See Also" leads to; `met` counts every entry."""

    targets: Mapping[str, tuple[str, ...]]
    met: Mapping[Met, int]


def resolve(entries: Iterable[Entry]) -> Relations:
    """The "See Also" entries of all documents, each resolved to the object it names."""
    names = _Names(tuple(entries))
    met: Counter[Met] = Counter()
    targets: dict[str, tuple[str, ...]] = {}
    for entry in names.entries:
        found = [names.look_up(entry, written) for written in entry.doc.related]
        met.update(how for how, _ in found)
        targets[entry.name] = tuple(dict.fromkeys(name for _, name in found if name))
    return Relations(targets=targets, met=met)


class _Names:
    """Every public name, the item it leads to, and which names are classes."""

    def __init__(self, entries: tuple[Entry, ...]) -> None:
        self.entries = entries
        # Texts also name the private module an object is defined in; public names win.
        self._main = {entry.item.origin: entry.name for entry in entries}
        self._main |= {name: entry.name for entry in entries for name in entry.item.names}
        self._classes = frozenset(
            name for entry in entries if entry.item.kind is Kind.CLASS for name in entry.item.names
        )

    def look_up(self, entry: Entry, written: str) -> tuple[Met, str]:
        """How a written name was met, and the main name it leads to or ""."""
        if not is_name(written):
            return Met.NOT_A_NAME, ""
        for how, candidate in self._candidates(entry, _long(written.lstrip("."))):
            target = self._main.get(candidate, "")
            if target:
                return (Met.ITSELF, "") if target == entry.name else (how, target)
        return Met.UNKNOWN, ""

    def _candidates(self, entry: Entry, name: str) -> Iterator[tuple[Met, str]]:
        # Every public name counts, the main one first: many classes inherit one method.
        holders = dict.fromkeys(own.rpartition(".")[0] for own in (entry.name, *entry.item.names))
        classes = [holder for holder in holders if holder in self._classes]
        modules = dict.fromkeys(self._module(holder) for holder in holders)
        yield from ((Met.CLASS, f"{holder}.{name}") for holder in classes)
        yield from ((Met.MODULE, f"{module}.{name}") for module in modules)
        yield Met.DOTTED, name
        yield Met.TOP, f"{entry.item.package}.{name}"

    def _module(self, holder: str) -> str:
        while holder in self._classes:
            holder = holder.rpartition(".")[0]
        return holder


def _long(name: str) -> str:
    head, dot, rest = name.partition(".")
    return f"{_SHORT.get(head, head)}{dot}{rest}"
