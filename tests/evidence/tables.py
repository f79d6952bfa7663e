"""Small tables for the tests of the evidence."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from fractions import Fraction

import numpy as np

from eval.evidence import Decision, Ledger, Scores, decide

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
TENTHS = tuple(Fraction(i, 10) for i in range(11))


def table(
    values: object, *, groups: list[str] | None = None, today: int = 0, **more: object
) -> Scores:
    """A table over settings 0, .1, .2, ...; every query is a group of its own unless told."""
    array = np.array(values, dtype=np.float64)
    return Scores(
        measure="nDCG@10",
        settings=TENTHS[: array.shape[1]],
        values=array,
        groups=tuple(groups or [f"need {i}" for i in range(len(array))]),
        today=today,
        **more,  # type: ignore[arg-type]
    )


def gained(queries: int, gain: float, *, seed: int = 0, noise: float = 0.02) -> Scores:
    """Today's setting 0, and setting .1 that is better by `gain` give or take `noise`."""
    rng = np.random.default_rng(seed)
    before = rng.uniform(0.2, 0.6, queries)
    return table(np.column_stack([before, before + gain + rng.normal(0, noise, queries)]))


def named(setting: object) -> str:
    return f"candidate {setting}"


def verdict(scores: Scores, ledger: Ledger | None, **more: object) -> Decision:
    """`decide` with the arguments that most tests do not care about."""
    arguments: dict[str, object] = {
        "lineage_inputs": {"qrels": "abc"},
        "candidate_hash_of": named,
        "coverage": 1.0,
        "now": NOW,
        "draws": 2,
    }
    call: Callable[..., Decision] = decide
    return call(scores, ledger=ledger, **(arguments | more))
