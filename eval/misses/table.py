"""Every right document of a recording by what lost it, with what each cause costs."""

from collections.abc import Mapping
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

    unsought: lost documents of sources in scope of which no engine said whether they are there:
    hidden and absent ones among them are not told apart from what a stage lost
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
    gains: dict[Cause, list[float]] = {}
    for query, records in right.items():
        own: dict[Cause, list[Record]] = {}
        for record in records:
            found = cause(traces[query], query, record, k, known)
            if found is not None:
                own.setdefault(found, []).append(record)
        for one, gone in own.items():
            lost.setdefault(one, []).extend((query, record) for record in gone)
            gain = won(traces[query], gone, one, judgements[query], k, known)
            gains.setdefault(one, []).append(gain)
    total = sum(map(len, right.values()))
    return Misses(
        k=k,
        right=total,
        shown=total - sum(map(len, lost.values())),
        unsought=sum(
            record not in known.sought
            for one, gone in lost.items()
            if one is not Cause.NOT_IN_SCOPE  # of a source that may not be asked at all
            for _, record in gone
        ),
        rows=tuple(
            Row(
                cause=one,
                lost=len(lost[one]),
                queries=len(gains[one]),
                price=fsum(gains[one]) / len(right),
                first=tuple(lost[one][:LISTED]),
            )
            for one in Cause
            if one in lost
        ),
    )


def right_of(traces: Mapping[str, Trace], judgements: Judged) -> dict[str, list[Record]]:
    """The right documents of each traced query that has one."""
    found = {
        query: [record for record, grade in judgements.get(query, {}).items() if grade > 0]
        for query in traces
    }
    return {query: records for query, records in found.items() if records}


def notes(found: Misses, known: Known) -> tuple[str, ...]:
    """What of the table nobody looked into, a sentence each."""
    said = []
    if any(row.cause is Cause.NOT_KNOWN for row in found.rows):
        said.append(f"not known: no engine was asked, or none could say; {ASK}")
    if found.unsought:
        said.append(
            f"of {found.unsought} no engine was asked, or it could not say: hidden and gone ones "
            f"are not told apart there; {ASK}"
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
