"""Writes a track as folders in the layout of a labelled set, one source a package.

`corpus.jsonl`, `queries.jsonl`, `qrels.tsv`, as BEIR has them. A query whose
right documents lie in several sources stands in each of them, same id, same text.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from eval.pydocs.labels import Document, Labels, Query, Track

QRELS_HEADER = "query-id\tcorpus-id\tscore\n"
# A dot, an underscore, or the hump of a class name (LinearRegression).
_JOINT = re.compile(r"[._]+|(?<=[a-z])(?=[A-Z])")
_PREFIX = {Track.KNOWN: "known", Track.RELATED: "related"}


def write_track(
    labels: Labels,
    asked: Sequence[Query],
    folder: Path,
    packages: Iterable[str],
) -> None:
    """The documents of a track and the queries that are asked, a folder for each package."""
    for package in packages:
        source = folder / package
        source.mkdir(parents=True)
        own = {
            name: document
            for name, document in labels.documents.items()
            if document.entry.item.package == package
        }
        here = [(query, [name for name in query.right if name in own]) for query in asked]
        here = [(query, right) for query, right in here if right]
        _write_lines(source / "corpus.jsonl", map(_document, own.values()))
        _write_lines(source / "queries.jsonl", (_query(query, labels.track) for query, _ in here))
        rows = (
            f"{query_id(query, labels.track)}\t{name}\t1\n"
            for query, right in here
            for name in right
        )
        (source / "qrels.tsv").write_text(QRELS_HEADER + "".join(rows), encoding="utf-8")


def query_id(query: Query, track: Track) -> str:
    """Names the item the query was made from, so that the two tracks can be told apart."""
    return f"{_PREFIX[track]}:{query.entry.name}"


def _document(document: Document) -> Mapping[str, object]:
    item = document.entry.item
    return {
        "_id": item.name,
        "title": title(item.name),
        "text": document.text,
        "kind": item.kind,
        "names": list(item.names),
    }


def title(name: str) -> str:
    """The qualified public name in words: "sklearn metrics accuracy score".

    A text search takes `sklearn.metrics` for the name of a host and sees no word in
    it, a model sees them all: written as words the two are given the same title.
    """
    return _JOINT.sub(" ", name)


def _query(query: Query, track: Track) -> Mapping[str, object]:
    return {
        "_id": query_id(query, track),
        "text": query.entry.doc.summary,
        "group": query.group,
        "track": track,
        "package": query.entry.item.package,
    }


def _write_lines(path: Path, rows: Iterable[Mapping[str, object]]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
