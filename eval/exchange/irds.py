"""Data sets by their `ir-datasets` id, where that package is installed.

It is no package of ours: it downloads what it is asked for, on its own terms.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType

from eval.dataset.records import Query
from eval.exchange.asked import new_query
from eval.formats.sheet import Judgement, Keys, Sheet


class NotInstalled(RuntimeError):
    """The package is not here, or does not know the data set; the message says what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Public:
    """One data set: its judgements, its queries, and its documents as they are read."""

    sheet: Sheet
    queries: dict[str, Query]
    documents: Iterator[dict[str, str]]


def read_public(id: str) -> Public:
    """The data set of an id such as ``beir/scifact/test``. Raises NotInstalled."""
    try:
        data = _package().load(id)
    except KeyError:
        raise NotInstalled(f"ir-datasets knows no {id!r}: its catalog lists the ids") from None
    lacking = [kind for kind in ("docs", "queries", "qrels") if not getattr(data, f"has_{kind}")()]
    if lacking:
        raise NotInstalled(f"{id!r} of ir-datasets has no {', '.join(lacking)}: name one that has")
    asked = {one.query_id: new_query(one.query_id, _text(one)) for one in data.queries_iter()}
    judgements = tuple(
        Judgement(query=one.query_id, document=one.doc_id, grade=int(one.relevance))
        for one in data.qrels_iter()
    )
    return Public(
        sheet=Sheet(keys=Keys.ID, queries=tuple(asked), judgements=judgements),
        queries=asked,
        documents=(_document(one) for one in data.docs_iter()),
    )


def _package() -> ModuleType:
    try:
        return importlib.import_module("ir_datasets")
    except ImportError:
        said = "ir-datasets is not installed here: pip install ir-datasets, or export to BEIR files"
        raise NotInstalled(said) from None


def _text(record: object) -> str:
    """The text the package calls the default one; older versions have ``text`` alone."""
    made = getattr(record, "default_text", None)
    return str(made() if callable(made) else getattr(record, "text", ""))


def _document(record: object) -> dict[str, str]:
    title = str(getattr(record, "title", "") or "")
    text = str(getattr(record, "text", "") or getattr(record, "body", "") or _text(record))
    return {"_id": str(record.doc_id), "title": title, "text": text}  # type: ignore[attr-defined]
