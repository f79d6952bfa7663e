"""What a run leaves behind for later: parameters, hashes, figures, a per-query table, a log.

Plain files, whole or not at all. ``queries.csv`` holds the queries that may be looked at and no
sealed one; a cell that a spreadsheet would run is made harmless.
"""

from __future__ import annotations

import csv
import io
import os
from datetime import datetime
from hashlib import sha256
from pathlib import Path

from esra.trace import PIPELINE
from eval.formats.spreadsheet import harmless
from eval.formats.writing import write_json, write_text
from eval.runs.folders import ABOUT
from eval.tune.verdict import Verdict

TABLE, LOG = "queries.csv", "log.txt"
SCHEMA = 1
# Everything else in the folder is made of these.
INPUTS = ("traces.jsonl", "labels.json")
FIGURES = (
    "queries", "measure", "before", "after", "estimate", "sealed", "coverage", "no_model",
    "smallest_detectable", "left_out", "empty", "degraded",
)  # fmt: skip


def keep(verdict: Verdict, folder: Path, now: datetime) -> None:
    """Writes ``run.json`` and ``queries.csv``, and a line at the end of ``log.txt``."""
    write_json(folder / ABOUT, _about(verdict, folder, now))
    write_text(folder / TABLE, query_table(verdict))
    promoted = "promoted" if verdict.decision.promoted else str(verdict.decision.outcome)
    _log(folder / LOG, f"{now.isoformat(timespec='seconds')} {promoted}: {verdict.why}")


def query_table(verdict: Verdict) -> str:
    """CSV: each query that may be looked at under today's share, the candidate's and no model."""
    table, decision = verdict.table, verdict.decision
    today = table.settings.index(verdict.case.today)
    chosen = decision.choice.index
    k = verdict.case.k
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(
        ["query", "source", f"today {table.measure}",
         f"candidate {table.measure} in sample", "difference in sample",
         f"no model {table.measure}", f"judged@{k}"]
    )  # fmt: skip
    for place, query in enumerate(table.queries):
        if verdict.looked_at[place]:
            before, after = (float(table.values[place, arm]) for arm in (today, chosen))
            figures = (before, after, after - before, float(table.no_model[place]))
            rows.writerow(
                [
                    harmless(query),
                    harmless(verdict.case.strata.get(query, "")),
                    *(f"{figure:.6f}" for figure in figures),
                    f"{table.judged[place, today]:.6f}",
                ]
            )
    return text.getvalue()


def _about(verdict: Verdict, folder: Path, now: datetime) -> dict[str, object]:
    case, plain = verdict.case, verdict.as_json()
    return {
        "schema": SCHEMA,
        "pipeline": PIPELINE,
        "capability": case.capability,
        "written": now.isoformat(timespec="seconds"),
        "parameters": {
            "k": case.k,
            "today": case.share,
            "candidate": plain["setting"],
            "explore": case.explore,
            "models": dict(case.models),
        },
        "hashes": {
            "data": case.data,
            "recording": case.recording,
            **{name: _digest(folder / name) for name in INPUTS if (folder / name).exists()},
            "configuration": _digest(verdict.config),
        },
        "figures": {name: plain[name] for name in FIGURES if name in plain},
        "promoted": plain["promoted"],
        "why": plain["why"],
        "groups": {"all": verdict.decision.groups, "sealed": verdict.decision.sealed_groups},
    }


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        digest = sha256()
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def _log(path: Path, line: str) -> None:
    data = (" ".join(line.split()) + "\n").encode()
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    try:
        os.write(handle, data)
    finally:
        os.close(handle)
