"""The parameters a notebook declares, and the values it may be given. Pure.

A declaration is an assignment of a literal in the one cell tagged ``parameters``, with or without
an annotation: ``k: int = 10``. Papermill only warns of a name the notebook does not have, and
reads ``007`` as seven; here the name must exist and the value must have the declared type.
"""

import ast
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from eval.notebooks.trouble import BadParameter, NotebookError

TAG = "parameters"
KINDS = {str: "text", bool: "true or false", int: "a whole number", float: "a number"}

# A parameter stands in the produced notebook twice, for everybody who is sent it (RULINGS 44).
_SECRET = re.compile(r"(?i:token|secret|passw|pwd|dsn|credential)|(?i:key)(?=_|$|[A-Z0-9])")
_PASSWORD_IN_URL = re.compile(r"://[^/\s:@]*:[^/\s@]+@")


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """One parameter: its name, the type a value must have, and whether None will do."""

    name: str
    kind: type
    optional: bool = False


def declared(notebook: Mapping) -> tuple[Declared, ...]:
    """The parameters of a notebook in nbformat 4; ``NotebookError`` where it declares none well."""
    cells = [
        cell
        for cell in notebook["cells"]
        if cell["cell_type"] == "code" and TAG in cell["metadata"].get("tags", ())
    ]
    if len(cells) != 1:
        raise NotebookError(f"{len(cells)} code cells are tagged `{TAG}`; exactly one must be")
    try:
        body = ast.parse(cells[0]["source"]).body
    except SyntaxError as error:
        raise NotebookError(f"the cell tagged `{TAG}` is not Python: {error.msg}") from error
    found = tuple(_declaration(line) for line in body if not _is_docstring(line))
    names = [one.name for one in found]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise NotebookError(f"parameter {twice[0]!r} is declared twice")
    return found


def _is_docstring(line: ast.stmt) -> bool:
    return isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant)


def _declaration(line: ast.stmt) -> Declared:
    match line:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            kind, optional = None, False
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value, annotation=given):
            kind, optional = _annotated(name, given)
        case _:
            raise NotebookError(f"the cell tagged `{TAG}` holds assignments of one name only")
    try:
        default = ast.literal_eval(value)
    except ValueError as error:
        raise NotebookError(f"the default of parameter {name!r} is not a literal") from error
    if is_secret(name):
        raise NotebookError(_no_secrets(name))
    one = Declared(name=name, kind=kind or type(default), optional=optional)
    if one.kind not in KINDS:
        raise NotebookError(f"parameter {name!r} must be annotated str, int, float or bool")
    fit(one, default)
    return one


def _annotated(name: str, annotation: ast.expr) -> tuple[type, bool]:
    kinds = {kind.__name__: kind for kind in KINDS}
    match annotation:
        case ast.Name(id=word) if word in kinds:
            return kinds[word], False
        case ast.BinOp(left=ast.Name(id=word), op=ast.BitOr(), right=ast.Constant(value=None)) if (
            word in kinds
        ):
            return kinds[word], True
    raise NotebookError(
        f"parameter {name!r} is annotated {ast.unparse(annotation)!r}; "
        "use str, int, float or bool, with or without `| None`"
    )


def fitting(known: tuple[Declared, ...], given: Mapping[str, object]) -> dict[str, object]:
    """The given values as the notebook will see them; ``BadParameter`` for one that may not be."""
    by_name = {one.name: one for one in known}
    for name in given:
        if is_secret(name):
            raise BadParameter(_no_secrets(name))
        if name not in by_name:
            raise BadParameter(f"there is no parameter {name!r}{_instead(name, by_name)}")
    return {name: fit(by_name[name], value) for name, value in given.items()}


def from_text(known: tuple[Declared, ...], given: Mapping[str, str]) -> dict[str, object]:
    """Values typed on a command line, read as the declared types: ``007`` stays text for a str.

    What cannot be read stays text, for ``fitting`` to say what is wrong with it.
    """
    by_name = {one.name: one for one in known}
    return {
        name: _read(by_name[name], text) if name in by_name else text
        for name, text in given.items()
    }


def _read(one: Declared, text: str) -> object:
    if one.optional and text == "":
        return None
    if one.kind is bool:
        return {"true": True, "false": False}.get(text.lower(), text)
    try:
        return one.kind(text)
    except ValueError:
        return text


def fit(one: Declared, value: object) -> object:
    """The value in its declared type; ``BadParameter`` where it has another."""
    if value is None and one.optional:
        return None
    if isinstance(value, Path) and one.kind is str:
        value = str(value)
    if one.kind is float and type(value) is int:
        value = float(value)
    # Exactly: True is an int to isinstance.
    if type(value) is not one.kind:
        raise BadParameter(f"parameter {one.name!r} is {KINDS[one.kind]}, not {value!r}")
    if isinstance(value, float) and not math.isfinite(value):
        raise BadParameter(f"parameter {one.name!r} is {value}; a notebook holds finite numbers")
    if isinstance(value, str) and _PASSWORD_IN_URL.search(value):
        raise BadParameter(f"parameter {one.name!r} holds a password; name a variable instead")
    return value


def is_secret(name: str) -> bool:
    """Whether a name looks like one of a secret: api_key and apikey do, keyword does not."""
    return _SECRET.search(name) is not None


def _no_secrets(name: str) -> str:
    return f"parameter {name!r} looks like a secret: read it from the environment in the notebook"


def _instead(name: str, known: Mapping[str, Declared]) -> str:
    close = get_close_matches(name, known, n=1)
    if close:
        return f"; did you mean {close[0]!r}?"
    return f"; the notebook has {', '.join(known)}" if known else "; the notebook has none"
