"""The labelled queries to record: of folders, or of one file beside a catalog of one's own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from eval.dataset import DatasetError, Federation, Query
from eval.dataset.reading import read_queries
from eval.formats.findings import Findings
from eval.formats.qrels import read_qrels
from eval.record import Question
from eval.recording.about import Labelled

Grades = Mapping[str, Mapping[tuple[str, str], int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Set:
    """Queries and what is known of them; ``data`` is the fingerprint of where they come from."""

    queries: tuple[Query, ...]
    judgements: Grades
    right: Mapping[str, frozenset[str]] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)
    data: str = ""

    def first(self, most: int | None, order) -> "Set":
        """The first ``most`` in ``order``, a key of a query; all of them with None."""
        queries = sorted(self.queries, key=order)[:most]
        return Set(
            queries=tuple(queries),
            judgements=self.judgements,
            right=self.right,
            sizes=self.sizes,
            data=self.data,
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
    )


def _pair(document: str, sources: Sequence[str]) -> tuple[str, str] | None:
    if len(sources) == 1:
        return (sources[0], document)
    source, slash, key = document.partition("/")
    return (source, key) if slash and source in sources else None
