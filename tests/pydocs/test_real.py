"""The data set of the installed packages keeps what its card promises."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from eval.evidence.split import sealed
from eval.pydocs import build
from eval.pydocs.words import Cutter, phrase

Row = dict[str, object]
Repeats = Callable[[Iterable[str], Iterable[str]], list[str]]


class Track:
    """A track as a loader sees it: documents, queries joined by id, judgements."""

    def __init__(self, sources: tuple[Path, ...]) -> None:
        self.documents: dict[str, Row] = {}
        self.queries: dict[str, Row] = {}
        self.right: dict[str, set[str]] = {}
        for source in sources:
            own = {str(row["_id"]): row for row in _rows(source / "corpus.jsonl")}
            asked = {str(row["_id"]): row for row in _rows(source / "queries.jsonl")}
            assert not own.keys() & self.documents.keys()
            assert all(self.queries.get(key, row) == row for key, row in asked.items())
            self.documents |= own
            self.queries |= asked
            header, *lines = (source / "qrels.tsv").read_text(encoding="utf-8").splitlines()
            assert header.split("\t") == ["query-id", "corpus-id", "score"]
            judged = [line.split("\t") for line in lines]
            # Nothing dangles: a judgement's query and document stand in its own source.
            assert {query for query, _, _ in judged} == asked.keys()
            assert {document for _, document, _ in judged} <= own.keys()
            assert {score for _, _, score in judged} <= {"1"}
            assert len({(query, document) for query, document, _ in judged}) == len(judged)
            for query, document, _ in judged:
                self.right.setdefault(query, set()).add(document)

    def groups(self) -> Counter[str]:
        """Queries of each group."""
        return Counter(str(row["group"]) for row in self.queries.values())


def _rows(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _bytes(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def _check_known(track: Track, counts: Row, repeats: Repeats) -> None:
    assert len(track.queries) == 1000
    assert 2_000 <= len(track.documents) <= 2_700
    assert len(track.groups()) >= 200
    assert max(track.groups().values()) <= 100
    assert counts["sealed groups"] == sealed(sorted(track.groups())).sum() >= 60
    # No text, right or not, holds what is asked, nor its title.
    asked = Cutter(phrase(str(row["text"])) for row in track.queries.values())
    telling = [
        name
        for name, row in track.documents.items()
        if asked.holds(str(row["text"])) or asked.holds(str(row["title"]))
    ]
    assert telling == []
    assert not repeats(
        (str(row["text"]) for row in track.queries.values()),
        (f"{row['title']}\n{row['text']}" for row in track.documents.values()),
    )


def _check_related(track: Track) -> None:
    assert len(track.queries) == 200
    assert 900 <= len(track.documents) <= 1_300
    assert len(track.groups()) >= 60
    names = {str(name) for row in track.documents.values() for name in row["names"]}  # type: ignore[attr-defined]
    # The item a query was made from is in the collection under none of its names.
    assert not {query.removeprefix("related:") for query in track.queries} & names


@pytest.mark.req("U06")
def test_the_installed_packages(tmp_path: Path, repeats: Repeats) -> None:
    """Else the first tuning anybody sees would rest on labels that leak, dangle or change."""
    with ThreadPoolExecutor() as pool:
        first = pool.submit(build, tmp_path / "one")
        again = pool.submit(build, tmp_path / "two")
        built = first.result()
        assert _bytes(tmp_path / "one") == _bytes(again.result().card.parent)
    known, related = Track(built.tracks["known-item"]), Track(built.tracks["related-item"])
    _check_known(known, dict(built.counts["known-item"]), repeats)
    _check_related(related)
    card = built.card.read_text(encoding="utf-8")
    assert built.fingerprint in card
    assert "| sklearn |" in card
    assert "BSD-3-Clause" in card
