"""All labels of a folder, documents apart: what is exchanged with other tools, and judged further.

A labelled folder may hold, beside ``queries.jsonl`` and ``qrels.tsv``:

    ratings.csv       who graded what, and why; pairs that wait; judgements that failed
    settling.json     the rule by which qrels.tsv follows from the ratings
    carried.tsv       query-id, corpus-id, from-id: grades taken over from an exact copy
    source_qrels.tsv  right sources        plans.jsonl  right plans
    GUIDELINES.md     what judges are told
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from eval.dataset.errors import DatasetError
from eval.dataset.folder import (
    guidelines,
    note_other_splits,
    qrels_file,
    refuse_contradictions,
)
from eval.dataset.reading import read_queries
from eval.dataset.records import Query
from eval.dataset.settling import SETTLING, read_settling
from eval.dataset.stages import NONE, Stages, read_stages
from eval.dataset.steady import steady
from eval.formats.columns import columns
from eval.formats.findings import Finding, Findings, FormatError
from eval.formats.lines import numbered_lines
from eval.formats.qrels import judgement_rows
from eval.formats.ratings import read_ratings
from eval.formats.sheet import Failure, Judgement, Pair
from eval.labels.settle import Settling

RATINGS, CARRIED, QUERIES = "ratings.csv", "carried.tsv", "queries.jsonl"
CARRIED_HEADER = "query-id\tcorpus-id\tfrom-id"


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """``grades[query][document]`` is the settled grade, and what measures use.

    ``judgements`` say whose grades it was settled from, empty where nobody is named. ``origins``
    are the grades carried over from an exact copy. ``lines`` is each query as its line has it.
    """

    queries: tuple[Query, ...]
    grades: Mapping[str, Mapping[str, int]]
    judgements: tuple[Judgement, ...] = ()
    open: tuple[Pair, ...] = ()
    failures: tuple[Failure, ...] = ()
    origins: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    stages: Stages = NONE
    guidelines: str = ""
    settling: Settling = field(default_factory=Settling)
    lines: Mapping[str, bytes] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()

    @property
    def fingerprint(self) -> str:
        """SHA-256 of all labels, whatever order rows and files have."""
        digest = hashlib.sha256(b"esra labels 1")
        for part in (
            _marks(map(_told, self.queries)),
            _marks((query, key, grade) for query, key, grade in _flat(self.grades)),
            _marks(
                (one.query, one.document, one.grade, one.rater, one.reason)
                for one in self.judgements
            ),
            _marks(self.open),
            _marks((one.query, one.document, one.rater, one.why) for one in self.failures),
            _marks(_flat(self.origins)),
            *self.stages.marks(),
            [self.guidelines.encode()],
            [repr(self.settling).encode()] if self.judgements else [],
        ):
            for content in sorted(part):
                digest.update(b"%d:" % len(content) + content)
            digest.update(b"\n")
        return digest.hexdigest()


def load_labels(folder: Path) -> Labels:
    """The labels of a folder; its documents are not looked at. Raises DatasetError."""
    return steady(folder, lambda: _load(folder))


def _load(folder: Path) -> Labels:
    findings = Findings(DatasetError)
    if not (folder / QUERIES).is_file():
        findings.refuse(folder / QUERIES, 0, "is missing: a labelled folder names its queries")
        findings.check()
    queries = read_queries(folder / QUERIES, findings)
    asked = {key: query for key, (query, _) in queries.items()}
    judged = qrels_file(folder)
    rows = judgement_rows(judged, findings) if judged.exists() else ()
    note_other_splits(folder, findings)
    refuse_contradictions(rows, asked, judged, findings)
    grades: dict[str, dict[str, int]] = {}
    for row in rows:
        grades.setdefault(row.query, {})[row.document] = int(row.grade)
    sheet = _sheet(folder / RATINGS, findings)
    stages = read_stages(folder, asked, findings)
    origins = _origins(folder / CARRIED, findings)
    settling = read_settling(folder / SETTLING, findings)
    told = guidelines(folder, findings)
    findings.check()
    return Labels(
        queries=tuple(asked.values()),
        grades=grades,
        judgements=sheet.judgements if sheet else (),
        open=sheet.open if sheet else (),
        failures=sheet.failures if sheet else (),
        origins=origins,
        stages=stages,
        guidelines=told,
        settling=settling,
        lines={key: line for key, (_, line) in queries.items()},
        findings=findings.tolerated(),
    )


def _sheet(path: Path, findings: Findings):
    if not path.exists():
        return None
    try:
        return read_ratings(path)
    except FormatError as error:
        findings.absorb(error)
        return None


def _origins(path: Path, findings: Findings) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for line, text in numbered_lines(path, findings) if path.exists() else ():
        cells = columns(text, (3,))
        if cells is None:
            findings.refuse(path, line, f"needs 3 columns: {CARRIED_HEADER}")
        elif line > 1 or text != CARRIED_HEADER:
            query, document, origin = cells
            found.setdefault(query, {})[document] = origin
    return found


def _told(query: Query) -> tuple[object, ...]:
    date = query.date.isoformat() if query.date else ""
    marks = (date, query.need, query.track, query.tags, query.nothing, query.timely)
    return (query.id, query.text, query.group, *marks, query.extra)


def _flat(nested: Mapping[str, Mapping[str, object]]) -> Iterable[tuple[str, str, object]]:
    return ((query, key, value) for query, own in nested.items() for key, value in own.items())


def _marks(rows: Iterable[tuple[object, ...]]) -> Iterable[bytes]:
    return (json.dumps(row, sort_keys=True).encode() for row in rows)
