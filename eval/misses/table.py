"""Every right document of a recording by what lost it, with what each cause costs."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum

from eval.misses.causes import Cause, Trace, cause
from eval.misses.known import Known, Record, silence
from eval.misses.price import won

LISTED = 10
ASK = "recording it again asks, and records no question twice"

Judged = Mapping[str, Mapping[Record, int]]


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
    """Rows in the order of the stages, causes without a loss left out.

    unsought: lost documents that no engine was asked about: hidden and absent ones among them
    pass for lost by a later stage
    """

    k: int
    right: int
    shown: int
    unsought: int
    rows: tuple[Row, ...]


def misses(
    traces: Mapping[str, Trace], judgements: Judged, k: int = 10, known: Known | None = None
) -> Misses:
    """Every right document of every traced query, by what lost it. ValueError without one."""
    known = known or Known()
    right = right_of(traces, judgements)
    if not right:
        raise ValueError("no traced query has a right document: nothing can be missed")
    lost: dict[Cause, list[tuple[str, Record]]] = {}
    for query, records in right.items():
        for record in records:
            found = cause(traces[query], query, record, k, known)
            if found is not None:
                lost.setdefault(found, []).append((query, record))
    total = sum(map(len, right.values()))
    rows = tuple(
        _row(one, lost[one], traces, judgements, k, known, len(right))
        for one in Cause
        if one in lost
    )
    missed = [record for own in lost.values() for _, record in own]
    return Misses(
        k=k,
        right=total,
        shown=total - len(missed),
        unsought=sum(record not in known.sought for record in missed),
        rows=rows,
    )


def right_of(traces: Mapping[str, Trace], judgements: Judged) -> dict[str, list[Record]]:
    """The right documents of each traced query that has one."""
    found = {
        query: [record for record, grade in judgements.get(query, {}).items() if grade > 0]
        for query in traces
    }
    return {query: records for query, records in found.items() if records}


def _row(
    one: Cause,
    lost: Sequence[tuple[str, Record]],
    traces: Mapping[str, Trace],
    judgements: Judged,
    k: int,
    known: Known,
    queries: int,
) -> Row:
    by_query = Counter(query for query, _ in lost)
    price = fsum(
        won(traces[query], [r for q, r in lost if q == query], one, judgements[query], k, known)
        for query in by_query
    )
    return Row(
        cause=one,
        lost=len(lost),
        queries=len(by_query),
        price=price / queries,
        first=tuple(lost[:LISTED]),
    )


def notes(found: Misses, known: Known) -> tuple[str, ...]:
    """What of the table nobody looked into, a sentence each."""
    said = []
    if any(row.cause is Cause.NOT_KNOWN for row in found.rows):
        said.append(f"match not known: no engine was asked, or none could say; {ASK}")
    if found.unsought:
        said.append(
            f"of {found.unsought} no engine was asked: hidden and gone ones are not told apart "
            f"there; {ASK}"
        )
    return (*said, *filter(None, [silence(known)]))


def as_text(found: Misses) -> str:
    """The table, one line a cause."""
    head = f"{found.shown} of {found.right} right documents are among the first {found.k}"
    lines = [f"  {'cause':32} {'lost':>6} {'queries':>8}  nDCG@{found.k} to be won at most"]
    lines += [
        f"  {row.cause.value:32} {row.lost:6} {row.queries:8}  {row.price:+.4f}"
        for row in found.rows
    ]
    return "\n".join([head, *lines] if found.rows else [head])


def as_json(found: Misses) -> dict[str, object]:
    """The same as plain JSON."""
    return {
        "k": found.k,
        "right": found.right,
        "shown": found.shown,
        "unsought": found.unsought,
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
