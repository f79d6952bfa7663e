"""Says what keeps a notebook from being run at all. Pure.

Each rule stands for a way in which a run says "passed" while something in it failed in silence.
"""

import ast
import builtins
from collections.abc import Iterator, Mapping

from eval.notebooks.parameters import declared
from eval.notebooks.trouble import NotebookError

# Names that IPython binds before the first cell.
GIVEN = frozenset({"display", "get_ipython", "In", "Out", "_"})
SHELLS = frozenset({"get_ipython", "os.system", "os.popen"})
TOP_LEVEL_AWAIT = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT | ast.PyCF_ONLY_AST


def runnable(notebook: Mapping) -> list[str]:
    """The problems of a notebook, each a sentence; code cells are counted from 1."""
    found = []
    try:
        declared(notebook)
    except NotebookError as error:
        found.append(str(error))
    defined = _defined(notebook)
    for number, cell in code_cells(notebook):
        where = f"code cell {number}"
        if "raises-exception" in cell["metadata"].get("tags", ()):
            found.append(f"{where} is tagged raises-exception: it would pass without raising")
        tree = tree_of(cell["source"])
        if tree is None:
            found.append(f"{where} is not plain Python: a magic or shell line can fail in silence")
            continue
        found += [f"{where}: {trouble}" for trouble in _silent(tree, defined)]
    return found


def code_cells(notebook: Mapping) -> Iterator[tuple[int, Mapping]]:
    """The code cells with their numbers, from 1."""
    cells = (cell for cell in notebook["cells"] if cell["cell_type"] == "code")
    return enumerate(cells, 1)


def tree_of(source: str) -> ast.Module | None:
    """The cell's syntax tree; None where it is not Python. ``await`` may stand at the top."""
    try:
        return compile(source, "cell", "exec", TOP_LEVEL_AWAIT)
    except (SyntaxError, ValueError):
        return None


def nodes(cell: Mapping) -> Iterator[ast.AST]:
    """Every node of a cell that is Python."""
    tree = tree_of(cell["source"])
    return ast.walk(tree) if tree else iter(())


def _defined(notebook: Mapping) -> set[str]:
    """Every name that some cell binds."""
    names = {*dir(builtins), *GIVEN}
    for _, cell in code_cells(notebook):
        for node in nodes(cell):
            match node:
                case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                    names.add(name)
                case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                    names.add(node.name)
                case ast.alias(name=name, asname=other):
                    names.add(other or name.partition(".")[0])
    return names


def _silent(tree: ast.Module, defined: set[str]) -> Iterator[str]:
    for line in tree.body:
        # `ls -la` is Python to a parser and a magic to IPython.
        if isinstance(line, ast.Expr) and (name := _first_name(line.value)) not in {None, *defined}:
            yield f"{name} is defined nowhere, so IPython would run it as a magic"
    for node in ast.walk(tree):
        if isinstance(node, (ast.Name, ast.Attribute)) and ast.unparse(node) in SHELLS:
            yield f"{ast.unparse(node)} runs what can fail in silence"


def _first_name(node: ast.expr) -> str | None:
    while not isinstance(node, ast.Name):
        match node:
            case ast.BinOp(left=inner) | ast.Compare(left=inner) | ast.Attribute(value=inner):
                node = inner
            case ast.Call(func=inner) | ast.Subscript(value=inner):
                node = inner
            case _:
                return None
    return node.id
