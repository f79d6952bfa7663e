"""Several claims at once: Holm's correction over the capabilities of one promotion.

Holm (1979), "A simple sequentially rejective multiple test procedure": the i-th smallest of m p
values counts m - i + 1 times, and a p value never counts less than a smaller one. What is compared
*with* makes no claim and is not counted. Guardrails need no correction: all of them must hold, so
that one more can only refuse more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from eval.evidence.compare import LEVEL
from eval.evidence.segments import SegmentChange


@dataclass(frozen=True, slots=True, kw_only=True)
class Guardrail:
    """Something a promotion must not cost. ``said``: one sentence with its figures."""

    name: str
    held: bool
    said: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One capability's primary measure: the one-sided p of its test, and the level it was due.

    A second opening is tested at half the level: its p counts twice here.
    """

    p: float
    level: float = LEVEL
    guardrails: tuple[Guardrail, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What becomes of a claim beside the others. ``adjusted``: to be held against 2.5 %."""

    adjusted: float
    promoted: bool
    why: str


def holm(p: Mapping[str, float]) -> dict[str, float]:
    """Adjusted p values by name, in the order given. ValueError outside 0..1."""
    wrong = [name for name, value in p.items() if not 0 <= value <= 1]
    if wrong:
        raise ValueError(f"{wrong[0]}: a p value lies in 0..1, not {p[wrong[0]]}")
    adjusted: dict[str, float] = {}
    largest = 0.0
    for rank, name in enumerate(sorted(p, key=lambda name: (p[name], name))):
        largest = max(largest, min(1.0, (len(p) - rank) * p[name]))
        adjusted[name] = largest
    return {name: adjusted[name] for name in p}


def together(claims: Mapping[str, Claim]) -> dict[str, Standing]:
    """Which of the capabilities' claims stand when they are made together."""
    due = {name: min(1.0, one.p * LEVEL / one.level) for name, one in claims.items()}
    return {
        name: _standing(claims[name], adjusted, len(claims)) for name, adjusted in holm(due).items()
    }


def segment_guardrails(changes: Sequence[SegmentChange], margin: float) -> tuple[Guardrail, ...]:
    """A guardrail for each segment that is large enough to judge one by."""
    return tuple(
        Guardrail(
            name=f"{one.kind}:{one.value}",
            held=not one.blocks,
            said=f"{one.kind}:{one.value} {one.difference:+.4f} (90 % upper bound "
            f"{one.upper:+.4f}, {one.queries} queries; allowed is -{margin:g})",
        )
        for one in changes
        if not one.small
    )


def _standing(claim: Claim, adjusted: float, claims: int) -> Standing:
    broken = [guardrail for guardrail in claim.guardrails if not guardrail.held]
    shown = adjusted <= LEVEL
    if broken:
        why = f"held back by {len(broken)} of its guardrails: {broken[0].said}"
    elif shown:
        why = f"stands beside {claims - 1} other claims (Holm: p {adjusted:.3g})"
    else:
        why = f"does not stand beside {claims - 1} other claims (Holm: p {adjusted:.3g})"
    return Standing(adjusted=adjusted, promoted=shown and not broken, why=why)
