"""Strict models and their errors in a person's words."""

import difflib
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError


class ConfigError(ValueError):
    """A file that cannot be used. The message names the file, the key and what to do."""


class Strict(BaseModel):
    """Unknown keys, wrong types, NaN and infinity are errors; no error repeats what stood there."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        allow_inf_nan=False,
        frozen=True,
        hide_input_in_errors=True,  # it may be a secret in the wrong place
    )


def explain(where: str, error: ValidationError, model: type[BaseModel]) -> ConfigError:
    """One line a problem, the first ten: where it is, what is wrong, the nearest valid key."""
    lines = []
    for problem in error.errors(include_url=False, include_input=False)[:10]:
        path = ".".join(str(part) for part in problem["loc"]) or "(top)"
        if problem["type"] == "extra_forbidden":
            lines.append(f"{path}: unknown key{_nearest(problem['loc'], model)}")
        else:
            lines.append(f"{path}: {problem['msg']}")
    return ConfigError(f"{where}: " + "; ".join(lines))


def _nearest(path: tuple[Any, ...], model: type[BaseModel]) -> str:
    known = _keys(model, set())
    close = difflib.get_close_matches(str(path[-1]), sorted(known), n=1)
    return f", did you mean {close[0]!r}?" if close else ""


def _keys(model: type[BaseModel], seen: set[type]) -> set[str]:
    if model in seen:
        return set()
    seen.add(model)
    keys = set(model.model_fields)
    for field in model.model_fields.values():
        for inner in _models(field.annotation):
            keys |= _keys(inner, seen)
    return keys


def _models(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [m for part in getattr(annotation, "__args__", ()) for m in _models(part)]
