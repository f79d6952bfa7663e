"""What a recording shows, at a glance: the means that `runs list` has room for.

The same as `runs compare` says of it, over the same queries, without the time that laying out a
whole run for replay takes. Reads the run's own traces and labels, and nothing where they are many.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import fsum

from eval import measures, record, runfolder
from eval.runs.folders import RunFolder

# Of all traces that one list reads, the latest runs first: under two seconds of reading.
MOST_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Glance:
    """Means over the asked queries that have a relevant document."""

    queries: int
    measure: str
    mean: float
    judged_measure: str
    judged: float


class Glances:
    """Reads runs until the bytes are spent."""

    def __init__(self) -> None:
        self._left = MOST_BYTES

    def of(self, run: RunFolder) -> Glance | None:
        """None for a run without judgements or traces, a broken one, and beyond the bytes."""
        if not run.traced:
            return None
        size = (run.path / runfolder.TRACES).stat().st_size
        if size > self._left:
            return None
        self._left -= size
        try:
            return glance(run)
        except (runfolder.RunFolderError, KeyError, TypeError, ValueError):
            return None  # `runs show` and `measure` say what is wrong with it


def glance(run: RunFolder) -> Glance | None:
    """The means of a recorded run; None where no asked query has a relevant document."""
    labels = runfolder.judged(run.path)
    known: Mapping[str, list[tuple[str, str, int]]] = labels["judgements"]
    quality, judged = (measures.measure(f"{name}@{labels['k']}") for name in ("nDCG", "Judged"))
    values = []
    for query, trace in record.lines(run.path / runfolder.TRACES):
        grades = {(source, key): grade for source, key, grade in known.get(query, ())}
        if query in labels["groups"] and any(grade > 0 for grade in grades.values()):
            ranked = list(dict.fromkeys((row[0], row[2]) for row in trace["ranking"]))  # type: ignore[attr-defined]
            values.append((quality(ranked, grades), judged(ranked, grades)))
    if not values:
        return None
    count = len(values)
    return Glance(
        queries=count,
        measure=quality.name,
        mean=fsum(value for value, _ in values) / count,
        judged_measure=judged.name,
        judged=fsum(value for _, value in values) / count,
    )
