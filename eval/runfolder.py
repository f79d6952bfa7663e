"""A run folder's ``labels.json``: the judged half of a tuning case, beside its ``traces.jsonl``.

One format for both sides: ``tune`` writes it, notebooks read it. A case that is read back explores:
nothing that starts from a folder may open a sealed part (RULINGS 40).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eval import record
from eval.whole import write_whole

if TYPE_CHECKING:
    from eval.tune.verdict import Case

LABELS, TRACES = "labels.json", "traces.jsonl"
SCHEMA = 1


class RunFolderError(ValueError):
    """The folder holds no readable case; the message says which file and what to do."""


def write(folder: Path, case: Case) -> Path:
    """Writes ``labels.json``; the traces are the recorder's to write or to link."""
    folder.mkdir(parents=True, exist_ok=True)
    plain = {
        "schema": SCHEMA,
        "capability": case.capability,
        "k": case.k,
        "today": case.today if isinstance(case.today, int) else float(case.today),
        "judgements": {
            query: [[source, key, grade] for (source, key), grade in grades.items()]
            for query, grades in case.judgements.items()
        },
        "groups": dict(case.groups),
        "strata": dict(case.strata),
        "models": dict(case.models),
        "data": case.data,
        "recording": case.recording,
        "advice": case.advice,
    }
    path = folder / LABELS
    text = json.dumps(plain, separators=(",", ":"), allow_nan=False) + "\n"
    write_whole(path, text.encode())
    return path


def judged(folder: Path) -> Mapping[str, Any]:
    """``labels.json`` as it stands; ``RunFolderError`` where the folder is none."""
    return _plain(folder / LABELS)


def read(folder: Path) -> Case:
    """The case of a run folder; ``RunFolderError`` where it is not one."""
    # Here, since it brings the statistics along, and whoever only measures needs none of them.
    from eval.tune.verdict import Case

    plain = _plain(folder / LABELS)
    traces = folder / TRACES
    if not traces.exists():
        raise RunFolderError(f"{traces}: not there; name the folder of a finished `tune`")
    try:
        judgements = {
            query: {(source, key): grade for source, key, grade in rows}
            for query, rows in plain["judgements"].items()
        }
        return Case(
            capability=plain["capability"],
            recordings=record.read(traces, frozenset(judgements)),
            judgements=judgements,
            groups=plain["groups"],
            strata=plain["strata"],
            today=_whole(plain["today"]),
            models=plain.get("models", {}),
            data=plain.get("data", ""),
            recording=plain.get("recording", ""),
            explore=True,
            advice=plain.get("advice", ""),
            k=plain["k"],
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        said = f"not a run of this version ({type(error).__name__}: {error})"
        raise RunFolderError(f"{folder}: {said}; run `tune` again") from error


def _whole(today: float) -> int | Fraction:
    """A share in thousandths as it was written; one that is no whole number is one exactly."""
    return today if isinstance(today, int) else Fraction(str(today))


def _plain(path: Path) -> Mapping[str, object]:
    try:
        plain = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise RunFolderError(f"{path}: cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise RunFolderError(f"{path}: not JSON ({error})") from error
    if not isinstance(plain, dict) or plain.get("schema") != SCHEMA:
        raise RunFolderError(f"{path}: not written by this version; run `tune` again")
    if not _sound(plain):
        raise RunFolderError(f"{path}: is damaged; record it or run `tune` again")
    return plain


def _sound(plain: Mapping[str, Any]) -> bool:
    """Whether groups, judgements and depth are there, and of their kinds."""
    groups, judgements, k = (plain.get(name) for name in ("groups", "judgements", "k"))
    if not isinstance(groups, dict) or not isinstance(judgements, dict) or type(k) is not int:
        return False
    kinds = [str, str, int]
    return (
        k >= 1
        and all(isinstance(group, str) for group in groups.values())
        and all(isinstance(rows, list) for rows in judgements.values())
        and all(
            isinstance(row, list) and [type(cell) for cell in row] == kinds
            for rows in judgements.values()
            for row in rows
        )
    )
