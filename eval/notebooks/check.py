"""Says what is wrong with a notebook that is to be run, or that is to be trusted when it is green.

``runnable`` holds for every notebook; ``check`` besides for one that ships. Each rule stands for a
way in which a run, or a comparison with the stored outputs, says "passed" and means nothing.
"""

import ast
import builtins
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from eval.notebooks.parameters import declared
from eval.notebooks.trouble import NotebookError

CHECKED, IGNORED = "nbval-check-output", "nbval-ignore-output"
# Everything else in a notebook's metadata is somebody's editor, widget or machine.
NOTEBOOK_KEYS = {"kernelspec": {"display_name", "language", "name"}, "language_info": {"name"}}
CELL_KEYS = frozenset({"tags"})
OUTPUT_TYPES = frozenset({"text/plain", "text/html", "image/png"})
# They write text into the page as it is; text out of a corpus may be a script (RELIABILITY 22).
RAW = frozenset({"HTML", "Javascript", "SVG", "IFrame", "Markdown", "Latex", "display_html"})
SHELLS = frozenset({"get_ipython", "os.system", "os.popen"})
TOP_LEVEL_AWAIT = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT | ast.PyCF_ONLY_AST

_PATH = re.compile(r"(?<![\w./<~-])/(?:home|root|Users|work|tmp|var|opt|private)/[\w.-]+")
_SECRET = re.compile(
    r"AKIA[0-9A-Z]{16}|\bsk-[A-Za-z0-9_-]{16,}|-----BEGIN [A-Z ]*PRIVATE KEY"
    r"|://[^/\s:@]+:[^/\s@]+@|\beyJ[\w-]{10,}\.[\w-]{10,}\.|\bgh[pousr]_\w{30,}"
)
_SCRIPT = re.compile(r"<\s*(?:script|iframe|object|embed|img|svg|link)\b|\bon\w+\s*=|javascript:", re.I)


def runnable(notebook: Mapping) -> list[str]:
    """What keeps a notebook from being run: each a sentence with the cell's number, from 1."""
    found = []
    try:
        declared(notebook)
    except NotebookError as error:
        found.append(str(error))
    defined = _defined(notebook)
    for number, cell in _code(notebook):
        where = f"code cell {number}"
        if "raises-exception" in cell["metadata"].get("tags", ()):
            found.append(f"{where} is tagged raises-exception: it would pass without raising")
        tree = _tree(cell["source"])
        if tree is None:
            found.append(f"{where} is not plain Python: a magic or a shell line can fail in silence")
            continue
        found += [f"{where}: {trouble}" for trouble in _silent(tree, defined)]
    return found


def check(notebook: Path) -> list[str]:
    """What keeps a notebook from being shipped; empty where a green run of it means something."""
    from eval.notebooks.runner import read

    try:
        content = read(notebook)
    except NotebookError as error:
        return [str(error)]
    found = runnable(content)
    found += _strange_keys(content)
    for number, cell in _code(content):
        where = f"code cell {number}"
        found += [f"{where}: {trouble}" for trouble in (*_outputs(cell), *_unescaped(cell))]
    text = notebook.read_text("utf-8", errors="replace")
    found += [f"holds a path of a machine: {path}" for path in dict.fromkeys(_PATH.findall(text))]
    if _SECRET.search(text):
        found.append("holds what looks like a secret")
    return found


def _code(notebook: Mapping) -> Iterator[tuple[int, Mapping]]:
    cells = (cell for cell in notebook["cells"] if cell["cell_type"] == "code")
    return enumerate(cells, 1)


def _tree(source: str) -> ast.Module | None:
    try:
        return compile(source, "cell", "exec", TOP_LEVEL_AWAIT)
    except (SyntaxError, ValueError):
        return None


def _defined(notebook: Mapping) -> set[str]:
    """Every name that some cell binds."""
    names = set(dir(builtins))
    for _, cell in _code(notebook):
        for node in ast.walk(_tree(cell["source"]) or ast.Module([], [])):
            match node:
                case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                    names.add(name)
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                    names.add(name)
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


def _outputs(cell: Mapping) -> Iterator[str]:
    tags = set(cell["metadata"].get("tags", ()))
    outputs = cell["outputs"]
    if CHECKED in tags and not outputs:
        yield "is checked but has no stored output: any output would pass"
    if outputs and not tags & {CHECKED, IGNORED}:
        yield f"has an output that nobody compares: tag it {CHECKED} or {IGNORED}"
    if CHECKED in tags and IGNORED in tags:
        yield "is both checked and ignored"
    for output in outputs:
        if output["output_type"] == "error":
            yield "has stored an error"
        if output["output_type"] == "stream" and output["name"] == "stderr":
            yield "has stored what went to stderr: warnings and progress differ between machines"
        data = output.get("data", {})
        for kind in data.keys() - OUTPUT_TYPES:
            yield f"has stored an output of type {kind}"
        if _SCRIPT.search("".join(data.get("text/html", ""))):
            yield "has stored HTML that can act"


def _unescaped(cell: Mapping) -> Iterator[str]:
    for node in ast.walk(_tree(cell["source"]) or ast.Module([], [])):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name) if name in RAW:
                yield f"{name} writes text into the page unescaped"
            case ast.Attribute(attr="style"):
                yield "a Styler writes text into the page unescaped"
            case ast.keyword(arg="escape", value=ast.Constant(value=False | None)):
                yield "escape=False writes text into the page unescaped"
            case ast.keyword(arg="raw", value=ast.Constant(value=True)):
                yield "raw=True writes text into the page unescaped"


def _strange_keys(notebook: Mapping) -> Iterator[str]:
    for key, value in notebook["metadata"].items():
        if key not in NOTEBOOK_KEYS:
            yield f"metadata holds {key!r}"
        else:
            strange = set(value) - NOTEBOOK_KEYS[key]
            yield from (f"metadata.{key} holds {inner!r}" for inner in sorted(strange))
    for number, cell in enumerate(notebook["cells"], 1):
        strange = set(cell["metadata"]) - CELL_KEYS
        yield from (f"cell {number}: metadata holds {key!r}" for key in sorted(strange))
        for output in cell.get("outputs", ()):
            if output.get("metadata"):
                yield f"cell {number}: an output holds metadata"
