"""Why a right document is not in the answer: exactly one cause each, and what the cause costs.

Causes stand in the order of the stages; the first that holds is *the* cause, since nothing after
it had a chance. Beside each stands a price: the mean nDCG@k to be won at most if every document
lost there were let through and put at its best place, with all else as it is.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import fsum
from typing import Any

from eval.measures import ndcg_at

Trace = Mapping[str, Any]
Record = tuple[str, str]  # (source, key), as judgements name one
LISTED = 10


class Cause(StrEnum):
    HIDDEN = "hidden from this caller"
    NOT_IN_SCOPE = "source not in scope"
    NOT_SELECTED = "source not selected"
    NOT_PLANNED = "source not planned"
    REJECTED = "every query rejected"
    PAST_DEADLINE = "past the deadline"
    FAILED = "source failed"
    NO_TERM_MATCHED = "no term matched"
    BELOW_ROW_CAP = "matched below the row cap"
    MERGED_AWAY = "merged away or discarded"
    NOT_ASKED = "not shown to the model"
    OMITTED = "omitted by the model"
    BELOW_K = "ranked below k"
    CUT_BY_SIZE = "cut by size"
    MASKED = "masked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What a trace cannot tell of a record, asked of whoever can (query id, record).

    ``matches`` is None where nobody knows whether a term of the question stands in the record: a
    source that filled its row cap is then taken to have matched it below.
    """

    may_see: Callable[[str, Record], bool] = lambda query, record: True
    matches: Callable[[str, Record], bool | None] = lambda query, record: None
    masked: Callable[[str, Record], bool] = lambda query, record: False


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One cause: how many right documents it lost, in how many queries, and its price.

    price: mean nDCG@k over all queries with a right document, to be won at most
    first: up to ten of its (query, record), in order
    """

    cause: Cause
    lost: int
    queries: int
    price: float
    first: tuple[tuple[str, Record], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Misses:
    """Rows in the order of the stages, causes without a loss left out."""

    k: int
    right: int
    shown: int
    rows: tuple[Row, ...]


def cause(trace: Trace, query: str, record: Record, k: int, known: Known) -> Cause | None:
    """Why ``record`` is not among the first ``k`` results; None where it is."""
    source = record[0]
    if not known.may_see(query, record):
        return Cause.HIDDEN
    if source not in trace["scope"]:
        return Cause.NOT_IN_SCOPE
    if source not in trace["chosen"]:
        return Cause.NOT_SELECTED
    place = _place(trace, record)
    if place is not None:
        return _after_ranking(trace, query, record, place, k, known)
    return _before_ranking(trace, query, record, known)


def _before_ranking(trace: Trace, query: str, record: Record, known: Known) -> Cause:
    source, key = record
    plans = [plan for plan in trace["plans"] if plan["source"] == source and plan["strategies"]]
    answers = [answer for answer in trace["answers"] if answer["source"] == source]
    if not plans:
        return Cause.NOT_PLANNED
    if not answers:
        return Cause.REJECTED
    if any(row[1] == key for answer in answers for row in answer.get("rows", ())):
        return Cause.MERGED_AWAY
    failed = [answer["failed"] for answer in answers if "failed" in answer]
    if failed:
        return Cause.PAST_DEADLINE if "TIMEOUT" in failed else Cause.FAILED
    matches = known.matches(query, record)
    capped = any(answer["capped"] for answer in answers)
    return Cause.BELOW_ROW_CAP if capped and matches is not False else Cause.NO_TERM_MATCHED


def _after_ranking(
    trace: Trace, query: str, record: Record, place: int, k: int, known: Known
) -> Cause | None:
    if place < min(k, trace["shown"]):
        return Cause.MASKED if known.masked(query, record) else None
    if place < k and any(one["code"] == "RESPONSE_TRUNCATED" for one in trace["notices"]):
        return Cause.CUT_BY_SIZE
    if trace["ordered_by"] == "final":
        semantic = trace["ranking"][place][3]
        if semantic == "not asked":
            return Cause.NOT_ASKED
        if semantic == "omitted":
            return Cause.OMITTED
    return Cause.BELOW_K


def _place(trace: Trace, record: Record) -> int | None:
    """The rank of a record, from 0; None where it was never a candidate."""
    rows = enumerate(trace["ranking"])
    return next((rank for rank, row in rows if (row[0], row[2]) == record), None)


def misses(
    traces: Mapping[str, Trace],
    judgements: Mapping[str, Mapping[Record, int]],
    k: int = 10,
    known: Known | None = None,
) -> Misses:
    """Every right document of every traced query, by what lost it. ValueError without one."""
    known = known or Known()
    right = {
        query: {record: grade for record, grade in judgements.get(query, {}).items() if grade > 0}
        for query in traces
    }
    asked = [query for query, marks in right.items() if marks]
    if not asked:
        raise ValueError("no traced query has a right document: nothing can be missed")
    lost: dict[Cause, list[tuple[str, Record]]] = {}
    for query in asked:
        for record in right[query]:
            found = cause(traces[query], query, record, k, known)
            if found is not None:
                lost.setdefault(found, []).append((query, record))
    total = sum(len(right[query]) for query in asked)
    rows = tuple(
        _row(one, lost[one], traces, judgements, k, len(asked)) for one in Cause if one in lost
    )
    return Misses(k=k, right=total, shown=total - sum(row.lost for row in rows), rows=rows)


def _row(
    one: Cause,
    lost: Sequence[tuple[str, Record]],
    traces: Mapping[str, Trace],
    judgements: Mapping[str, Mapping[Record, int]],
    k: int,
    queries: int,
) -> Row:
    by_query = Counter(query for query, _ in lost)
    won = fsum(
        _won(_answer(traces[query]), [r for q, r in lost if q == query], judgements[query], k)
        for query in by_query
    )
    return Row(
        cause=one,
        lost=len(lost),
        queries=len(by_query),
        price=won / queries,
        first=tuple(lost[:LISTED]),
    )


def _answer(trace: Trace) -> list[Record]:
    # Once each: two relations of a source may hold one key, and labels know no relation.
    return list(dict.fromkeys((row[0], row[2]) for row in trace["ranking"][: trace["shown"]]))


def _won(
    answer: Sequence[Record], lost: Sequence[Record], marks: Mapping[Record, int], k: int
) -> float:
    """What nDCG@k gains when the lost documents are put, best first, each at its best place."""
    before = best = ndcg_at(answer, marks, k)
    current = [record for record in answer if record not in set(lost)]
    for record in sorted(lost, key=lambda one: (-marks[one], one)):
        tries = [[*current[:at], record, *current[at:]] for at in range(min(k, len(current)) + 1)]
        current = max(tries, key=lambda order: ndcg_at(order, marks, k))
        best = max(best, ndcg_at(current, marks, k))
    return best - before


def as_text(found: Misses) -> str:
    """The table, one line a cause."""
    head = f"{found.shown} of {found.right} right documents are among the first {found.k}"
    lines = [f"  {'cause':28} {'lost':>6} {'queries':>8}  nDCG@{found.k} to be won at most"]
    lines += [
        f"  {row.cause.value:28} {row.lost:6} {row.queries:8}  {row.price:+.4f}"
        for row in found.rows
    ]
    return "\n".join([head, *lines] if found.rows else [head])


def as_json(found: Misses) -> dict[str, object]:
    """The same as plain JSON."""
    return {
        "k": found.k,
        "right": found.right,
        "shown": found.shown,
        "causes": [
            {
                "cause": row.cause.value,
                "lost": row.lost,
                "queries": row.queries,
                "price": row.price,
                "first": [[query, list(record)] for query, record in row.first],
            }
            for row in found.rows
        ],
    }
