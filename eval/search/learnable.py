"""What cannot be learned from a recording, said before anything is searched (RULINGS 9)."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from esra.domain.capability import Scoring
from eval.bulk import Bulk, Labels, Mask, ndcg, order
from eval.evidence.scores import SAME
from eval.search.tunables import OF_A_SOURCE, OF_ALL, OF_CONNECTORS, SHARE, Tunable, value_of
from eval.search.ways import along


def everything(bulk: Bulk, own: Scoring) -> tuple[Tunable, ...]:
    """The whole table of tunables for these sources; ``why_not`` says which are not turned.

    Sources are the recorded ones, and those that the catalog's ``own`` numbers name.
    """
    sources = sorted({*bulk.sources, *(id for id, _ in own.sources)})
    return (
        *(Tunable(name=name) for name in (SHARE, *OF_ALL, *OF_CONNECTORS)),
        *(Tunable(name=kind, source=id) for kind in OF_A_SOURCE for id in sources),
    )


def fitted(bulk: Bulk, own: Scoring, one: Tunable, chosen: Mask) -> Tunable:
    """The number as this recording and the catalog's ``own`` numbers let it turn.

    Of a native floor the stops are twentieths of the ``chosen`` [Q] queries' own scores. A ceiling
    ends where nothing more was found, and both it and a shortlist end at the catalog's own.
    """
    if one.name == "shortlist":
        return replace(one, most=float(own.shortlist))
    if one.name not in ("half-life", "native-floor", "ceiling"):
        return one
    kept = value_of(own, one)
    if one.name == "half-life":
        return replace(one, off=kept is None)
    rows, here = bulk.rows, _rows_of(bulk, one.source)
    if one.name == "ceiling":
        fruitful = int(rows.place[here].max(initial=0)) + 1
        return replace(one, off=False, most=float(min(fruitful, own.of(one.source).ceiling)))
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
    if one.name in OF_CONNECTORS:
        return "no source of the family connectors is recorded"
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
    if one.name == "ceiling" and not rows.place[_rows_of(bulk, one.source)].any():
        return "only its first query found anything"
    dated = ~np.isnan(rows.age)
    if one.name == "half-life":
        own = dated[_rows_of(bulk, one.source)]
        return None if own.any() else "its records carry no timestamp"
    if one.name == "freshness-floor":
        live = [numbers.of(id).half_life is not None for id in bulk.sources]
        return None if any(live) and dated.any() else "freshness is off for every source"
    return None


def _rows_of(bulk: Bulk, source: str) -> Mask:
    """[M] the rows of one source."""
    return np.isin(bulk.rows.source, [n for n, id in enumerate(bulk.sources) if id == source])


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
