"""Rooms that only think: no driver, loop, clock or dice, so that one input has one answer."""

from __future__ import annotations

import ast

import pytest

from tests.guard.house import House, called, dotted, finds, read_house, within

PURE = (
    "esra.domain",
    "esra.briefs",
    "esra.scoring",
    "esra.sealed",
    "esra.sources",
    "esra.stages.scope",
    "esra.stages.validate",
    "esra.stages.normalize",
    "esra.stages.aggregate",
    "esra.stages.respond",
)

WORLD = {
    "drivers": {
        "psycopg",
        "psycopg_pool",
        "sqlite3",
        "socket",
        "ssl",
        "http",
        "urllib",
        "httpx",
        "httpx2",
        "openai",
        "opensearchpy",
    },
    "loops": {
        "asyncio",
        "anyio",
        "threading",
        "concurrent",
        "multiprocessing",
        "subprocess",
        "signal",
    },
    "clocks": {"time", "sched"},
    "dice": {"random", "secrets", "uuid"},
    "surroundings": {
        "os",
        "sys",
        "io",
        "pathlib",
        "shutil",
        "tempfile",
        "logging",
        "getpass",
        "platformdirs",
        "platform",
    },
}
BANNED = set().union(*WORLD.values())

# datetime and numpy are values and arithmetic; these parts of them are a clock and dice.
ASKING = {
    "now",
    "utcnow",
    "today",
    "environ",
    "getenv",
    "urandom",
    "default_rng",
    "time_ns",
    "monotonic",
}
TOUCHING = {"open", "print", "input", "breakpoint"}


def touches(house: House) -> list[str]:
    """What the pure rooms do besides thinking."""
    return [
        f"{module.name} {what}"
        for module in house.values()
        if within(module.name, *PURE)
        for what in [
            *_imports(module.imports),
            *(did for node in module.nodes for did in _does(node)),
        ]
    ]


def _imports(names: tuple[str, ...]) -> list[str]:
    return [
        f"imports {name}"
        for name in names
        if name.split(".")[0] in BANNED or within(name, "numpy.random")
    ]


def _does(node: ast.AST) -> list[str]:
    if isinstance(node, (ast.AsyncFunctionDef, ast.Await, ast.AsyncFor, ast.AsyncWith, ast.Global)):
        return [f"holds {type(node).__name__} in line {getattr(node, 'lineno', 0)}"]
    if called(node) in TOUCHING:
        return [f"calls {called(node)}"]
    if isinstance(node, ast.Attribute) and (
        node.attr in ASKING or dotted(node) in ("np.random", "numpy.random")
    ):
        return [f"asks {dotted(node)}"]
    return []


def test_the_pure_rooms_touch_nothing():
    """A clock or a random number in a decision could never be replayed."""
    assert touches(read_house()) == []


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("esra.scoring", "import time"),
        ("esra.scoring", "import numpy as np\nnoise = np.random.rand"),
        ("esra.scoring", "from numpy.random import default_rng"),
        ("esra.domain.hit", "from datetime import datetime\nt = datetime.now()"),
        ("esra.domain.codes", "import os\nx = os.environ"),
        ("esra.sealed", "from secrets import token_bytes"),
        ("esra.sources.relation", "import psycopg"),
        ("esra.sources.topics", "from urllib.request import urlopen"),
        ("esra.stages.scope", "async def f(): return 1"),
        ("esra.stages.validate", "import asyncio"),
        ("esra.stages.normalize", "def f(): return open('x')"),
        ("esra.stages.aggregate", "import uuid"),
        ("esra.stages.respond", "import random as r"),
        ("esra.stages.respond", "import logging"),
    ],
)
def test_a_planted_touch_is_found(name: str, source: str):
    """One way past the guard would be the way taken."""
    assert finds(touches, name, source)


def test_numbers_of_time_and_array_arithmetic_are_allowed():
    """A guard that forbids the type datetime would be switched off within a week."""
    assert (
        finds(
            touches,
            "esra.scoring",
            "import numpy as np\nfrom datetime import datetime, timezone\nx = np.where",
        )
        == []
    )
