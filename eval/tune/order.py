"""What was asked for: which folders, which numbers, which of the labelled queries."""

import hashlib
from dataclasses import dataclass

from eval import record
from eval.dataset import Federation, Query


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What was asked for: one capability from labelled folders, which are read already.

    parameters: the numbers to tune, none for the share alone; as_asked: the queries are declared to
    be mixed over the sources as callers mix them
    """

    name: str
    federation: Federation
    select: str = "all"
    rerank: str = "local"
    queries: int | None = None
    explore: bool = False
    advice: str = ""
    k: int = 10
    parameters: tuple[str, ...] = ()
    as_asked: bool = False


def asked(order: Order) -> list[Query]:
    """The labelled queries, in an order that depends on each query alone; the first N of it."""
    known = order.federation
    judged = [query for query in known.queries if query.id in known.judgements]
    judged.sort(key=lambda query: hashlib.sha256(query.id.encode()).digest())
    return judged if order.queries is None else judged[: order.queries]


def question_of(query: Query) -> record.Question:
    """A labelled query as the recorder takes it; its own date is its "now"."""
    now = query.date.timestamp() if query.date else None
    return record.Question(id=query.id, text=query.text, now=now)
