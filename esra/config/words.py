"""What is wrong with a value, in a person's words: its kind is told, never the value. Pure."""

from collections.abc import Mapping
from datetime import date, datetime, time
from typing import Any

from esra.config.shape import meant

# In this order: true is a whole number to Python.
_KINDS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (bool, "true or false"),
    (int, "a whole number"),
    (float, "a number"),
    (str, "text"),
    (list, "a list"),
    (dict, "a table"),
    ((datetime, date, time), "a date or time"),
)
_EXPECTED = {
    "bool_type": "true or false",
    "int_type": "a whole number",
    "float_type": "a number",
    "string_type": "text in quotes",
    "list_type": "a list",
    "dict_type": "a table",
    "model_type": "a table",
}


def kind(value: object) -> str:
    """What stands there, in TOML's terms."""
    return next((name for types, name in _KINDS if isinstance(value, types)), "nothing")


def said(problem: Mapping[str, Any]) -> str:
    """One of pydantic's problems. Its input is looked at for its kind alone."""
    context = problem.get("ctx", {})
    match problem["type"]:
        case "missing":
            return "this key is missing"
        case "literal_error":
            return f"takes one of {context['expected']}{_meant(problem['input'], context)}"
        case "finite_number":
            return "takes a finite number"
        case "greater_than":
            return f"has to be above {context['gt']:g}"
        case "greater_than_equal":
            return f"has to be at least {context['ge']:g}"
        case "less_than_equal":
            return f"has to be at most {context['le']:g}"
        case "string_too_short":
            return "may not be empty"
        case "string_too_long":
            return f"has at most {context['max_length']} characters"
        case "too_short" | "too_long":
            least, most = context.get("min_length"), context.get("max_length")
            bound = f"at least {least}" if most is None else f"at most {most}"
            return f"takes {bound} entries; it has {context['actual_length']}"
        case type if type in _EXPECTED:
            return f"takes {_EXPECTED[type]}, found {kind(problem['input'])}"
    return str(problem["msg"]).removeprefix("Value error, ")


def _meant(value: object, context: Mapping[str, Any]) -> str:
    """Only one of the words that may stand there is named, so whatever stood there stays unsaid."""
    known = [part.strip("' ") for part in str(context["expected"]).replace(" or ", ",").split(",")]
    return meant(value, known) if isinstance(value, str) else ""
