"""What a labelled folder holds, as read: ids to the letter, texts as they stand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from eval.dataset.stages import NONE, Stages
from eval.formats.findings import Finding


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One record of a source. ``extra`` keeps every further field of its line.

    ``date`` has a zone; a day, month or year stands for its first moment in UTC.
    """

    key: str
    title: str
    text: str
    date: datetime | None = None
    extra: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """One question. Queries of one ``group`` ask for one thing and are never split apart.

    The group is the normal form of the ``group`` field, else of the ``need``, else of the text;
    equal groups of two folders are one. ``sources`` names the folders that asked the question, the
    first the one that says most of it.
    ``nothing``: the right answer is that there is none. ``timely``: only what is recent is right.
    """

    id: str
    text: str
    group: str
    date: datetime | None = None
    need: str = ""
    track: str = ""
    tags: tuple[str, ...] = ()
    nothing: bool = False
    timely: bool = False
    sources: tuple[str, ...] = ()
    extra: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFolder:
    """One folder as one source; ``judgements[query][document key]`` is a grade.

    ``unjudged`` are the queries without a judgement. ``findings`` counts what was tolerated.
    ``stages`` are the labels of sources and plans, ``guidelines`` what judges are told (Markdown).
    ``fingerprint`` is a SHA-256 of the content, whatever order its lines have.
    """

    name: str
    path: Path
    documents: tuple[Document, ...]
    queries: tuple[Query, ...]
    judgements: Mapping[str, Mapping[str, int]]
    unjudged: tuple[str, ...]
    findings: tuple[Finding, ...]
    fingerprint: str
    stages: Stages = NONE
    guidelines: str = ""
