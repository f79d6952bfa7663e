"""The pipeline's page: the stages in their order, and a door before them."""

from __future__ import annotations

import ast

import pytest

from tests.guard.house import House, Module, called, dotted, finds, read_house, within

ORDER = (
    "scope",
    "select",
    "plan",
    "validate",
    "execute",
    "normalize",
    "aggregate",
    "rerank",
    "respond",
)
ADMITTED = "esra.governance.admission.Admitted"


def stage_calls(pipeline: Module) -> list[str]:
    """The stages in the order in which the page calls them, each as often as it is called."""
    origin = {
        alias.asname or alias.name: node.module.split(".")[2]
        for node in pipeline.nodes
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("esra.stages.")
        for alias in node.names
    }
    calls = [
        node for node in pipeline.nodes if isinstance(node, ast.Call) and called(node) in origin
    ]
    return [
        origin[called(node)]
        for node in sorted(calls, key=lambda node: (node.lineno, node.col_offset))
    ]


def disorder(house: House) -> list[str]:
    """What the page does other than nine stages, once each, in their order."""
    calls = stage_calls(house["esra.pipeline"])
    return [] if tuple(calls) == ORDER else [f"the pipeline calls {', '.join(calls)}"]


def side_entrances(house: House) -> list[str]:
    """Ways into the pipeline without governance: another first parameter, a forged admission."""
    found = []
    for page, entry in (("esra.pipeline", "retrieve"), ("esra.fetch", "fetch")):
        if page in house and _admits(house[page], entry) != ADMITTED:
            found.append(f"{page}.{entry} does not take an Admitted first")
    for module in house.values():
        if not within(module.name, "esra.governance.admission"):
            made = [node.lineno for node in module.nodes if _makes_admitted(node)]
            found += [f"{module.name}:{line} makes an Admitted" for line in made]
    return found


def _admits(page: Module, entry: str) -> str:
    """The full name of the type of the first parameter of ``entry``; "" where there is none."""
    for node in page.nodes:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == entry:
            first = [*node.args.posonlyargs, *node.args.args][:1]
            written = dotted(first[0].annotation) if first and first[0].annotation else ""
            return next((name for name in page.imports if name.endswith(f".{written}")), written)
    return ""


def _makes_admitted(node: ast.AST) -> bool:
    """``Admitted(...)`` or ``object.__new__(Admitted)``, however it is imported."""
    if not isinstance(node, ast.Call):
        return False
    made = (
        [called(node)]
        if not called(node).endswith("__new__")
        else [dotted(arg) for arg in node.args]
    )
    return any(name.rpartition(".")[2] == "Admitted" for name in made)


def test_the_nine_stages_stand_in_their_order():
    """A stage that is skipped, doubled or out of turn changes what a caller may see."""
    assert disorder(read_house()) == []


def test_there_are_nine_stages_and_no_other_file_among_them():
    """A tenth file in stages/ is a stage nobody reads about on the page."""
    stages = {name.split(".")[2] for name in read_house() if name.startswith("esra.stages.")}
    assert stages == set(ORDER)


def test_only_an_admitted_call_enters():
    """Whoever could call the pipeline with a plain request would pass authorisation by."""
    assert side_entrances(read_house()) == []


def _page(change: tuple[str, str]) -> str:
    source = read_house()["esra.pipeline"].source
    assert change[0] in source
    return source.replace(*change)


@pytest.mark.parametrize(
    "change",
    [
        ("validate_plans(", "resolve_scope("),
        ("normalize(answers", "aggregate(answers"),
        ("respond(\n", "respond(respond, respond(\n"),
        ("from esra.stages.rerank import rerank", "from esra.llm.local import rerank"),
    ],
)
def test_a_planted_disorder_is_found(change: tuple[str, str]):
    """The order must be read from the page and not from the list of imports."""
    source = _page(change).replace(
        "respond(respond, respond(\n", "respond()\n    response = respond(\n"
    )
    assert finds(disorder, "esra.pipeline", source)


@pytest.mark.parametrize(
    ("name", "source"),
    [
        (
            "esra.pipeline",
            "from esra.domain.invocation import Call\nasync def retrieve(call: Call): return 1",
        ),
        ("esra.pipeline", "async def retrieve(admitted, house): return 1"),
        (
            "esra.pipeline",
            "from esra.ports import Admitted\nasync def retrieve(admitted: Admitted): return 1",
        ),
        ("esra.fetch", "async def fetch(ref: str, house): return 1"),
        ("esra.cli", "from esra.governance import admission\nx = admission.Admitted(1)"),
        (
            "esra.serve.mcp",
            "from esra.governance.admission import Admitted\nx = object.__new__(Admitted)",
        ),
    ],
)
def test_a_planted_side_entrance_is_found(name: str, source: str):
    """Each is a way round governance that works at run time."""
    assert finds(side_entrances, name, source)
