"""What was asked for: which folders, which numbers, which of the labelled queries."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from eval import record
from eval.dataset import Federation, Query
from eval.evidence import normal_form
from eval.measures.segments import PART_NAMES, head_torso_tail


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
    judged = sorted(_judged(order), key=lambda query: hashlib.sha256(query.id.encode()).digest())
    return judged if order.queries is None else judged[: order.queries]


def left_out(order: Order) -> int:
    """How many judged queries were not asked, as no more were wanted."""
    return len(_judged(order)) - len(asked(order))


def _judged(order: Order) -> list[Query]:
    known = order.federation
    return [query for query in known.queries if query.id in known.judgements]


def doubts_of(queries: Sequence[Query]) -> tuple[str, ...]:
    """What weakens any claim on these queries: the same words as the witness of several groups."""
    groups: dict[str, set[str]] = {}
    for query in queries:
        groups.setdefault(normal_form(query.text), set()).add(query.group)
    twice = sum(len(own) > 1 for own in groups.values())
    if not twice:
        return ()
    said = "1 question stands" if twice == 1 else f"{twice} questions stand"
    return (
        f"{said} in several groups, each of which counts as a witness of its own and is sealed by "
        "itself: give equal questions one `group`",
    )


def tags_of(queries: Sequence[Query]) -> dict[str, tuple[str, ...]]:
    """Each query's own tags, and head, torso or tail where its traffic was counted and nobody has
    said so already: of a sample alone the parts of the traffic it was drawn from cannot be told.
    """
    said = any(PART_NAMES & set(query.tags) for query in queries)
    traffic = {query.id: query.extra.get("traffic") for query in queries}
    counts = {id: count for id, count in traffic.items() if type(count) is int}
    parts = head_torso_tail(counts) if sum(counts.values()) > 0 and not said else {}
    return {
        query.id: (*query.tags, *((parts[query.id],) if query.id in parts else ()))
        for query in queries
    }


def question_of(query: Query) -> record.Question:
    """A labelled query as the recorder takes it; its own date is its "now"."""
    now = query.date.timestamp() if query.date else None
    return record.Question(id=query.id, text=query.text, now=now)
