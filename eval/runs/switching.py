"""May a capability's model be switched off? From three recordings of it, and one arm without.

The arm without is a recording made without the model, or else a replay of the first recording in
which no semantic score counts: that is what the runtime's own fallback answers.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import numpy as np

from eval import runfolder
from eval.evidence.margin import Margin, read_margin
from eval.evidence.noninferior import APART, SwitchOff, may_switch_off
from eval.formats.writing import write_json
from eval.judge import sheet
from eval.recording.noise import Noise, noise
from eval.runs.arm import Arm, Ordering, read_arm, repeat_arms
from eval.runs.folders import RunFolder
from eval.runs.pairs import CannotCompare, differing

FILE = "switch-off.json"
WITHOUT = Ordering(said="without the model", model=False)
Pair = tuple[str, str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Switching:
    """The answer, the margin it was held against, and how far the model's recordings differ.

    judging: the file of deciding pairs, where one was written; open: how many pairs that are
    """

    verdict: SwitchOff
    margin: Margin
    noise: Noise
    judging: Path | None
    open: int

    def as_json(self) -> dict[str, object]:
        return {
            **asdict(self.verdict),
            "interval": list(self.verdict.interval),
            "margin": asdict(self.margin),
            "noise_floor": self.noise.floor,
            "deciding_pairs": self.open,
        }

    def as_text(self) -> str:
        since = f"set {self.margin.date}" if self.margin.date else "not set by anybody"
        lines = [
            f"may the model be switched off? {self.verdict.answer}",
            f"  {self.verdict.why}",
            f"  margin {self.margin.value:g} {self.margin.measure}, {since}; the model's own "
            f"recordings differ by up to {self.noise.floor:.4f}",
        ]
        if self.open:
            where = f", written to {self.judging}" if self.judging else " (--judging FILE)"
            lines.append(
                f"  {self.open} pairs are shown by one arm only and judged by nobody{where}"
            )
        return "\n".join(lines)


def switch_off(
    runs: Sequence[RunFolder], without: RunFolder | None, capability: Path, judging: Path | None
) -> Switching:
    """Answers, and keeps the answer with margin and date in the first run's folder.

    CannotCompare where the arms are about different things, UnfitScores for under three recordings.
    """
    folders = [run.path.resolve() for run in runs]
    if len(set(folders)) < len(folders):
        raise CannotCompare("a recording was named twice; each has to be one of its own")
    arms = [arm for run in runs for arm in repeat_arms(run)]
    other = read_arm(without) if without else read_arm(runs[0], WITHOUT)
    for arm in (*arms[1:], other):
        why = differing(arms[0], arm)
        if why:
            raise CannotCompare(f"{arm.run} against {arms[0].run}: {'; '.join(why)}")
    queries = sorted(arms[0].queries)
    values = np.array([_values(arm, queries) for arm in arms])
    margin = read_margin(capability)
    judged = (float(np.mean([arm.mean(arm.judged) for arm in arms])), other.mean(other.judged))
    verdict = may_switch_off(
        values,
        np.array(_values(other, queries)),
        [arms[0].queries[query].group for query in queries],
        rng=np.random.default_rng(_dice(values, other, queries)),
        margin=margin.value,
        judged=judged,
    )
    pairs = deciding_pairs(runs[0], arms, other) if abs(judged[0] - judged[1]) > APART else []
    if pairs and judging:
        sheet.write(judging, pairs)
    found = Switching(
        verdict=verdict,
        margin=margin,
        noise=noise(
            arms[0].measure, [dict(zip(queries, own, strict=True)) for own in values.tolist()]
        ),
        judging=judging if pairs else None,
        open=len(pairs),
    )
    kept = {"answered": datetime.now(UTC).isoformat(timespec="seconds"), **found.as_json()}
    write_json(runs[0].path / FILE, kept)
    return found


def deciding_pairs(run: RunFolder, arms: Sequence[Arm], other: Arm) -> list[Pair]:
    """Unjudged (query, source, document) that one arm shows among its first k and the other not."""
    judgements = runfolder.read(run.path).judgements
    k = other.k
    found: set[Pair] = set()
    for query, own in other.queries.items():
        plain = set(own.top[:k])
        for arm in arms:
            apart = plain ^ set(arm.queries[query].top[:k])
            found |= {(query, *document) for document in apart - judgements[query].keys()}
    return sorted(found)


def _values(arm: Arm, queries: Sequence[str]) -> list[float]:
    return [arm.queries[query].values[arm.measure] for query in queries]


def _dice(values: np.ndarray, other: Arm, queries: Sequence[str]) -> int:
    """Follows from the figures: asking again gives the same interval."""
    told = json.dumps([values.tolist(), _values(other, queries), list(queries)])
    return int.from_bytes(sha256(told.encode()).digest()[:8], "big")
