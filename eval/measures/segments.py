"""Tables by segment, by themselves: every tag kind that the queries carry gets one.

A tag is ``kind:value`` (``language:de``, ``intent:known-item``, ``part:head``); a tag without a
colon is of the kind ``tag``, but for head, torso and tail, which are parts. A query without a tag
of a kind stands in that kind's ``(none)``.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum

NONE = "(none)"
PARTS = (("head", 1 / 3), ("torso", 2 / 3), ("tail", 1.0))
PART_NAMES = frozenset(name for name, _ in PARTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """One value of one kind of tag: its queries and their mean under each arm, by arm."""

    kind: str
    value: str
    queries: int
    means: Mapping[str, float]


def segments(
    values: Mapping[str, Mapping[str, float]], tags: Mapping[str, Sequence[str]]
) -> list[Segment]:
    """``values[arm][query]`` by every segment, kinds and values in alphabetical order.

    Only queries that every arm measured are compared. ValueError where there is none.
    """
    if not values:
        raise ValueError("no arm to compare")
    common = [q for q in next(iter(values.values())) if all(q in own for own in values.values())]
    if not common:
        raise ValueError("the arms have no measured query in common")
    return [
        Segment(
            kind=kind,
            value=value,
            queries=len(queries),
            means={arm: _mean(own[q] for q in queries) for arm, own in values.items()},
        )
        for kind, value, queries in members(common, tags)
    ]


def members(
    queries: Sequence[str], tags: Mapping[str, Sequence[str]]
) -> list[tuple[str, str, list[str]]]:
    """(kind, value, the queries in it) of every segment, kinds and values in alphabetical order."""
    kinds = sorted({kind for query in queries for kind, _ in _split(tags.get(query, ()))})
    found: list[tuple[str, str, list[str]]] = []
    for kind in kinds:
        own: dict[str, list[str]] = {}
        for query in queries:
            values = [value for other, value in _split(tags.get(query, ())) if other == kind]
            for value in values or [NONE]:
                own.setdefault(value, []).append(query)
        found += [(kind, value, inside) for value, inside in sorted(own.items())]
    return found


def head_torso_tail(traffic: Mapping[str, int]) -> dict[str, str]:
    """``part:head|torso|tail`` of each query: the commonest queries that make up a third of all
    traffic, the next third, the rest. Equal counts go by id, so that the cut is one cut.
    """
    total = sum(traffic.values())
    if total <= 0:
        raise ValueError("no traffic to divide")
    found, seen = {}, 0
    for query, count in sorted(traffic.items(), key=lambda item: (-item[1], item[0])):
        # Where the query begins decides: the commonest of all is head however large it is.
        found[query] = next(f"part:{name}" for name, end in PARTS if seen < end * total or end == 1)
        seen += count
    return found


def _split(tags: Iterable[str]) -> list[tuple[str, str]]:
    pairs = []
    for tag in tags:
        kind, colon, value = tag.partition(":")
        if tag in PART_NAMES:  # as ``sample`` writes them
            pairs.append(("part", tag))
        else:
            pairs.append((kind, value) if colon and kind and value else ("tag", tag))
    return pairs


def _mean(values: Iterable[float]) -> float:
    own = list(values)
    return fsum(own) / len(own)
