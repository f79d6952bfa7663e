"""Many traces as arrays, laid out once and then ordered under any number of settings.

The same functions of ``esra.scoring`` in the same order as the stages, over all queries at once, so
that every ranking and every float is the runtime's (the echo holds in bulk). What does not depend
on the numbers is settled here: which rows are usable, which rows are of one record, whose order
decides a tie.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from esra import scoring
from esra.domain.capability import Scoring
from esra.domain.hit import Answer, Given, NativeHit, NotAsked, Omitted, RecordId
from esra.domain.outcome import Failed
from eval import measures
from eval.replay import Recorded
from eval.table import Judgements, pair

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
Mask = NDArray[np.bool_]
Row = tuple[float, int, int, int, int, float, bool, float]  # as the fields of ``Rows``, in order


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """Every usable row [M], those of one record beside each other.

    answer: which query of which source of which invocation; record: its candidate
    place: that query's own in the source's plan, from 0
    age: seconds, NaN without a timestamp; evidence: NaN where nothing is known
    """

    native: Floats
    answer: Whole
    source: Whole
    place: Whole
    record: Whole
    age: Floats
    stale: Mask
    evidence: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Bulk:
    """Traces of ``queries`` [Q]; records [N] are numbered query by query, ties in their order.

    group: ``scoring.GIVEN`` and the like; semantic: NaN outside the given; asked: the reranker
    saw it, whatever it said
    """

    queries: tuple[str, ...]
    sources: tuple[str, ...]
    rows: Rows
    ids: tuple[RecordId, ...]
    query: Whole
    source: Whole
    group: Whole
    semantic: Floats
    asked: Mask
    answers: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Ordered:
    """One setting's rankings: the records of all queries, query after query, best first.

    records: [n] positions in ``Bulk.ids``; starts: [Q + 1] where each query's own begin
    weighted, final: [N] of every record, NaN where its source's floor took it out
    """

    records: Whole
    starts: Whole
    weighted: Floats
    final: Floats

    def ranking(self, query: int) -> Whole:
        return self.records[self.starts[query] : self.starts[query + 1]]


def lay_out(recordings: Sequence[Recorded]) -> Bulk:
    """The recordings as arrays. ValueError where one record has two tie fields in one answer."""
    sources = sorted({answer.source for one in recordings for answer in one.answers})
    number = {id: place for place, id in enumerate(sources)}
    rows: list[Row] = []
    ids: list[RecordId] = []
    query: list[int] = []
    answers = 0
    for place, one in enumerate(recordings):
        found = _usable(one)
        records = sorted(_ties(found).items(), key=lambda item: item[1])
        numbered = {id: len(ids) + at for at, (id, _) in enumerate(records)}
        ids += [id for id, _ in records]
        query += [place] * len(records)
        for answer, hits in found:
            source = answer.source
            known = one.evidence.get(source, np.nan)
            for hit in hits:
                old = np.nan if hit.timestamp is None else one.now - hit.timestamp
                own = (numbered[hit.id], old, hit.stale, known)
                rows.append((hit.native, answers, number[source], answer.query, *own))
            answers += 1
    states = [_state(recordings[place], id) for place, id in zip(query, ids, strict=True)]
    return Bulk(
        queries=tuple(one.query for one in recordings),
        sources=tuple(sources),
        rows=_columns(rows),
        ids=tuple(ids),
        query=np.array(query, dtype=np.int64),
        source=np.array([number[id.source] for id in ids], dtype=np.int64),
        group=np.array([group for group, _ in states], dtype=np.int64),
        semantic=np.array([value for _, value in states], dtype=np.float64),
        asked=_asked(recordings, query, ids),
        answers=answers,
    )


def order(
    bulk: Bulk, numbers: Scoring, assumed: float | None = None, *, cut: bool = False
) -> Ordered:
    """Every query's ranking under ``numbers``.

    ``assumed`` stands in for every score of the new shortlist that was never recorded: with 0 and
    with 1 it bounds what is not known (RULINGS 38). ``cut`` takes the scores away that the new
    shortlist would not have asked for, as the runtime would not have them.
    """
    weighted = weights(bulk, numbers)
    there = ~np.isnan(weighted)
    group, semantic = bulk.group, bulk.semantic
    if cut or assumed is not None:
        wanted = shortlisted(bulk, weighted, numbers.shortlist)
        if cut:
            group = np.where(bulk.asked & ~wanted, scoring.NOT_ASKED, group)
        if assumed is not None:
            unknown = wanted & ~bulk.asked
            group = np.where(unknown, scoring.GIVEN, group)
            semantic = np.where(unknown, assumed, semantic)
    blended = scoring.blend(semantic, weighted, numbers.semantic_weight, numbers.lexical_weight)
    final = np.where(group == scoring.GIVEN, blended, weighted)
    # Records are numbered in the order of ties, and the sort is stable.
    best = np.lexsort((-final, group, bulk.query))
    best = best[there[best]]
    counts = np.bincount(bulk.query[there], minlength=len(bulk.queries))
    starts = np.concatenate([[0], np.cumsum(counts)])
    return Ordered(records=best, starts=starts, weighted=weighted, final=final)


def weights(bulk: Bulk, numbers: Scoring) -> Floats:
    """[N] the weighted score of every record; NaN where a floor took all its rows out."""
    rows, own = bulk.rows, [numbers.of(source) for source in bulk.sources]
    if not len(rows.native):
        return np.empty(0)
    floor = np.array([-np.inf if one.native_floor is None else one.native_floor for one in own])
    # A source's plan is cut from its end, so that a lower ceiling leaves the queries before it.
    ceiling = np.array([one.ceiling for one in own])
    kept = (rows.native >= floor[rows.source]) & (rows.place < ceiling[rows.source])
    low, high = _range(rows, kept, bulk.answers)
    half_life = np.array([np.nan if one.half_life is None else one.half_life for one in own])
    fresh = scoring.demote(
        scoring.freshness(rows.age, half_life[rows.source], numbers.freshness_floor),
        rows.stale,
        numbers.stale_weight,
    )
    weighted = scoring.weight(
        scoring.normalise(rows.native, low[rows.answer], high[rows.answer]),
        np.array([one.priority for one in own])[rows.source],
        fresh,
        scoring.evidence(rows.evidence, numbers.evidence_floor),
    )
    first = np.flatnonzero(np.diff(rows.record, prepend=-1))
    best = np.maximum.reduceat(np.where(kept, weighted, -np.inf), first)
    matches = np.add.reduceat(kept.astype(np.int64), first)
    total = scoring.merged(best, scoring.bonus(matches, numbers.match_bonus, numbers.bonus_cap))
    return np.where(matches > 0, total, np.nan)


def shortlisted(bulk: Bulk, weighted: Floats, size: int) -> Mask:
    """[N] which records a reranker would be shown: sources in turn, best first (RULINGS 10)."""
    there = ~np.isnan(weighted)
    best = np.lexsort((-weighted, bulk.query))
    best = best[there[best]]
    # A lane is one source of one query; its depth counts down that source's own order.
    lane = bulk.query[best] * len(bulk.sources) + bulk.source[best]
    by_lane = np.argsort(lane, kind="stable")
    opens = np.flatnonzero(np.diff(lane[by_lane], prepend=-1))
    lengths = np.diff(opens, append=len(by_lane))
    depth = np.empty(len(best), dtype=np.int64)
    depth[by_lane] = np.arange(len(by_lane)) - np.repeat(opens, lengths)
    head = np.empty(len(best))
    head[by_lane] = np.repeat(weighted[best[by_lane[opens]]], lengths)
    turn = np.lexsort((bulk.source[best], -head, depth, bulk.query[best]))
    counts = np.bincount(bulk.query[best], minlength=len(bulk.queries))
    begins = np.concatenate([[0], np.cumsum(counts)])
    place = np.arange(len(turn)) - begins[bulk.query[best[turn]]]
    taken = np.zeros(len(bulk.ids), dtype=bool)
    taken[best[turn[place < size]]] = True
    return taken


def coverage(bulk: Bulk, numbers: Scoring) -> float:
    """Share of the shortlist under ``numbers`` whose semantic score is recorded (RULINGS 38).

    1 where nothing would be asked.
    """
    wanted = shortlisted(bulk, weights(bulk, numbers), numbers.shortlist)
    count = int(np.count_nonzero(wanted))
    return float(np.count_nonzero(wanted & bulk.asked) / count) if count else 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """The judged half beside a ``Bulk``: gain [N] of each record, ideal [Q, k], and which count."""

    k: int
    gain: Floats
    ideal: Floats
    measured: Mask


def label(bulk: Bulk, judgements: Judgements, k: int = 10) -> Labels:
    """Grades of every record; ``measured`` [Q] are the queries with a relevant document."""
    known: list[Mapping[tuple[str, str], int]] = [judgements.get(q, {}) for q in bulk.queries]
    ideal = np.zeros((len(bulk.queries), k))
    for place, grades in enumerate(known):
        best = measures.ideal(grades, k)
        ideal[place, : len(best)] = best
    gain = [known[q].get(pair(id), 0) for q, id in zip(bulk.query, bulk.ids, strict=True)]
    return Labels(
        k=k,
        gain=np.array(gain, dtype=np.float64),
        ideal=ideal,
        measured=ideal[:, 0] > 0 if len(ideal) else np.zeros(0, dtype=bool),
    )


def ndcg(ordered: Ordered, labels: Labels) -> Floats:
    """[measured queries] nDCG@k."""
    places = np.diff(ordered.starts)
    width = max(1, min(labels.k, int(places.max(initial=0))))
    shown = np.zeros((len(places), width))
    rank = np.arange(len(ordered.records)) - np.repeat(ordered.starts[:-1], places)
    seen = rank < width
    row = np.repeat(np.arange(len(places)), places)[seen]
    shown[row, rank[seen]] = labels.gain[ordered.records[seen]]
    return measures.ndcg(shown[labels.measured], labels.ideal[labels.measured], labels.k)


def _usable(one: Recorded) -> list[tuple[Answer, list[NativeHit]]]:
    """Each answer's best row of every record, in the answers' order (RULINGS 4 and 5)."""
    found = []
    for answer in one.answers:
        if isinstance(answer.result, Failed):
            continue
        best: dict[RecordId, NativeHit] = {}
        for hit in answer.result:
            if hit.native is None or not np.isfinite(hit.native):
                continue
            if hit.id not in best or hit.native > best[hit.id].native:
                best[hit.id] = hit
        if best:
            found.append((answer, list(best.values())))
    return found


def _ties(found: list[tuple[Answer, list[NativeHit]]]) -> dict[RecordId, scoring.OrderKey]:
    """What orders two records of one query whose scores are equal."""
    keys: dict[RecordId, scoring.OrderKey] = {}
    for _, hits in found:
        for hit in hits:
            id = hit.id
            key = scoring.order_key(0, 0.0, hit.tie, id.source, id.key, id.relation)
            if keys.setdefault(id, key) != key:
                raise ValueError(f"record {id.key!r} has two tie fields in one invocation")
    return keys


def _columns(rows: list[Row]) -> Rows:
    rows = sorted(rows, key=lambda row: row[4])
    native, answer, source, place, record, age, stale, evidence = (
        zip(*rows, strict=True) if rows else ((),) * 8
    )
    return Rows(
        native=np.array(native, dtype=np.float64),
        answer=np.array(answer, dtype=np.int64),
        source=np.array(source, dtype=np.int64),
        place=np.array(place, dtype=np.int64),
        record=np.array(record, dtype=np.int64),
        age=np.array(age, dtype=np.float64),
        stale=np.array(stale, dtype=bool),
        evidence=np.array(evidence, dtype=np.float64),
    )


def _state(one: Recorded, id: RecordId) -> tuple[int, float]:
    match one.semantic.get(id, NotAsked()):
        case Given(value=value):
            return scoring.GIVEN, value
        case Omitted():
            return scoring.OMITTED, np.nan
        case NotAsked():
            return scoring.NOT_ASKED, np.nan


def _asked(recordings: Sequence[Recorded], query: list[int], ids: list[RecordId]) -> Mask:
    seen = [frozenset(one.asked) if one.reranked else frozenset() for one in recordings]
    flags = [id in seen[place] for place, id in zip(query, ids, strict=True)]
    return np.array(flags, dtype=bool)


def _range(rows: Rows, kept: Mask, answers: int) -> tuple[Floats, Floats]:
    """[answers] lowest and highest native score of each answer's kept rows."""
    low, high = np.full(answers, np.inf), np.full(answers, -np.inf)
    np.minimum.at(low, rows.answer[kept], rows.native[kept])
    np.maximum.at(high, rows.answer[kept], rows.native[kept])
    gone = low > high
    return np.where(gone, 0.0, low), np.where(gone, 0.0, high)
