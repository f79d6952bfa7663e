"""The doors that only one may use: the stamp, the check, the adapters, the source's connection."""

from __future__ import annotations

import ast

import pytest

from tests.guard.house import House, called, dotted, finds, read_house, within

# Room or module behind a door -> who may come in.
DOORS = {
    "esra._stamp": ("esra.stages.validate",),
    "esra._check": ("esra.providers.base",),
    "esra._key": ("esra._stamp", "esra._check"),
    # Concrete adapters: the wiring names them, everybody else sees a port.
    "esra.providers": ("esra.providers", "esra.wiring"),
    "esra.llm": ("esra.llm", "esra.wiring"),
    # Drivers: of the sources, of esra's own tables, of the import lane, and of a cache file.
    "psycopg": (
        "esra.providers.postgres",
        "esra.governance.store",
        "esra.governance.audit.tables",
        "esra.ingest",
        "esra.sample.load",
    ),
    "psycopg_pool": ("esra.providers.postgres", "esra.governance.store", "esra.ingest"),
    "sqlite3": ("esra.llm.vector_cache",),
}

# What sends a command over a connection.
SENDS = {"execute", "executemany", "copy", "stream", "callproc"}
# One module touches a source's connection. esra's own tables, the import lane, the sample that
# `esra init` loads and the file in which embeddings are kept have doors of their own, and a model's
# endpoint streams its answer; none of these can meet a source (see DOORS).
SENDERS = {
    "esra.providers.postgres.run": SENDS,
    "esra.governance.store": SENDS,
    "esra.governance.audit.tables": SENDS,
    "esra.ingest.store": SENDS,
    "esra.sample.load": {"execute", "executemany"},
    "esra.llm.vector_cache": {"execute", "executemany"},
    "esra.llm.openai": {"stream"},
}


def open_doors(house: House) -> list[str]:
    """Imports through a door by somebody who has no key to it."""
    return [
        f"{module.name} imports {name}, which only {', '.join(allowed)} may"
        for module in house.values()
        for name in module.imports
        for door, allowed in DOORS.items()
        if within(name, door) and not within(module.name, *allowed)
    ]


def executions(house: House) -> list[str]:
    """Calls that send a command over a connection outside the rooms that may."""
    return [
        f"{module.name} calls {called(node)}()"
        for module in house.values()
        for node in module.nodes
        if _sends(node) and not _may_send(module.name, _last(called(node)))
    ]


def _sends(node: ast.AST) -> bool:
    """A method of that name with something to send: ``{}.copy()`` has nothing."""
    name = called(node)
    given = "." in name and bool(node.args or node.keywords)
    return given and _last(name) in SENDS and not name.startswith(("shutil.", "copy."))


def _may_send(module: str, verb: str) -> bool:
    return any(within(module, sender) and verb in verbs for sender, verbs in SENDERS.items())


def client_cursors(house: House) -> list[str]:
    """What writes values into the text: psycopg's ClientCursor and its kin, and sql.Literal."""
    return [
        f"{module.name}: {name}"
        for module in house.values()
        for node in module.nodes
        for name in _names(node)
        if name.endswith("ClientCursor") or name in ("sql.Literal", "psycopg.sql.Literal")
    ] + [
        f"{module.name}: psycopg.sql.Literal"
        for module in house.values()
        if "psycopg.sql.Literal" in module.imports
    ]


def _names(node: ast.AST) -> list[str]:
    if isinstance(node, (ast.Name, ast.Attribute)):
        return [dotted(node)]
    return [alias.name for alias in node.names] if isinstance(node, ast.ImportFrom) else []


def built_sql(house: House) -> list[str]:
    """``sql.SQL`` over anything but one literal string."""
    return [
        f"{module.name}:{node.lineno} builds SQL text"
        for module in house.values()
        for node in module.nodes
        if called(node) in ("SQL", "sql.SQL", "psycopg.sql.SQL")
        and not (
            len(node.args) == 1 and isinstance(node.args[0], ast.Constant) and not node.keywords
        )
    ]


DYNAMIC = {
    "import_module",
    "__import__",
    "exec",
    "eval",
    "compile",
    "exec_module",
    "load_module",
    "run_module",
    "run_path",
    "spec_from_file_location",
    "module_from_spec",
    "SourceFileLoader",
    "reload",
}


def dynamic_imports(house: House) -> list[str]:
    """Ways to reach a module that no import statement shows."""
    return [
        f"{module.name}:{getattr(node, 'lineno', 0)} uses {name}"
        for module in house.values()
        for node in module.nodes
        for name in _names(node)
        if name == "sys.modules" or (_last(name) in DYNAMIC and name != "re.compile")
    ]


def _last(name: str) -> str:
    return name.rpartition(".")[2]


GUARDS = [open_doors, executions, client_cursors, built_sql, dynamic_imports]


@pytest.mark.req("E081")
@pytest.mark.parametrize("guard", GUARDS, ids=lambda guard: guard.__name__)
def test_every_door_is_shut(guard):
    """Through any of these a query could reach a database that the validator never saw."""
    assert guard(read_house()) == []


PLANTED = [
    (open_doors, "esra.stages.execute", "from esra import _stamp"),
    (open_doors, "esra.stages.plan", "from esra._stamp import stamp"),
    (open_doors, "esra.providers.memory.provider", "from ..._check import check"),
    (open_doors, "esra.wiring", "from esra._key import tag"),
    (open_doors, "esra.pipeline", "from esra.providers.postgres import PostgresProvider"),
    (open_doors, "esra.cli", "from esra.providers.postgres import run"),
    (open_doors, "esra.cli", "from esra.llm.embedder import Embedder"),
    (open_doors, "esra.serve.http", "import esra.llm.local"),
    (open_doors, "esra.llm.vector_cache", "import psycopg"),
    (open_doors, "esra.stages.execute", "from psycopg import sql"),
    (open_doors, "esra.providers.postgres.run", "import sqlite3"),
    (executions, "esra.providers.postgres.render", "def f(c): return c.execute('select 1')"),
    (executions, "esra.stages.execute", "def f(c): return c.cursor().execute('select 1')"),
    (
        executions,
        "esra.providers.base",
        "async def f(c):\n    async with c.cursor() as k:\n        await k.copy('x')",
    ),
    (executions, "esra.config.catalog", "def f(c): c.cursor().executemany('insert', [])"),
    (executions, "esra.llm.vector_cache", "def f(c): c.cursor().copy('copy x to stdout')"),
    (executions, "esra.llm.openai.line", "def f(c): c.execute('select 1')"),
    (client_cursors, "esra.providers.postgres.run", "from psycopg import AsyncClientCursor"),
    (client_cursors, "esra.providers.postgres.run", "import psycopg\nc = psycopg.ClientCursor"),
    (
        client_cursors,
        "esra.providers.postgres.render",
        "from psycopg import sql\nx = sql.Literal('a')",
    ),
    (client_cursors, "esra.providers.postgres.render", "from psycopg.sql import Literal"),
    (built_sql, "esra.providers.postgres.render", "def f(t): return sql.SQL(t)"),
    (built_sql, "esra.providers.postgres.render", "def f(t): return sql.SQL(f'select {t}')"),
    (built_sql, "esra.providers.postgres.render", "def f(t): return SQL('select ' + t)"),
    (
        built_sql,
        "esra.providers.postgres.render",
        "def f(t): return sql.SQL('select {}'.format(t))",
    ),
    (built_sql, "esra.providers.postgres.render", "def f(t): return sql.SQL(*t)"),
    (
        dynamic_imports,
        "esra.wiring",
        "import importlib\nm = importlib.import_module('esra._stamp')",
    ),
    (dynamic_imports, "esra.wiring", "from importlib import import_module as find"),
    (dynamic_imports, "esra.wiring", "m = __import__('esra._stamp')"),
    (dynamic_imports, "esra.wiring", "import sys\nm = sys.modules['esra._stamp']"),
    (dynamic_imports, "esra.wiring", "exec('import esra._stamp')"),
]


@pytest.mark.req("E081")
@pytest.mark.parametrize(("guard", "name", "source"), PLANTED)
def test_a_planted_break_in_is_found(guard, name: str, source: str):
    """A guard that does not see what it forbids would stay green for ever."""
    assert finds(guard, name, source)


def test_one_call_sends_commands_to_a_source():
    """Two places that execute would be two places to keep safe."""
    run = read_house().get("esra.providers.postgres.run")
    if run is None:
        pytest.skip("no PostgreSQL provider yet")
    assert len([node for node in run.nodes if _sends(node)]) == 1
