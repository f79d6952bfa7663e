"""Bulk replay of whole settings beside a numpy full sort of the same scores.

``python -m benchmarks.replay`` prints how many settings x queries a second each way takes on one
core: every setting with its own weights, bonus, half-lives and shortlist. The reference knows
nothing of rows, floors or shortlists: it mixes two columns and sorts them. ``python -m
benchmarks.replay 10000`` adds the time that so many settings take, per-query figures kept.
"""

import random
import sys
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from benchmarks.climb import NUMBERS, made
from esra.domain.capability import Scoring
from eval.bulk import Labels, ndcg, order
from eval.columns import Bulk, Floats
from eval.search.heights import heights

QUERIES, SETTINGS = 1_000, 20
DISCOUNT = 1.0 / np.log2(np.arange(2, 12))


def settings(count: int, dice: random.Random) -> list[Scoring]:
    """Random numbers of everything that needs no new recording."""
    return [
        replace(
            NUMBERS,
            semantic_weight=(share := dice.random()),
            lexical_weight=1 - share,
            match_bonus=dice.uniform(0, 0.1),
            bonus_cap=dice.uniform(0, 0.5),
            sources=tuple(
                (id, replace(own, priority=dice.uniform(0.1, 10), half_life=dice.choice((7, 30))))
                for id, own in NUMBERS.sources
            ),
        )
        for _ in range(count)
    ]


def full_sort(laid: Bulk, labels: Labels) -> Callable[[Scoring], Floats]:
    """Two padded columns, mixed and sorted whole, the usual way."""
    counts = np.bincount(laid.query, minlength=len(laid.queries))
    columns = np.arange(counts.max())
    at = np.where(columns < counts[:, None], (np.cumsum(counts) - counts)[:, None] + columns, 0)
    there = columns < counts[:, None]
    semantic, gain = np.nan_to_num(laid.semantic)[at], np.where(there, labels.gain[at], 0.0)
    weighted = order(laid, NUMBERS).weighted[at]
    ideal = (labels.ideal * DISCOUNT).sum(axis=1)

    def figures(one: Scoring) -> Floats:
        mixed = one.semantic_weight * semantic + one.lexical_weight * weighted
        best = np.argsort(np.where(there, -mixed, np.inf), axis=1, kind="stable")[:, :10]
        found: Floats = (np.take_along_axis(gain, best, 1) * DISCOUNT).sum(axis=1) / ideal
        return found

    return figures


def rate(work: Callable[[Scoring], object], seed: int) -> float:
    """Settings x queries a CPU second; settings of one's own, so that none is remembered."""
    some = settings(SETTINGS, random.Random(seed))
    work(NUMBERS)
    start = time.process_time()
    for one in some:
        work(one)
    return QUERIES * len(some) / (time.process_time() - start)


def main() -> None:
    laid, labels = made(QUERIES)
    hill = heights(laid, labels, labels.measured)
    print(f"{QUERIES} queries, {len(laid.ids)} candidates, {SETTINGS} settings, one core")
    reference = rate(full_sort(laid, labels), 1)
    ways = {
        "numpy, two columns, full sort": reference,
        "whole rankings, shortlist cut": rate(
            lambda one: ndcg(order(laid, one, cut=True), labels), 2
        ),
        "counted ranks, shortlist cut": rate(hill.each, 3),
    }
    print(f"{'':32}  settings x queries a second  times the reference")
    for name, found in ways.items():
        print(f"{name:32}  {found:27,.0f}  {found / reference:19.2f}")
    for count in map(int, sys.argv[1:]):
        start = time.perf_counter()
        figures = np.array([hill.each(one) for one in settings(count, random.Random(4))])
        print(
            f"{figures.shape[0]} settings x {QUERIES} queries: {time.perf_counter() - start:.1f} s"
        )


if __name__ == "__main__":
    main()
