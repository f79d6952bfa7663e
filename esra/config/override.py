"""Variables that stand in for values of a catalog: ``ESRA_SOURCES__NEWS__LIMITS__SECONDS=2``.

``ESRA_``, then the place with ``__`` between its parts, in capitals: keys as they are, a block of
a list by its id, slug or name, each with ``_`` for whatever is no letter or digit. One without
``__`` (``ESRA_PARALLEL``) names a value at the top of the file. Only single values can be given,
never lists or tables. They are read as strictly as the file: a variable that names nothing there,
or two things, is an error.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_origin

from esra.config.lines import Path
from esra.config.shape import at, bare, block, keys_of, meant
from esra.config.strict import ConfigError, Strict

PREFIX, BETWEEN = "ESRA_", "__"
# By which key a block of a list is named.
_NAMES = ("id", "slug", "name")
_WHOLE = re.compile(r"[+-]?(0|[1-9][0-9]{0,17})\Z")
_NUMBER = re.compile(r"[+-]?(0|[1-9][0-9]{0,17})(\.[0-9]{1,18})?\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Override:
    path: Path
    value: object
    variable: str


def overrides(
    environment: Mapping[str, str], data: Mapping[str, Any], model: type[Strict]
) -> tuple[Override, ...]:
    """What the environment says about parsed ``data``; ``ConfigError`` names the variable."""
    found: dict[Path, Override] = {}
    for variable in sorted(environment):
        if _is_one(variable, model):
            path = _path(variable, data, model)
            if path in found:
                raise ConfigError(f"{variable}: {found[path].variable} says the same place")
            value = _value(variable, environment[variable], at(model, path))
            found[path] = Override(path=path, value=value, variable=variable)
    return tuple(found.values())


def overridden(data: dict[str, Any], given: tuple[Override, ...]) -> dict[str, Any]:
    """The data with the values in their places; tables that are not there are made."""
    for one in given:
        data = _put(data, one.path, one.value)
    return data


def named(entry: object) -> str | None:
    """What a block of a list is called: its id, slug or name, if it has one."""
    names = (
        entry.get(key) if isinstance(entry, dict) else getattr(entry, key, None) for key in _NAMES
    )
    return next((name for name in names if isinstance(name, str)), None)


def _put(node: Any, path: Path, value: object) -> Any:
    if not path:
        return value
    if isinstance(node, list):
        number = int(path[0])
        return [*node[:number], _put(node[number], path[1:], value), *node[number + 1 :]]
    held = node if isinstance(node, dict) else {}
    return {**held, str(path[0]): _put(held.get(str(path[0]), {}), path[1:], value)}


def _is_one(variable: str, model: type[Strict]) -> bool:
    rest = variable.removeprefix(PREFIX)
    if rest == variable:
        return False
    top = {_spelled(key) for key, held in keys_of(model).items() if _is_single(held)}
    return BETWEEN in rest or rest in top


def _path(variable: str, data: Any, model: type[Strict]) -> Path:
    path: Path = ()
    for part in variable.removeprefix(PREFIX).split(BETWEEN):
        choices = list(_choices(at(model, path), data))
        fitting = [step for step, name in choices if _spelled(name) == part.upper()]
        if len(fitting) != 1:
            raise ConfigError(f"{variable}: {_nowhere(part, path, choices, len(fitting))}")
        step = fitting[0]
        path = (*path, step)
        data = _within(data, step)
    if not _is_single(at(model, path)):
        raise ConfigError(f"{variable}: only the file can hold a list or table; name one value")
    return path


def _nowhere(part: str, path: Path, choices: list[tuple[str | int, str]], fitting: int) -> str:
    where = ".".join(map(str, path)) or "the catalog"
    if fitting:
        return f"{part} is more than one thing in {where}; set it in the file"
    if not choices:
        return f"nothing in {where} can be set from here"
    return f"there is no {part} in {where}{meant(part, [_spelled(name) for _, name in choices])}"


def _choices(annotation: Any, data: Any) -> Iterator[tuple[str | int, str]]:
    """(the step, the name by which it is asked for) of everything that stands or may stand here."""
    if (inner := block(annotation)) is not None:
        yield from ((key, key) for key in keys_of(inner))
    elif isinstance(data, dict):
        yield from ((key, key) for key in data)
    elif isinstance(data, list):
        for number, entry in enumerate(data):
            if isinstance(entry, dict) and (name := named(entry)):
                yield number, name


def _within(data: Any, step: str | int) -> Any:
    if isinstance(data, dict):
        return data.get(step)
    return data[step] if isinstance(data, list) and isinstance(step, int) else None


def _spelled(name: str) -> str:
    return re.sub(r"[^A-Z0-9]+", "_", name.upper()).strip("_")


def _is_single(annotation: Any) -> bool:
    plain = bare(annotation)
    return plain in (str, int, float, bool) or get_origin(plain) is Literal


def _value(variable: str, text: str, annotation: Any) -> object:
    """The text as the kind of value that belongs there. What is wrong is not repeated."""
    plain = bare(annotation)
    if plain is bool:
        if text in ("true", "false"):
            return text == "true"
        raise ConfigError(f"{variable}: takes true or false")
    if plain is int:
        if _WHOLE.match(text):
            return int(text)
        raise ConfigError(f"{variable}: takes a whole number such as 20")
    if plain is float:
        if _NUMBER.match(text):
            return float(text)
        raise ConfigError(f"{variable}: takes a number such as 2.5")
    if get_origin(plain) is Literal and text not in get_args(plain):
        known = [str(word) for word in get_args(plain)]
        raise ConfigError(f"{variable}: takes one of {', '.join(known)}{meant(text, known)}")
    return text
