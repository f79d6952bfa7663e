"""Which variables of the environment a catalog's references name."""

import os
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

_REFERENCE = re.compile(r"env:([A-Za-z_][A-Za-z0-9_]*)")


def named(catalog: Path) -> tuple[str, ...]:
    """In the order of the file, each once; none of a file that cannot be read, which is for the
    one who opens it to say."""
    try:
        content = tomllib.loads(catalog.read_text("utf-8"))
    except (OSError, ValueError):
        return ()
    return tuple(dict.fromkeys(_names(content)))


def unset(catalog: Path) -> str:
    """One line that names those which are not set here; "" where all are."""
    missing = [name for name in named(catalog) if not os.environ.get(name)]
    if not missing:
        return ""
    return f"not set, though the catalog names them: {', '.join(missing)}"


def _names(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for inner in value.values():
            yield from _names(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _names(inner)
    elif isinstance(value, str) and (found := _REFERENCE.fullmatch(value)):
        yield found[1]
