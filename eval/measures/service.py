"""What a recording cost and how often it stumbled, from its traces: beside quality, not in it.

Rates are shares of the traces; seconds are those of the recorded invocations' own commands and
model calls. A trace is the plain JSON that ``esra.trace`` writes.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any

import numpy as np

from esra.domain.capability import RerankForm

Trace = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """Shares of the traces, 0..1. ``warnings`` and ``notices`` by code, the commonest first."""

    traces: int
    zero_result: float
    degraded: float
    warnings: Mapping[str, float]
    notices: Mapping[str, float]


def rates(traces: Sequence[Trace]) -> Rates:
    """ValueError without a trace: nothing ran."""
    _some(traces)
    return Rates(
        traces=len(traces),
        zero_result=sum(trace["shown"] == 0 for trace in traces) / len(traces),
        degraded=sum(bool(trace["warnings"]) for trace in traces) / len(traces),
        warnings=_by_code(traces, "warnings"),
        notices=_by_code(traces, "notices"),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """Means of one invocation, and the 95th percentile of its time.

    ``seconds`` is the slowest command plus the slowest asking of each step, since commands and the
    plans of several sources run side by side, and stages one after the other. ``cost`` is 0 where
    no language model was asked, None where the one that was has no price. Failed askings count as
    far as anybody can say what they cost.
    """

    seconds: float
    seconds_p95: float
    commands: float
    calls: float
    tokens_in: float
    tokens_out: float
    cost: float | None


def spent(traces: Sequence[Trace]) -> Spent:
    """ValueError without a trace: nothing ran."""
    _some(traces)
    times = [_seconds(trace) for trace in traces]
    usages = [usage for trace in traces for usage in _usages(trace)]
    priced = [usage["cost"] for usage in usages if usage["cost"] is not None]
    count = len(traces)
    return Spent(
        seconds=fsum(times) / count,
        seconds_p95=float(np.quantile(times, 0.95)),
        commands=sum(len(trace["answers"]) for trace in traces) / count,
        calls=sum(usage["calls"] for usage in usages) / count,
        tokens_in=sum(usage["tokens_in"] for usage in usages) / count,
        tokens_out=sum(usage["tokens_out"] for usage in usages) / count,
        cost=fsum(priced) / count if priced or not _paid(traces) else None,
    )


def _seconds(trace: Trace) -> float:
    commands = max((answer["seconds"] for answer in trace["answers"]), default=0.0)
    steps: dict[str, float] = {}
    for call in trace["calls"]:
        took = call["usage"]["seconds"] if call["usage"] is not None else 0.0
        steps[call["step"]] = max(steps.get(call["step"], 0.0), took)
    return commands + fsum(steps.values())


def _paid(traces: Sequence[Trace]) -> bool:
    """Whether any asking left this machine; an unpriced one has a cost that nobody can say."""
    forms = ((trace["forms"], call["step"]) for trace in traces for call in trace["calls"])
    return any(form[step] == RerankForm.MODEL for form, step in forms)


def _usages(trace: Trace) -> list[Mapping[str, Any]]:
    """What each asking cost, the failed ones among them where anybody can say."""
    return [call["usage"] for call in trace["calls"] if call["usage"] is not None]


def _by_code(traces: Sequence[Trace], kind: str) -> dict[str, float]:
    counted = Counter(code for trace in traces for code in {one["code"] for one in trace[kind]})
    ordered = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
    return {code: count / len(traces) for code, count in ordered}


def _some(traces: Sequence[Trace]) -> None:
    if not traces:
        raise ValueError("no trace: an arm that never ran has no figure")
