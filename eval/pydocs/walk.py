"""Lists the public functions, methods and classes of a package, each once.

Two names of one object are one item: the object's identity decides, not the
text. Imports the packages, so it belongs in a process of its own.
"""

import importlib
import inspect
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from types import ModuleType

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
    """One documented public object: every public name of it, the main one apart.

    `origin` is where the object says it was defined, a public place or not.
    """

    name: str
    names: tuple[str, ...]
    origin: str
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
    search = _Search(frozenset(package.name for package in packages))
    for number, package in enumerate(packages, start=1):
        say(f"reading the documentation of {package.name} ({number} of {len(packages)})")
        for path in package.paths():
            module = importlib.import_module(path)
            for name, thing in _module_members(module, path):
                search.add(f"{path}.{name}", thing, package.name)
    return sorted(search.items(), key=lambda item: item.name)


class _Search:
    """Gathers the names of every object met; an object of no known package is not looked at."""

    def __init__(self, known: frozenset[str]) -> None:
        self._known = known
        self._found: dict[int, _Found] = {}

    def add(self, name: str, thing: object, package: str, depth: int = 0) -> None:
        """Adds one name of an object, and the members of a class below it."""
        thing = getattr(thing, "__func__", thing)
        home = _root(_module_of(thing)) or package
        if not callable(thing) or home not in self._known:
            return
        kind = Kind.CLASS if inspect.isclass(thing) else Kind.METHOD if depth else Kind.FUNCTION
        entry = self._found.setdefault(id(thing), _Found(thing=thing, package=home, kind=kind))
        entry.names.add(name)
        if inspect.isclass(thing) and depth < _DEPTH:
            for inner, member in self._class_members(thing):
                self.add(f"{name}.{inner}", member, package, depth + 1)

    def items(self) -> Iterator[Item]:
        """What was met and is documented, in no order."""
        for entry in self._found.values():
            doc = _documentation(entry.thing)
            if doc:
                yield Item(
                    name=_main_name(entry),
                    names=tuple(sorted(entry.names)),
                    origin=_origin(entry.thing),
                    package=entry.package,
                    kind=entry.kind,
                    doc=doc,
                )

    def _class_members(self, owner: type) -> Iterator[tuple[str, object]]:
        """Without what a class has from `dict` or `int`: Python's texts, not the package's."""
        for name, member in _members(owner, dir(owner)):
            definer = next((base for base in owner.__mro__ if name in vars(base)), owner)
            if _root(definer.__module__) in self._known:
                yield name, member


def _module_members(module: ModuleType, path: str) -> Iterator[tuple[str, object]]:
    """What `__all__` declares; without one, what is defined here or below and not brought in."""
    declared = getattr(module, "__all__", None)
    for name, thing in _members(module, dir(module) if declared is None else declared):
        if declared is not None or f"{_module_of(thing)}.".startswith(f"{path}."):
            yield name, thing


def _members(owner: object, names: Iterable[str]) -> Iterator[tuple[str, object]]:
    for name in sorted(set(names)):
        if not name.startswith("_"):
            # A name that is listed but refuses to be read (an experimental class behind a
            # switch, an abstract class attribute) is not public in this installation.
            try:
                yield name, getattr(owner, name)
            except (AttributeError, ImportError, NotImplementedError, TypeError):
                continue


def _module_of(thing: object) -> str:
    """The module an object says it is from; some compiled ones say nothing."""
    where = getattr(thing, "__module__", None)
    if not isinstance(where, str):
        where = getattr(getattr(thing, "__objclass__", None), "__module__", None)
    return where if isinstance(where, str) else ""


def _root(module: str) -> str:
    return module.partition(".")[0]


def _main_name(entry: _Found) -> str:
    """Where the object says it lives if that is public, else the shortest name in its package."""
    own = _origin(entry.thing)
    if own in entry.names:
        return own
    home = [name for name in entry.names if _root(name) == entry.package]
    return min(home or entry.names, key=lambda name: (name.count("."), len(name), name))


def _origin(thing: object) -> str:
    return f"{_module_of(thing)}.{getattr(thing, '__qualname__', '')}"


def _documentation(thing: object) -> str:
    """The object's own documentation string, free of indentation: not its parent's or type's."""
    text = getattr(thing, "__doc__", None)
    borrowed = not (inspect.isclass(thing) or inspect.isroutine(thing))
    if not isinstance(text, str) or (borrowed and text == type(thing).__doc__):
        return ""
    return inspect.cleandoc(text).strip()
