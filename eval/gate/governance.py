"""Did a recording keep to what its callers may see? Read from its traces, nothing is asked.

The wording of a found canary is never repeated: a build's log is read by more people than the
field it came from.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from eval.gate.canaries import Canaries
from eval.gate.check import Check, Status, Suite, verdict

Trace = Mapping[str, Any]
Traces = Iterable[tuple[str, Trace]]
LISTED = 10


def recorded_checks(
    traces: Traces, canaries: Canaries, bound: frozenset[str] | None = None
) -> list[Check]:
    """Checks over (query, trace). ``bound``: the capability's sources, where a catalog says so."""
    kept = list(traces)
    return [
        _sources(kept, bound),
        canary_check("canaries in traces", _found(kept, canaries), len(kept), canaries),
    ]


def canary_check(name: str, found: Sequence[str], looked_at: int, canaries: Canaries) -> Check:
    """Passes where none of the canaries was found; skipped where there are none to look for."""
    count = len(canaries.texts) + len(canaries.records)
    if not canaries:
        said, status = "no canaries were given (--canaries FILE)", Status.SKIPPED
    elif found:
        said, status = f"{len(found)} of {looked_at} hold what may not be seen", Status.FAILED
    else:
        said, status = f"none of {count} canaries in {looked_at}", Status.PASSED
    return Check(
        suite=Suite.GOVERNANCE, name=name, status=status, said=said, details=tuple(found[:LISTED])
    )


def strangers(trace: Trace, bound: frozenset[str] | None = None) -> list[str]:
    """What one invocation did outside its scope, a line each.

    Each step may only narrow what the one before it left: scope, chosen, planned, answered, ranked.
    """
    steps: list[tuple[str, frozenset[str]]] = [
        ("in scope", frozenset(trace["scope"])),
        ("chosen", frozenset(trace["chosen"])),
        ("planned for", frozenset(plan["source"] for plan in trace["plans"])),
        ("searched", frozenset(answer["source"] for answer in trace["answers"])),
        ("ranked", frozenset(row[0] for row in (*trace["asked"], *trace["ranking"]))),
    ]
    if bound is not None:
        steps.insert(0, ("bound to the capability", bound))
    return [
        f"source {source} was {done} and not {before}"
        for (before, allowed), (done, seen) in pairwise(steps)
        for source in sorted(seen - allowed)
    ]


def _sources(traces: Sequence[tuple[str, Trace]], bound: frozenset[str] | None) -> Check:
    found = [
        f"query {query}: {line}" for query, trace in traces for line in strangers(trace, bound)
    ]
    what = "the capability, its scope and its choice" if bound is not None else "scope and choice"
    said = f"{len(found)} sources met outside {what}" if found else f"every source kept to {what}"
    return Check(
        suite=Suite.GOVERNANCE,
        name="sources in traces",
        status=verdict(not found),
        said=f"{said}, in {len(traces)} traces",
        details=tuple(found[:LISTED]),
    )


def _found(traces: Sequence[tuple[str, Trace]], canaries: Canaries) -> list[str]:
    return [
        *(
            f"query {query}: canary {number}"
            for query, trace in traces
            # What somebody asked is his own: it is no leak of a field.
            for number in canaries.in_value({**trace, "prompt": None})
        ),
        *(
            f"query {query}: record {key} of source {source}"
            for query, trace in traces
            for source, key in canaries.in_trace(trace)
        ),
    ]
