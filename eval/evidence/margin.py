"""The margin of "may the model be switched off?", set before the recording and kept with its date.

A margin that is chosen after looking is none. It stands in the capability's folder of runs; once a
run of that capability is recorded it can be read and no longer set.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from eval.evidence.noninferior import MARGIN
from eval.whole import write_whole

FILE = "margin.json"
MEASURE = "nDCG@10"


class MarginRefused(ValueError):
    """It cannot be set any more, or the file holds none; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Margin:
    """``date`` is when somebody set it, ISO 8601; "" for the one that stands unless one is set."""

    value: float
    measure: str
    date: str


def set_margin(capability: Path, value: float, now: datetime, measure: str = MEASURE) -> Margin:
    """Keeps a margin for the capability whose runs lie in this folder."""
    if not 0 < value < 1:
        raise MarginRefused(f"a margin of {value} is no loss between 0 and 1")
    recorded = sorted(_recorded(capability))
    if recorded:
        raise MarginRefused(
            f"{capability.name}: run {recorded[0]} is recorded; a margin set after that would be "
            f"chosen by looking. {read_margin(capability).value:g} stands"
        )
    capability.mkdir(parents=True, exist_ok=True)
    kept = {"margin": value, "measure": measure, "set": now.isoformat(timespec="seconds")}
    write_whole(capability / FILE, f"{json.dumps(kept)}\n".encode())
    return read_margin(capability)


def read_margin(capability: Path) -> Margin:
    """The margin that was set, else .02 nDCG@10."""
    path = capability / FILE
    if not path.exists():
        return Margin(value=MARGIN, measure=MEASURE, date="")
    try:
        kept = json.loads(path.read_text("utf-8"))
        value, measure, date = float(kept["margin"]), str(kept["measure"]), str(kept["set"])
        datetime.fromisoformat(date)
    except (ValueError, KeyError, TypeError) as error:
        raise MarginRefused(f"{path}: holds no margin ({error})") from error
    if not 0 < value < 1:
        raise MarginRefused(f"{path}: a margin of {value} is no loss between 0 and 1")
    return Margin(value=value, measure=measure, date=date)


def _recorded(capability: Path) -> Iterator[str]:
    for traces in capability.glob("*/traces.jsonl"):
        if traces.stat().st_size:
            yield traces.parent.name
