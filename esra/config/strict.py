"""Strict models and their errors in a person's words."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from esra.config.lines import Path
from esra.config.shape import at, block, homes, keys_of, like_key
from esra.config.words import said

MOST = 10  # faults in one error: whoever mends them runs it again


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing to mend: at which place of the file, and what."""

    path: Path
    text: str


# Says where a place is: "shop.toml:12", or the variable that was set in its stead.
Where = Callable[[Path], str]


def refused(where: str | Where, faults: Iterable[Fault]) -> ConfigError:
    """One line with the first faults: where each is, what is wrong with it."""
    told, before = [], ""
    for fault in list(faults)[:MOST]:
        place = where if isinstance(where, str) else where(fault.path)
        path = ".".join(map(str, fault.path)) or "(top)"
        line = _visible(f"{path}: {fault.text}")
        told.append(line if place == before else f"{place}: {line}")
        before = place
    return ConfigError("; ".join(told))


def _visible(text: str) -> str:
    """A key in quotes may hold anything; here it neither ends the line nor speaks to a terminal."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def explain(where: str | Where, error: ValidationError, model: type[BaseModel]) -> ConfigError:
    """What is wrong with each key, and the nearest valid one for those that are unknown."""
    problems = error.errors(include_url=False)
    unknown, meant = unknown_keys(error, model), _missing(problems)
    for fault in unknown:
        # A misspelt key that has to be there is one mistake and not two.
        meant.discard((*fault.path[:-1], _nearest(fault.path, model)))
    told = {fault.path: fault for fault in unknown}
    for problem in problems:
        if problem["type"] != "missing" or problem["loc"] in meant:
            told.setdefault(problem["loc"], Fault(path=problem["loc"], text=said(problem)))
    return refused(where, told.values())


def unknown_keys(error: ValidationError, model: type[BaseModel]) -> list[Fault]:
    return [
        Fault(path=problem["loc"], text=f"unknown key{_advice(problem['loc'], model)}")
        for problem in error.errors(include_url=False, include_input=False)
        if problem["type"] == "extra_forbidden"
    ]


def _missing(problems: Sequence[Mapping[str, Any]]) -> set[Path]:
    return {problem["loc"] for problem in problems if problem["type"] == "missing"}


def _nearest(path: Path, model: type[BaseModel]) -> str | None:
    around = block(at(model, path[:-1]))
    return like_key(str(path[-1]), keys_of(around)) if around is not None else None


def _advice(path: Path, model: type[BaseModel]) -> str:
    close = _nearest(path, model)
    advice = f", did you mean {close!r}?" if close else ""
    # A key below the wrong header is the commonest mistake of TOML.
    elsewhere = list(homes(model, str(path[-1])))
    return f"{advice}, it is a key of {' and '.join(elsewhere[:3])}" if elsewhere else advice
