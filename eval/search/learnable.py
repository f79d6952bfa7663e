"""What cannot be learned from a recording, said before anything is searched (RULINGS 9)."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from esra.domain.capability import Scoring
from eval.bulk import Bulk, Labels, Mask, ndcg, order
from eval.evidence.scores import SAME
from eval.search.tunables import SHARE, Tunable, value_of
from eval.search.ways import along


def everything(bulk: Bulk) -> tuple[Tunable, ...]:
    """Every number that a replay of this recording can turn by itself."""
    of_all = [SHARE, "bonus", "bonus-cap", "freshness-floor", "stale-weight", "evidence-floor"]
    return (
        *(Tunable(name=name) for name in of_all),
        *(
            Tunable(name=kind, source=id)
            for kind in ("priority", "half-life")
            for id in bulk.sources
        ),
    )


def fitted(bulk: Bulk, own: Scoring, one: Tunable, chosen: Mask) -> Tunable:
    """The number as this recording and the catalog's ``own`` numbers let it turn.

    Of a native floor the stops are twentieths of the ``chosen`` [Q] queries' own scores.
    """
    if one.name == "shortlist":
        return replace(one, most=float(own.shortlist))
    if one.name not in ("half-life", "native-floor"):
        return one
    kept = value_of(own, one)
    if one.name == "half-life":
        return replace(one, off=kept is None)
    rows = bulk.rows
    here = np.isin(rows.source, [n for n, id in enumerate(bulk.sources) if id == one.source])
    scores = rows.native[here & chosen[bulk.query[rows.record]]]
    cuts = np.quantile(scores, np.arange(1, 20) / 20) if len(scores) else np.empty(0)
    found = {float(f"{cut:.3g}") for cut in cuts} | ({kept} if kept is not None else set())
    return replace(one, off=kept is None, stops=tuple(sorted(found)))


def why_not(
    bulk: Bulk, labels: Labels, numbers: Scoring, one: Tunable, chosen: Mask | None = None
) -> str | None:
    """Why nothing can be learned about a number here; None where something can."""
    structural = _structural(bulk, numbers, one)
    if structural is not None:
        return structural
    wanted = labels.measured if chosen is None else labels.measured & chosen
    own = wanted[labels.measured]
    way = along(numbers, one)
    today = ndcg(order(bulk, way.numbers(way.settings[way.today]), cut=True), labels)[own]
    for setting in way.settings:
        changed = ndcg(order(bulk, way.numbers(setting), cut=True), labels)[own]
        if np.abs(changed - today).max(initial=0.0) > SAME:
            return None
    return "no labelled query is sensitive to it"


def _structural(bulk: Bulk, numbers: Scoring, one: Tunable) -> str | None:
    rows = bulk.rows
    if one.source and one.source not in bulk.sources:
        return "no answer of this source is recorded"
    if one.name == "priority" and len(bulk.sources) < 2:
        return "only one source is in scope"
    if one.name in (SHARE, "shortlist") and not bulk.asked.any():
        return "no semantic score is recorded"
    if one.name in ("bonus", "bonus-cap"):
        return _matches(bulk, numbers, one)
    if one.name == "stale-weight" and not rows.stale.any():
        return "no record is marked stale"
    if one.name == "evidence-floor" and np.isnan(rows.evidence).all():
        return "no source evidence is recorded"
    dated = ~np.isnan(rows.age)
    if one.name == "half-life":
        source = bulk.sources.index(one.source)
        return None if dated[rows.source == source].any() else "its records carry no timestamp"
    if one.name == "freshness-floor":
        live = [numbers.of(id).half_life is not None for id in bulk.sources]
        return None if any(live) and dated.any() else "freshness is off for every source"
    return None


def _matches(bulk: Bulk, numbers: Scoring, one: Tunable) -> str | None:
    most = int(np.bincount(bulk.rows.record).max(initial=0))
    if most < 2:
        return "no record was found by two queries: there is no bonus to give"
    reached = (most - 1) * numbers.match_bonus
    if one.name == "bonus-cap" and reached <= one.bounds.low:
        return "the bonus is 0, so that no cap is reached"
    return None


def report(reasons: Sequence[tuple[Tunable, str]]) -> list[str]:
    """One line a number that cannot be learned."""
    return [f"{one}: cannot be learned here, {reason}" for one, reason in reasons]
