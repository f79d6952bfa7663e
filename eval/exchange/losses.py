"""What a set of labels loses in a format: named and counted before anybody relies on the copy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Set
from dataclasses import dataclass
from enum import StrEnum

from eval.dataset.labels import Labels
from eval.labels.settle import Settling


class Aspect(StrEnum):
    """What labels are made of, in the words of a summary."""

    IDS = "query ids"
    TEXTS = "query texts"
    UNJUDGED = "queries without a judgement"
    NEEDS = "information needs"
    QUERY_LABELS = "groups, dates, tags, nothing-is-right and time-sensitive marks of queries"
    FRACTIONS = "fractions of grades"
    RATERS = "who gave which grade"
    RULE = "the rule by which ratings become a grade"
    REASONS = "reasons of judgements"
    OPEN = "pairs that wait for a judgement"
    FAILURES = "judgements that failed"
    CARRIED = "marks of grades carried over from a copy"
    SOURCES = "right sources"
    PLANS = "right plans"
    GUIDELINES = "guidelines"
    DOCUMENTS = "documents"


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """``count`` of what a format cannot say."""

    what: Aspect
    count: int


def losses(labels: Labels, carried: Set[Aspect], documents: int = 0) -> tuple[Loss, ...]:
    """Every aspect the labels have and the format does not carry."""
    has = {
        Aspect.IDS: sum(query.id != query.text for query in labels.queries),
        Aspect.TEXTS: len(labels.queries),
        Aspect.UNJUDGED: sum(query.id not in labels.grades for query in labels.queries),
        Aspect.NEEDS: sum(bool(query.need) for query in labels.queries),
        Aspect.QUERY_LABELS: sum(map(_labelled, labels.lines.values())),
        Aspect.FRACTIONS: sum(isinstance(one.grade, float) for one in labels.judgements),
        Aspect.RATERS: sum(bool(one.rater) for one in labels.judgements),
        # Read back without the same --rule and --cuts, the ratings would become other grades.
        Aspect.RULE: int(bool(labels.judgements) and labels.settling != Settling()),
        Aspect.REASONS: sum(bool(one.reason) for one in labels.judgements),
        Aspect.OPEN: len(labels.open),
        Aspect.FAILURES: len(labels.failures),
        Aspect.CARRIED: sum(map(len, labels.origins.values())),
        Aspect.SOURCES: sum(map(len, labels.stages.sources.values())),
        Aspect.PLANS: sum(map(len, labels.stages.plans.values())),
        Aspect.GUIDELINES: int(bool(labels.guidelines)),
        Aspect.DOCUMENTS: documents,
    }
    return tuple(
        Loss(what=aspect, count=count)
        for aspect, count in has.items()
        if count and aspect not in carried
    )


def shared_texts(labels: Labels) -> int:
    """Queries that are no longer told apart where a query is named by its text."""
    often = Counter(query.text for query in labels.queries)
    return sum(count - 1 for count in often.values())


def _labelled(line: bytes) -> bool:
    import json

    return bool(json.loads(line).keys() - {"_id", "text", "need"})
