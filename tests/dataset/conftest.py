"""Builds labelled folders: a sound one, and that one with a file replaced."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

Rows = Iterable[object] | str | bytes
DOCUMENTS = ({"_id": "d1", "title": "One", "text": "first"}, {"_id": "d2", "text": "second"})
QUERIES = ({"_id": "q1", "text": "which is first?"}, {"_id": "q2", "text": "which is second?"})
LABELS = "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\nq2\td2\t1\n"


@pytest.fixture
def folder(tmp_path: Path) -> Callable[..., Path]:
    """``folder(name, corpus=, queries=, qrels=)``: rows become JSON lines, text and bytes stand."""

    def build(
        name: str = "set", corpus: Rows = DOCUMENTS, queries: Rows = QUERIES, qrels: Rows = LABELS
    ) -> Path:
        path = tmp_path / name
        path.mkdir(parents=True)
        for file, rows in (
            ("corpus.jsonl", corpus),
            ("queries.jsonl", queries),
            ("qrels.tsv", qrels),
        ):
            (path / file).write_bytes(_bytes(rows))
        return path

    return build


def _bytes(rows: Rows) -> bytes:
    if isinstance(rows, bytes):
        return rows
    if isinstance(rows, str):
        return rows.encode("utf-8", "surrogatepass")
    return "".join(f"{json.dumps(row)}\n" for row in rows).encode()
