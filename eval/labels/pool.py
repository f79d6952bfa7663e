"""Which documents are worth judging: the union of what several configurations put on top.

A measure compares configurations fairly only over documents each of them had a chance to bring.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True, slots=True, kw_only=True)
class Adds:
    """What one configuration brings: pairs in its top, new beside those before it, its alone."""

    found: int
    new: int
    alone: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool(Generic[K]):
    """``documents[query]`` sorted by key, which says nothing about anybody's ranking.

    ``unjudged`` is what is left of them for somebody to judge.
    """

    documents: Mapping[str, tuple[K, ...]]
    unjudged: Mapping[str, tuple[K, ...]]
    adds: Mapping[str, Adds]


def pool(
    runs: Mapping[str, Mapping[str, Sequence[K]]],
    depth: int,
    judged: Mapping[str, Mapping[K, int]] | None = None,
) -> Pool[K]:
    """The pool of the first ``depth`` documents of every run, in the order the runs are given.

    ``runs[name][query]`` is a ranking, best first.
    """
    if depth < 1:
        raise ValueError(f"a depth of {depth} pools nothing: 1 or more")
    tops = {
        name: {(query, key) for query, ranking in run.items() for key in ranking[:depth]}
        for name, run in runs.items()
    }
    adds: dict[str, Adds] = {}
    before: set[tuple[str, K]] = set()
    for name, top in tops.items():
        others = set().union(*(other for own, other in tops.items() if own != name))
        adds[name] = Adds(found=len(top), new=len(top - before), alone=len(top - others))
        before |= top
    documents: dict[str, list[K]] = {}
    for query, key in sorted(before, key=lambda pair: (pair[0], str(pair[1]))):
        documents.setdefault(query, []).append(key)
    known = judged or {}
    return Pool(
        documents={query: tuple(keys) for query, keys in documents.items()},
        unjudged={
            query: left
            for query, keys in documents.items()
            if (left := tuple(key for key in keys if key not in known.get(query, {})))
        },
        adds=adds,
    )
