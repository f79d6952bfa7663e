"""What may stand at a place of a file: a walk over the annotations of its models. Pure."""

import difflib
from collections.abc import Iterable, Iterator
from types import NoneType
from typing import Any, get_args, get_origin

from pydantic import BaseModel

from esra.config.lines import Path

# A name of two letters with one of them wrong is still half right.
_KEY_LIKENESS, _NAME_LIKENESS = 0.5, 0.6


def keys_of(model: type[BaseModel]) -> dict[str, Any]:
    """The keys of a block as a person writes them, each with its annotation."""
    return {field.alias or name: field.annotation for name, field in model.model_fields.items()}


def at(annotation: Any, path: Path) -> Any:
    """The annotation at a place; ``None`` where nothing can stand."""
    for part in path:
        annotation = _inner(bare(annotation), part)
    return bare(annotation)


def block(annotation: Any) -> type[BaseModel] | None:
    """The annotation where it is a block of keys."""
    plain = bare(annotation)
    return plain if isinstance(plain, type) and issubclass(plain, BaseModel) else None


def bare(annotation: Any) -> Any:
    """The annotation without ``| None`` and without what is said of it besides."""
    args = get_args(annotation)
    if NoneType in args:
        return bare(next(arg for arg in args if arg is not NoneType))
    return bare(args[0]) if hasattr(annotation, "__metadata__") else annotation


def homes(model: type[BaseModel], key: str, where: str = "") -> Iterator[str]:
    """Every kind of block that has this key: ``[[sources]]``, ``[sources.breaker]``, ..."""
    for name, annotation in keys_of(model).items():
        if name == key:
            yield where or "the top of the file"
        plain, several, path = bare(annotation), False, f"{where.strip('[]')}.{name}".strip(".")
        while get_origin(plain) in (list, dict):
            several = several or get_origin(plain) is list
            path += "" if get_origin(plain) is list else ".NAME"
            plain = bare(get_args(plain)[-1])
        if inner := block(plain):
            yield from homes(inner, key, f"[[{path}]]" if several else f"[{path}]")


def like_key(word: str, known: Iterable[str]) -> str | None:
    return _like(word, known, _KEY_LIKENESS)


def meant(word: str, known: Iterable[str]) -> str:
    """``, did you mean 'x'?``, or nothing where no known name is like it."""
    close = _like(word, known, _NAME_LIKENESS)
    return f", did you mean {close!r}?" if close else ""


def _like(word: str, known: Iterable[str], likeness: float) -> str | None:
    close = difflib.get_close_matches(word, sorted(known), n=1, cutoff=likeness)
    return close[0] if close else None


def _inner(annotation: Any, part: str | int) -> Any:
    if (inner := block(annotation)) is not None:
        return keys_of(inner).get(str(part))
    if get_origin(annotation) in (list, dict):
        return get_args(annotation)[-1]
    return None
