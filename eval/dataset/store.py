"""Writes the labels of a folder: each file whole or not at all, and only those that say something.

A file that would change is named before anything is written, so that nobody's labels are lost.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from eval.dataset.folder import GUIDELINES
from eval.dataset.labels import (
    CARRIED,
    CARRIED_HEADER,
    QUERIES,
    RATINGS,
    Labels,
)
from eval.dataset.reading import NOTHING, TIMELY
from eval.dataset.records import Query
from eval.dataset.settling import SETTLING, plain
from eval.dataset.stages import PLANS, SOURCES
from eval.evidence import normal_form
from eval.formats.qrels import QrelsForm, write_qrels
from eval.formats.ratings import write_ratings
from eval.formats.sheet import Keys, Sheet
from eval.formats.writing import checked_id, write_json, write_lines, write_text

QRELS = "qrels.tsv"


def store_labels(labels: Labels, folder: Path) -> None:
    """Writes what ``load_labels`` reads back, into a folder that exists.

    Raises ValueError for an id that no such file can hold.
    """
    write_lines(folder / QUERIES, [query_line(one, labels.lines) for one in labels.queries])
    write_qrels(labels.grades, folder / QRELS, QrelsForm.BEIR)
    if labels.judgements or labels.open or labels.failures:
        write_ratings(sheet_of(labels), folder / RATINGS)
    if labels.judgements:
        write_json(folder / SETTLING, plain(labels.settling))
    if labels.origins:
        rows = [
            "\t".join(map(checked_id, (query, document, origin)))
            for query, own in labels.origins.items()
            for document, origin in own.items()
        ]
        write_lines(folder / CARRIED, [CARRIED_HEADER, *rows])
    if labels.stages.sources:
        write_qrels(labels.stages.sources, folder / SOURCES, QrelsForm.BEIR)
    if labels.stages.plans:
        plans = [plan.line() for own in labels.stages.plans.values() for plan in own.values()]
        write_lines(folder / PLANS, plans)
    if labels.guidelines:
        write_text(folder / GUIDELINES, labels.guidelines)


def sheet_of(labels: Labels) -> Sheet:
    """The ratings as a sheet of ids; a query that nobody rated is named as well."""
    return Sheet(
        keys=Keys.ID,
        queries=tuple(query.id for query in labels.queries),
        judgements=labels.judgements,
        open=labels.open,
        failures=labels.failures,
        texts={query.id: query.text for query in labels.queries},
        needs={query.id: query.need for query in labels.queries if query.need},
    )


def query_line(query: Query, lines: Mapping[str, bytes]) -> str:
    """The line a query came in with, else one that says the same."""
    if query.id in lines:
        return lines[query.id].decode()
    told: dict[str, object] = {"_id": query.id, "text": query.text}
    if query.group != normal_form(query.need or query.text):
        told["group"] = query.group
    told |= {name: value for name, value in (("need", query.need), ("track", query.track)) if value}
    if query.date is not None:
        told["date"] = query.date.isoformat()
    if query.tags:
        told["tags"] = list(query.tags)
    told |= {name: True for name, on in ((NOTHING, query.nothing), (TIMELY, query.timely)) if on}
    return json.dumps({**told, **query.extra}, ensure_ascii=False)
