"""What PostgreSQL's own parser says of a command: one SELECT of listed parts, or the objections.

The names below are all that a command is made of. Reading another relation, calling another
function or casting to another type is an objection, whatever the reason.
"""

import re
from collections.abc import Iterator

import pglast
from pglast import ast

from esra.domain.source import Relation

FUNCTIONS = frozenset(
    # One word a line of its own would hide the list.
    """
    unnest plainto_tsquery phraseto_tsquery to_tsvector numnode string_agg concat_ws ts_rank
    ts_rank_cd length ln round avg sum count left pg_catalog.extract
    """.split()  # noqa: SIM905
)
TYPES = frozenset(
    """
    text regconfig tsquery tsvector float8 pg_catalog.int4 numeric pg_catalog.numeric boolean
    pg_catalog.bool timestamptz
    """.split()  # noqa: SIM905
)
OWN = frozenset({"given", "part", "word", "asked", "total", "weight", "mean"})
PLACEHOLDER = re.compile(r"%\((\w+)\)s")


def as_sent(text: str) -> str:
    """The text as the driver sends it: numbered parameters, and a doubled ``%`` once."""
    numbers: dict[str, int] = {}

    def number(found: re.Match[str]) -> str:
        return f"${numbers.setdefault(found.group(1), len(numbers) + 1)}"

    return PLACEHOLDER.sub(number, text).replace("%%", "%")


def objections(text: str, relation: Relation) -> list[str]:
    """Why this is not exactly one harmless SELECT over ``relation`` with a bound parameter."""
    try:
        statements = pglast.parse_sql(as_sent(text))
    except pglast.parser.ParseError as error:
        return [f"no SQL: {error}"]
    if len(statements) != 1:
        return [f"{len(statements)} statements"]
    found = [why for node in _walk(statements[0].stmt) if (why := _objection(node, relation))]
    if not any(isinstance(node, ast.ParamRef) for node in _walk(statements[0].stmt)):
        found.append("nothing is bound")
    return found


def _walk(node: object) -> Iterator[ast.Node]:
    if isinstance(node, ast.Node):
        yield node
        for name in node:
            yield from _walk(getattr(node, name))
    elif isinstance(node, (tuple, list)):
        for part in node:
            yield from _walk(part)


def _objection(node: ast.Node, relation: Relation) -> str | None:
    match node:
        case ast.SelectStmt(intoClause=into, lockingClause=locking):
            return "it stores or locks" if into or locking else None
        case ast.FuncCall():
            return _unlisted("function", _name(node.funcname), FUNCTIONS)
        case ast.TypeName():
            return _unlisted("type", _name(node.names), TYPES)
        case ast.RangeVar():
            own = node.schemaname is None and node.relname in OWN
            mapped = (node.schemaname, node.relname) == (relation.schema, relation.table)
            return None if own or mapped else f"relation {node.schemaname}.{node.relname}"
        case _ if type(node).__name__.endswith("Stmt"):
            return type(node).__name__
    return None


def _name(parts: tuple[ast.String, ...]) -> str:
    return ".".join(part.sval for part in parts)


def _unlisted(kind: str, name: str, listed: frozenset[str]) -> str | None:
    return None if name in listed else f"{kind} {name}"
