"""Named baselines: an arm's figures as one plain JSON file that a repository can hold and diff.

It holds ids and figures, no text of a query and nothing it could be guessed from: a query's need
is the run's to say. The file is ``<folder>/<capability>/<name>.json``
and is written whole or not at all.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

from eval.formats.writing import write_json
from eval.runs.arm import Arm, Figures
from eval.runs.folders import runs_folder

SCHEMA = 1
FOLDER = "baselines"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


class BaselineError(ValueError):
    """No such baseline, or a file that holds none; the message says what to do."""


def baselines_folder(base: Path) -> Path:
    """Where baselines are kept unless a folder is named, in esra's home ``base``."""
    return runs_folder(base) / FOLDER


def save(folder: Path, name: str, arm: Arm, today: date) -> Path:
    """Writes the arm as the baseline ``name`` of its capability, over one that is there."""
    path = _path(folder, arm.capability, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_json(path, {"schema": SCHEMA, "name": name, "saved": today.isoformat(), **_plain(arm)})
    return path


def load(folder: Path, name: str, capability: str) -> Arm:
    """The baseline ``name`` of a capability. BaselineError where it is not there or not whole."""
    path = _path(folder, capability, name)
    try:
        plain = json.loads(path.read_text("utf-8"))
    except FileNotFoundError as error:
        there = sorted(file.stem for file in path.parent.glob("*.json"))
        known = f"there are {', '.join(there)}" if there else "there is none yet"
        raise BaselineError(
            f"no baseline {name!r} of {capability}; {known} (gate --save {name} RUN makes it)"
        ) from error
    except (OSError, ValueError) as error:
        raise BaselineError(f"{path}: cannot be read as JSON ({error})") from error
    return _arm(plain, path)


def capabilities(folder: Path, name: str) -> list[str]:
    """The capabilities that have a baseline of this name."""
    return sorted(path.parent.name for path in folder.glob(f"*/{_checked(name)}.json"))


def _path(folder: Path, capability: str, name: str) -> Path:
    return folder / capability / f"{_checked(name)}.json"


def _checked(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise BaselineError(
            f"{name!r} cannot name a baseline: letters, digits, . _ -, and no . in front"
        )
    return name


def _plain(arm: Arm) -> dict[str, object]:
    return {
        "capability": arm.capability,
        "run": arm.run,
        "k": arm.k,
        "data": arm.data,
        "recording": arm.recording,
        "numbers": arm.numbers,
        "tuned_on": arm.tuned_on,
        "models": dict(sorted(arm.models.items())),
        "unmeasured": list(arm.unmeasured),
        "queries": {
            query: {
                "tags": list(own.tags),
                "values": dict(own.values),
                "right": own.right,
            }
            for query, own in sorted(arm.queries.items())
        },
    }


def _arm(plain: Any, path: Path) -> Arm:
    if not isinstance(plain, Mapping) or plain.get("schema") != SCHEMA:
        raise BaselineError(f"{path}: not a baseline of this version; save it again")
    try:
        return Arm(
            run=plain["run"],
            capability=plain["capability"],
            k=plain["k"],
            data=plain["data"],
            recording=plain["recording"],
            numbers=plain["numbers"],
            tuned_on=plain["tuned_on"],
            models=plain["models"],
            unmeasured=tuple(plain["unmeasured"]),
            queries={query: _figures(own) for query, own in plain["queries"].items()},
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        said = f"{type(error).__name__}: {error}"
        raise BaselineError(f"{path}: not a whole baseline ({said}); save it again") from error


def _figures(own: Mapping[str, Any]) -> Figures:
    values = {name: float(value) for name, value in own["values"].items()}
    if not all(0 <= value <= 1 for value in values.values()):
        raise ValueError("a figure lies outside 0..1")
    return Figures(
        group="",
        tags=tuple(own["tags"]),
        values=values,
        right=own["right"],
        top=(),
    )
