"""Lists the public functions, methods and classes of a package, each once.

Two names of one object are one item: the object's identity decides, not the
text. Imports the packages, so it belongs in a process of its own.
"""

import importlib
import inspect
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from eval.pydocs.packages import Package

# pandas reaches its string and date methods through a class two levels down (Series.str.split).
_DEPTH = 2


class Kind(StrEnum):
    """What an item is."""

    CLASS = "class"
    FUNCTION = "function"
    METHOD = "method"


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One documented public object: every public name of it, the main one apart."""

    name: str
    names: tuple[str, ...]
    package: str
    kind: Kind
    doc: str

    @property
    def holder(self) -> str:
        """The module, or for a method the class, that holds the main name."""
        return self.name.rpartition(".")[0]


@dataclass(slots=True, kw_only=True)
class _Found:
    # Holds the object itself: while it lives no other object can take its id.
    thing: object
    package: str
    kind: Kind
    names: set[str] = field(default_factory=set)


def walk(packages: Iterable[Package], say: Callable[[str], None]) -> list[Item]:
    """Every documented public object of the packages, sorted by its main name.

    `say` gets a line before each package is imported.
    """
    packages = tuple(packages)
    known = frozenset(package.name for package in packages)
    found: dict[int, _Found] = {}
    for number, package in enumerate(packages, start=1):
        say(f"reading the documentation of {package.name} ({number} of {len(packages)})")
        for path in package.paths():
            for name, thing in _members(importlib.import_module(path)):
                _add(found, f"{path}.{name}", thing, package.name, known, depth=0)
    return sorted(_items(found), key=lambda item: item.name)


def _items(found: dict[int, _Found]) -> Iterator[Item]:
    for entry in found.values():
        doc = _documentation(entry.thing)
        if doc:
            name = _main_name(entry)
            yield Item(
                name=name, names=tuple(sorted(entry.names)), package=entry.package,
                kind=entry.kind, doc=doc,
            )


def _members(owner: object) -> Iterator[tuple[str, object]]:
    declared = getattr(owner, "__all__", None)
    listed = dir(owner) if declared is None else declared
    for name in sorted(set(listed)):
        if not name.startswith("_"):
            # A name that is listed but refuses to be read (an experimental class behind a
            # switch, an abstract class attribute) is not public in this installation.
            try:
                yield name, getattr(owner, name)
            except (AttributeError, ImportError, NotImplementedError, TypeError):
                continue


def _add(
    found: dict[int, _Found], name: str, thing: object, package: str,
    known: frozenset[str], depth: int,
) -> None:
    thing = getattr(thing, "__func__", thing)
    home = _home(thing, package)
    if not callable(thing) or home not in known:
        return
    kind = _kind(thing, depth)
    entry = found.setdefault(id(thing), _Found(thing=thing, package=home, kind=kind))
    entry.names.add(name)
    if inspect.isclass(thing) and depth < _DEPTH:
        for inner, member in _members(thing):
            _add(found, f"{name}.{inner}", member, package, known, depth + 1)


def _kind(thing: object, depth: int) -> Kind:
    if inspect.isclass(thing):
        return Kind.CLASS
    return Kind.METHOD if depth else Kind.FUNCTION


def _home(thing: object, package: str) -> str:
    """The package an object comes from; compiled ones that do not say are where they are met."""
    where = getattr(thing, "__module__", None)
    if not isinstance(where, str):
        where = getattr(getattr(thing, "__objclass__", None), "__module__", None)
    return where.partition(".")[0] if isinstance(where, str) else package


def _main_name(entry: _Found) -> str:
    """Where the object says it lives if that is public, else the shortest name in its package."""
    own = f"{getattr(entry.thing, '__module__', '')}.{getattr(entry.thing, '__qualname__', '')}"
    if own in entry.names:
        return own
    home = [name for name in entry.names if name.partition(".")[0] == entry.package]
    return min(home or entry.names, key=lambda name: (name.count("."), len(name), name))


def _documentation(thing: object) -> str:
    """The documentation string, free of indentation; none where it is only the type's."""
    text = inspect.getdoc(thing)
    borrowed = not (inspect.isclass(thing) or inspect.isroutine(thing))
    if not isinstance(text, str) or (borrowed and text == inspect.getdoc(type(thing))):
        return ""
    return inspect.cleandoc(text).strip()
