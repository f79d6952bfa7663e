"""The labelled queries to record: of folders, or of one file beside a catalog of one's own."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from esra.domain.invocation import Retention
from eval.dataset import DatasetError, Federation, Query
from eval.dataset.reading import read_queries
from eval.formats.findings import Findings
from eval.formats.qrels import read_qrels
from eval.record import Question
from eval.recording.about import Labelled
from eval.recording.masking import masked

Grades = Mapping[str, Mapping[tuple[str, str], int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Set:
    """Queries and what is known of them; ``data`` is the fingerprint of where they come from."""

    queries: tuple[Query, ...]
    judgements: Grades
    right: Mapping[str, frozenset[str]] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)
    data: str = ""

    def first(self, most: int | None, order: Callable[[Query], bytes]) -> "Set":
        """The first ``most`` in ``order``, a key of a query; all of them with None."""
        return replace(self, queries=tuple(sorted(self.queries, key=order)[:most]))

    def masked(self, retention: Retention, secret: bytes) -> "Set":
        """With names of groups that tell no more of a question than retention allows."""
        by_id = sorted(self.queries, key=lambda query: query.id)
        names = masked([query.group for query in by_id], retention, secret)
        return replace(
            self, queries=tuple(replace(one, group=names[one.group]) for one in self.queries)
        )

    @property
    def questions(self) -> list[Question]:
        return [
            Question(id=one.id, text=one.text, now=one.date.timestamp() if one.date else None)
            for one in self.queries
        ]

    @property
    def labels(self) -> dict[str, Labelled]:
        return {one.id: self._label(one) for one in self.queries}

    def _label(self, one: Query) -> Labelled:
        right, traffic = self.right.get(one.id), one.extra.get("traffic")
        return Labelled(
            group=one.group,
            tags=one.tags,
            right=None if right is None else tuple(sorted(right)),
            nothing=one.nothing,
            timely=one.timely,
            traffic=traffic if type(traffic) is int else None,
        )


def of_folders(federation: Federation) -> Set:
    """The queries that carry any label: one without would cost, and tell nothing."""
    right = federation.right_sources
    return Set(
        queries=tuple(q for q in federation.queries if q.id in right),
        judgements=federation.judgements,
        right=right,
        sizes={source.name: len(source.documents) for source in federation.sources},
        data=federation.fingerprint,
    )


def of_files(questions: Path, qrels: Path | None, sources: Sequence[str]) -> Set:
    """A ``queries.jsonl``, and judgements of its documents as ``key`` or, with several sources,
    ``source/key``. Raises DatasetError, FormatError.
    """
    findings = Findings(DatasetError)
    found = read_queries(questions, findings)
    findings.check()
    grades = read_qrels(qrels).judgements if qrels else {}
    judgements: dict[str, dict[tuple[str, str], int]] = {}
    for query, own in grades.items():
        for document, grade in own.items():
            pair = _pair(document, sources)
            if pair is None:
                said = f"document {document!r} of query {query!r} names no source of the catalog"
                findings.refuse(qrels or questions, 0, f"{said}: write it as source/key")
            else:
                judgements.setdefault(query, {})[pair] = grade
    findings.check()
    right = {q: frozenset(s for (s, _), g in own.items() if g > 0) for q, own in judgements.items()}
    queries = tuple(query for query, _ in found.values())
    return Set(
        queries=queries,
        judgements=judgements,
        right=right | {q.id: frozenset[str]() for q in queries if q.nothing},
        data=hashlib.sha256(questions.read_bytes()).hexdigest(),
    )


def _pair(document: str, sources: Sequence[str]) -> tuple[str, str] | None:
    if len(sources) == 1:
        return (sources[0], document)
    source, slash, key = document.partition("/")
    return (source, key) if slash and source in sources else None
