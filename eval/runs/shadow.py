"""Two revisions on the same live calls: one was served, what would the other have shown?

A live trace holds every answer and every semantic score, and a replay under the recorded numbers is
the order that was served, to the last bit. So the other revision's order is computed afterwards
from the same calls: nobody waited for it, no engine and no model was asked twice. Where the other
revision would have sent the model other candidates, their scores are unknown: that is the coverage.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import fsum
from typing import Any

from esra.domain.capability import RerankForm
from eval.measures.overlap import jaccard, rbo
from eval.replay import coverage, echo, recorded
from eval.runs.arm import Document, Ordering, shown, unchanged

K = 10
LISTED = 20


class NothingShadowed(ValueError):
    """No trace that can be ordered again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shadow:
    """One call: the first results as served, and as the other revision would have ordered them."""

    call: str
    served: tuple[Document, ...]
    other: tuple[Document, ...]
    rbo: float
    known: int
    wanted: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """rbo, jaccard: means over the calls; first: share of calls with another first result

    changed: share of calls whose first k differ in any place
    others:  calls of other capabilities in the same file, which these numbers do not order
    torn:    lines of the file that hold no whole trace of this version
    """

    other: str
    calls: int
    rbo: float
    jaccard: float
    first: float
    changed: float
    coverage: float
    strayed: tuple[Shadow, ...]
    others: int = 0
    torn: int = 0


def shadow(traces: Iterable[tuple[str, Mapping[str, Any]]], other: Ordering) -> list[Shadow]:
    """Both orders of every call, by (name of the call, trace).

    NothingShadowed where a trace does not replay to what was served: nothing may rest on it.
    """
    found = []
    for call, trace in traces:
        one = recorded(call, trace)
        if not echo(one):
            raise NothingShadowed(f"call {call}: its trace does not give the order that was served")
        served, ordered = shown(one)[:K], shown(one, other)[:K]
        modelled = trace["forms"]["rerank"] != RerankForm.NONE  # else there is no score to know
        change = other.change or unchanged
        known, wanted = coverage(one, change(one.numbers)) if modelled else (0, 0)
        found.append(
            Shadow(
                call=call,
                served=tuple(served),
                other=tuple(ordered),
                rbo=rbo(served, ordered),
                known=known,
                wanted=wanted,
            )
        )
    if not found:
        raise NothingShadowed("no trace of this version to order again")
    return found


def agreement(found: list[Shadow], other: Ordering) -> Agreement:
    """How alike the two revisions are over all calls; ``strayed`` are the least alike."""
    calls = len(found)
    wanted = sum(one.wanted for one in found)
    strayed = sorted((one for one in found if one.rbo < 1), key=lambda one: (one.rbo, one.call))
    return Agreement(
        other=other.said,
        calls=calls,
        rbo=fsum(one.rbo for one in found) / calls,
        jaccard=fsum(jaccard(one.served, one.other, K) for one in found) / calls,
        first=sum(one.served[:1] != one.other[:1] for one in found) / calls,
        changed=sum(one.served != one.other for one in found) / calls,
        coverage=sum(one.known for one in found) / wanted if wanted else 1.0,
        strayed=tuple(strayed[:LISTED]),
    )


def as_text(found: Agreement) -> str:
    lines = [
        f"{found.calls} calls, served as recorded, beside {found.other}",
        f"  RBO {found.rbo:.4f}, shared of the first {K} {found.jaccard:.4f}",
        f"  another first result in {found.first:.1%}, any other place in {found.changed:.1%}",
        f"  coverage {found.coverage:.3f} of the shortlist the other would have sent",
    ]
    if found.others:
        lines.append(f"  left out: {found.others} calls of other capabilities")
    if found.torn:
        lines.append(f"  left out: {found.torn} lines that hold no whole trace of this version")
    for one in found.strayed:
        first, second = (_name(order) for order in (one.served, one.other))
        lines.append(f"  {_flat(one.call)}: RBO {one.rbo:.3f}, first {first} -> {second}")
    return "\n".join(lines)


def _name(order: tuple[Document, ...]) -> str:
    return _flat(" ".join(order[0])) if order else "nothing"


def _flat(text: str) -> str:
    return "".join(char if char.isprintable() else "\ufffd" for char in text)
