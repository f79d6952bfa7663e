"""Says what keeps a notebook from being shipped: a green run of one that passes means something.

The stored outputs of a cell tagged ``nbval-check-output`` are compared with every run; figures and
what differs between machines stand in cells tagged ``nbval-ignore-output``.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from eval.notebooks.files import read
from eval.notebooks.names import undefined
from eval.notebooks.runnable import code_cells, nodes, runnable
from eval.notebooks.trouble import NotebookError

CHECKED, IGNORED = "nbval-check-output", "nbval-ignore-output"
# Everything else in a notebook's metadata is somebody's editor, widget or machine.
NOTEBOOK_KEYS = {"kernelspec": {"display_name", "language", "name"}, "language_info": {"name"}}
CELL_KEYS = frozenset({"tags"})
OUTPUT_TYPES = frozenset({"text/plain", "text/html", "image/png"})
# They write text into the page as it is; text out of a corpus may be a script (RELIABILITY 22).
RAW = frozenset({"HTML", "Javascript", "SVG", "IFrame", "Markdown", "Latex", "display_html"})

_PATH = re.compile(r"(?<![\w./<~-])/(?:home|root|Users|work|tmp|var|opt|private)/[\w.-]+")
_SECRET = re.compile(
    r"AKIA[0-9A-Z]{16}|\bsk-[A-Za-z0-9_-]{16,}|-----BEGIN [A-Z ]*PRIVATE KEY"
    r"|://[^/\s:@]+:[^/\s@]+@|\beyJ[\w-]{10,}\.[\w-]{10,}\.|\bgh[pousr]_\w{30,}"
)
_ACTING = re.compile(
    r"<\s*(?:script|iframe|object|embed|img|svg|link)\b|\bon\w+\s*=|javascript:", re.IGNORECASE
)


def check(notebook: Path) -> list[str]:
    """The problems of a notebook that ships, each a sentence; empty where there is none."""
    try:
        content = read(notebook)
    except NotebookError as error:
        return [str(error)]
    found = [*runnable(content), *_strange_keys(content)]
    found += _unknown(content, found)
    for number, cell in code_cells(content):
        where = f"code cell {number}"
        found += [f"{where} {trouble}" for trouble in (*_stored(cell), *_unescaped(cell))]
    found += _leaks(notebook.read_text("utf-8", errors="replace"))
    return list(dict.fromkeys(found))


def _unknown(notebook: Mapping, found: list[str]) -> Iterator[str]:
    for number, name in undefined(notebook):
        where = f"code cell {number}"
        if name == "*":
            yield f"{where} imports *: nobody can tell which names are defined after it"
        # `ls -la` is found already, for what IPython makes of it.
        elif not any(said.startswith(f"{where}: ") and "as a magic" in said for said in found):
            yield f"{where} uses {name}, which no cell before it defines"


def _stored(cell: Mapping) -> Iterator[str]:
    tags = set(cell["metadata"].get("tags", ()))
    if CHECKED in tags and IGNORED in tags:
        yield "is both checked and ignored"
    if CHECKED in tags and not cell["outputs"]:
        yield "is checked but has no stored output: any output would pass"
    if cell["outputs"] and not tags & {CHECKED, IGNORED}:
        yield f"has an output that nobody compares: tag it {CHECKED} or {IGNORED}"
    for output in cell["outputs"]:
        yield from _one_output(output)


def _one_output(output: Mapping) -> Iterator[str]:
    if output["output_type"] == "error":
        yield "has stored an error"
    if output["output_type"] == "stream" and output["name"] == "stderr":
        yield "has stored what went to stderr: warnings and progress differ between machines"
    data = output.get("data", {})
    for kind in sorted(data.keys() - OUTPUT_TYPES):
        yield f"has stored an output of type {kind}"
    if _ACTING.search("".join(data.get("text/html", ""))):
        yield "has stored HTML that can act"


def _unescaped(cell: Mapping) -> Iterator[str]:
    for node in nodes(cell):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name) if name in RAW:
                yield f"writes text into the page unescaped: {name}"
            case ast.Attribute(attr="style"):
                yield "writes text into the page unescaped: a Styler"
            case ast.keyword(arg="escape", value=ast.Constant(value=False | None)):
                yield "writes text into the page unescaped: escape"
            case ast.keyword(arg="raw", value=ast.Constant(value=True)):
                yield "writes text into the page unescaped: raw"


def _strange_keys(notebook: Mapping) -> Iterator[str]:
    for key, value in notebook["metadata"].items():
        allowed = NOTEBOOK_KEYS.get(key)
        if allowed is None:
            yield f"metadata holds {key!r}"
        else:
            yield from (f"metadata.{key} holds {inner!r}" for inner in sorted(set(value) - allowed))
    for number, cell in enumerate(notebook["cells"], 1):
        strange = sorted(set(cell["metadata"]) - CELL_KEYS)
        yield from (f"cell {number}: metadata holds {key!r}" for key in strange)
        if any(output.get("metadata") for output in cell.get("outputs", ())):
            yield f"cell {number}: an output holds metadata"


def _leaks(text: str) -> Iterator[str]:
    for path in dict.fromkeys(_PATH.findall(text)):
        yield f"holds a path of a machine: {path}"
    if _SECRET.search(text):
        yield "holds what looks like a secret"
