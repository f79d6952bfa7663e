"""Takes out of a produced notebook what says where it was made. Pure.

Papermill writes the full paths of both notebooks and every parameter into the metadata; a
traceback names the files of a home folder. None of it is anybody's business who gets the file.
"""

import os
import re
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def places(here: Path, parameters: Mapping[str, object]) -> dict[str, str]:
    """Absolute paths and what stands for them in a notebook that is produced in ``here``."""
    known = {
        tempfile.gettempdir(): "<tmp>",
        sys.base_prefix: "<python>",
        sys.prefix: "<python>",
        os.path.expanduser("~"): "~",
        str(ROOT): "<project>",
        str(here): ".",
    }
    for value in parameters.values():
        if isinstance(value, str) and os.path.isabs(value):
            known.setdefault(value, Path(value).name or value)
    resolved = {os.path.realpath(path): name for path, name in known.items()}
    both = {**resolved, **known}
    return {path: name for path, name in both.items() if path.strip("/")}


def scrubbed(value: object, known: Mapping[str, str]) -> object:
    """The JSON value with every known path replaced, the longest first; pictures stay."""
    if not known:
        return value
    longest = sorted(known, key=len, reverse=True)
    # A path ends where its last name ends: the folder of ann is not the start of anna's.
    pattern = re.compile("(" + "|".join(map(re.escape, longest)) + r")(?![\w.-])")
    return _walk(value, lambda text: pattern.sub(lambda match: known[match[1]], text))


def _walk(value: object, change) -> object:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {
            key: inner if str(key).startswith("image/") else _walk(inner, change)
            for key, inner in value.items()
        }
    if isinstance(value, list):
        return [_walk(inner, change) for inner in value]
    return value
