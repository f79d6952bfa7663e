"""The house as text: every module's source, what it imports and what it calls.

A guard is a function from a house to the sentences that say what is wrong in it. Because a house is
a plain mapping, a test plants a violation by putting one more module into a copy.
"""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Module:
    """One file of the house. ``package`` says whether relative imports start in it."""

    name: str
    source: str
    package: bool = False

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        return tuple(ast.walk(ast.parse(self.source)))

    @cached_property
    def imports(self) -> tuple[str, ...]:
        """Dotted names, as far as the text tells: ``from a import b`` gives ``a`` and ``a.b``."""
        return tuple(self._imports())

    def _imports(self) -> Iterator[str]:
        for node in self.nodes:
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                base = self._base(node)
                yield base
                yield from (f"{base}.{alias.name}" for alias in node.names)

    def _base(self, node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module or ""
        here = self.name.split(".")
        above = here[: len(here) - node.level + self.package]
        return ".".join([*above, *filter(None, [node.module])])


House = Mapping[str, Module]


@cache
def read_house(package: str = "esra", root: Path = ROOT) -> House:
    """Every module under ``root/package``."""
    house = {}
    for file in sorted((root / package).rglob("*.py")):
        parts = file.relative_to(root).with_suffix("").parts
        package_file = parts[-1] == "__init__"
        name = ".".join(parts[:-1] if package_file else parts)
        house[name] = Module(name, file.read_text("utf-8"), package_file)
    return house


def finds(guard: Callable[[House], list[str]], name: str, source: str) -> list[str]:
    """What ``guard`` says of the real house with one module more (or another in place of its own),
    and does not say of the house as it is."""
    real = read_house()
    package = name in real and real[name].package
    before = set(guard(real))
    return [
        line for line in guard({**real, name: Module(name, source, package)}) if line not in before
    ]


def floors() -> list[set[str]]:
    """From the top: the rooms of each floor, as the contract in pyproject.toml has them."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    layers = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    return [{room.strip().strip("()") for room in layer.split("|")} for layer in layers]


def room(name: str) -> str:
    """``esra.stages.plan`` stands in the room ``stages``; ``esra`` itself in none."""
    return [*name.split("."), ""][1]


def within(name: str, *places: str) -> bool:
    """Whether a dotted name is one of ``places`` or lies inside one."""
    return any(name == place or name.startswith(place + ".") for place in places)


def called(node: ast.AST) -> str:
    """``sql.SQL`` for the call ``sql.SQL(...)``; "" for anything that is not a call of a name."""
    return dotted(node.func) if isinstance(node, ast.Call) else ""


def dotted(node: ast.AST) -> str:
    """The name as written; its last part where it hangs on something that has none."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        before = dotted(node.value)
        return f"{before}.{node.attr}" if before else f".{node.attr}"
    return ""
