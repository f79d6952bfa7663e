"""Data sets by their `ir-datasets` id, where that package is installed.

It is no package of ours: it downloads what it is asked for, on its own terms.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType

from eval.dataset.records import Document, Query
from eval.exchange.asked import new_query
from eval.formats.sheet import Judgement, Keys, Sheet


class NotInstalled(RuntimeError):
    """The package is not here, does not know the data set, or cannot fetch it; the message says
    what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Public:
    """One data set: its judgements, its queries, and its documents by key."""

    sheet: Sheet
    queries: dict[str, Query]
    documents: Mapping[str, Document]


def read_public(id: str) -> Public:
    """The data set of an id such as ``beir/scifact/test``. Raises NotInstalled."""
    try:
        data = _package().load(id)
    except KeyError:
        raise NotInstalled(f"ir-datasets knows no {id!r}: its catalog lists the ids") from None
    lacking = [kind for kind in ("docs", "queries", "qrels") if not getattr(data, f"has_{kind}")()]
    if lacking:
        raise NotInstalled(f"{id!r} of ir-datasets has no {', '.join(lacking)}: name one that has")
    with _fetching(id):
        asked = {
            one.query_id: new_query(one.query_id, _text(one), _need(one))
            for one in data.queries_iter()
        }
        judgements = tuple(
            Judgement(query=one.query_id, document=one.doc_id, grade=int(one.relevance))
            for one in data.qrels_iter()
        )
        documents: dict[str, Document] = {}
        for one in data.docs_iter():
            documents.setdefault(one.doc_id, _document(one))
    return Public(
        sheet=Sheet(keys=Keys.ID, queries=tuple(asked), judgements=judgements),
        queries=asked,
        documents=documents,
    )


@contextmanager
def _fetching(id: str) -> Iterator[None]:
    """The package downloads while it is read, and says with errors of its own what kept it."""
    try:
        yield
    except (RuntimeError, OSError, EOFError) as trouble:
        first = str(trouble.args[0] if trouble.args else trouble).splitlines()[:1]
        said = first[0][:200] if first else type(trouble).__name__
        raise NotInstalled(
            f"ir-datasets could not fetch {id!r} ({said}): download it where there is a network"
        ) from trouble


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


def _need(record: object) -> str:
    """What a TREC topic says of what is wanted, where it does."""
    parts = (str(getattr(record, name, "") or "") for name in ("description", "narrative"))
    return "\n".join(part for part in parts if part.strip())


def _document(record: object) -> Document:
    """The package's default text begins with the title, which stands apart here."""
    title = str(getattr(record, "title", "") or "")
    text = str(getattr(record, "text", "") or getattr(record, "body", "") or "")
    return Document(
        key=str(record.doc_id),  # type: ignore[attr-defined]
        title=title,
        text=text or _text(record).removeprefix(title).lstrip(),
    )
