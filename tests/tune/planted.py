"""Recordings whose labels come from a number that was planted, and the command over them."""

from collections.abc import Sequence
from dataclasses import replace

from esra.domain.capability import Scoring
from eval import bulk
from eval.evidence import Ledger
from eval.table import pair
from eval.tune.numbers import turn
from eval.tune.turned import Turned
from eval.tune.verdict import Case
from tests.replay.random_traces import random_trace

SOURCES = ("a", "b", "c")


def planted(numbers: Scoring, truth: Scoring):
    """(300 traces under ``numbers``, labels: what ``truth`` puts first, ``numbers``)"""
    traces = [replace(random_trace(seed), query=f"q{seed}", numbers=numbers) for seed in range(300)]
    traces = [replace(t, asked=tuple(id for id, _ in t.ranking), reranked=True) for t in traces]
    laid = bulk.lay_out(traces)
    ordered = bulk.order(laid, truth)
    judgements = {
        query: {pair(laid.ids[at]): 3 - rank for rank, at in enumerate(ordered.ranking(q)[:3])}
        for q, query in enumerate(laid.queries)
    }
    return traces, judgements, numbers


def case_of(known, **changes) -> Case:
    traces, judgements, numbers = known
    return Case(
        **{
            "capability": "cap",
            "recordings": traces,
            "judgements": judgements,
            "groups": {one.query: one.query for one in traces},
            "strata": {},
            "today": 500,
            "models": {"select": "", "plan": "", "rerank": "m"},
            "data": "d",
            "recording": "r",
            "numbers": numbers,
            "own": numbers,
            "mixed": True,
            **changes,
        }
    )


def run(case: Case, names: Sequence[str], folder, **more) -> Turned:
    ledger = Ledger(folder / "openings.jsonl")
    return turn(case, names, ledger, folder / "promoted", folder / "candidate.json", **more)
