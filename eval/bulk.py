"""Many traces as arrays, laid out once and then ordered under any number of settings.

The same functions of ``esra.scoring`` in the same order as the stages, over all queries at once, so
that every ranking and every float is the runtime's (the echo holds in bulk). What does not depend
on the numbers is settled here: which rows are usable, which rows are of one record, whose order
decides a tie.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from esra import scoring
from esra.domain.capability import Scoring
from esra.domain.hit import Answer, Given, NativeHit, NotAsked, Omitted, RecordId
from esra.domain.outcome import Failed
from eval import measures
from eval.columns import Bulk, Floats, Mask, Rows, Whole
from eval.replay import Recorded
from eval.table import Judgements, pair
from eval.weigh import Lanes, joint, lanes, lanes_of, quotas, share, weights

Row = tuple[float, int, int, int, int, float, bool, float]  # as the fields of ``Rows``, in order
GROUPS = 1 + max(scoring.GIVEN, scoring.OMITTED, scoring.NOT_ASKED)


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """Every record [N] under one setting: weighted and final score, and its group of the order."""

    weighted: Floats
    group: Whole
    final: Floats


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
    made = scored(bulk, numbers, assumed, cut=cut)
    there = ~np.isnan(made.weighted)
    # Records are numbered in the order of ties, and both sorts are stable.
    best = np.argsort(-made.final, kind="stable")
    # In 16 bits, where they do, numpy sorts whole numbers by their digits.
    narrow = np.min_scalar_type(GROUPS * len(bulk.queries))
    block = (bulk.query * GROUPS + made.group).astype(narrow)
    best = best[np.argsort(block[best], kind="stable")]
    best = best[there[best]]
    counts = np.bincount(bulk.query[there], minlength=len(bulk.queries))
    starts = np.concatenate([[0], np.cumsum(counts)])
    return Ordered(records=best, starts=starts, weighted=made.weighted, final=made.final)


def scored(
    bulk: Bulk, numbers: Scoring, assumed: float | None = None, *, cut: bool = False
) -> Scored:
    """What ``order`` sorts by."""
    weighted = weights(bulk, numbers)
    group, semantic = bulk.group, bulk.semantic
    if cut or assumed is not None:
        wanted = asked_for(bulk, numbers)
        if cut:
            group = np.where(bulk.asked & ~wanted, scoring.NOT_ASKED, group)
        if assumed is not None:
            unknown = wanted & ~bulk.asked
            group = np.where(unknown, scoring.GIVEN, group)
            semantic = np.where(unknown, assumed, semantic)
    final, given = weighted.copy(), np.flatnonzero(group == scoring.GIVEN)
    shares = numbers.semantic_weight, numbers.lexical_weight
    final[given] = scoring.blend(semantic[given], weighted[given], *shares)
    return Scored(weighted=weighted, group=group, final=final)


def shortlisted(bulk: Bulk, weighted: Floats, size: int) -> Mask:
    """[N] which records a reranker would be shown: sources in turn, best first (RULINGS 10)."""
    shares = [share(bulk, source) for source in range(len(bulk.sources))]
    found = [lanes(one.query, len(bulk.queries), weighted[one.records]) for one in shares]
    return _taken(bulk, found, size)


def asked_for(bulk: Bulk, numbers: Scoring) -> Mask:
    """[N] ``shortlisted`` under ``numbers``."""
    found = [lanes_of(bulk, source, numbers) for source in range(len(bulk.sources))]
    return _taken(bulk, found, numbers.shortlist)


def _taken(bulk: Bulk, found: list[Lanes], size: int) -> Mask:
    if not found:
        return np.zeros(0, dtype=bool)
    own = joint(bulk)
    depth = np.concatenate([one.depth for one in found])
    taken: Mask = (depth < quotas(found, size).ravel()[own.lane])[own.place]
    return taken


def coverage(bulk: Bulk, numbers: Scoring) -> float:
    """Share of the shortlist under ``numbers`` whose semantic score is recorded (RULINGS 38).

    1 where nothing would be asked.
    """
    wanted = asked_for(bulk, numbers)
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
