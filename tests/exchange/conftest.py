"""A labelled folder with labels of every stage, and the commands as a person runs them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from eval.exchange import cli_export, cli_import, cli_sample

DOCUMENTS = (
    {"_id": "0001", "title": "Red shoe", "text": "a shoe that is red"},
    {"_id": "https://x.org/a?b=1", "title": "Boot", "text": "a boot"},
    {"_id": '9" nail, long', "title": "Nail", "text": "nine inches"},
    {"_id": "copy", "title": "Red shoe", "text": "a shoe that is red"},
    {"_id": " edge ", "title": "Edge", "text": "blanks around the id"},
)
QUERIES = (
    {"_id": "q 1", "text": "red shoes", "need": "shoes, not boots", "tags": ["head"]},
    {"_id": "0002", "text": "=cmd nail", "group": "tools", "time_sensitive": True},
    {"_id": "q3", "text": "vans", "nothing_is_right": True},
    {"_id": "q4", "text": "not judged"},
)
QRELS = (
    "query-id\tcorpus-id\tscore\n"
    'q 1\t0001\t3\nq 1\thttps://x.org/a?b=1\t0\n0002\t9" nail, long\t2\n0002\t edge \t-1\n'
    "q3\t0001\t0\n"
)


def lines(rows):
    return "".join(f"{json.dumps(row)}\n" for row in rows)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with documents, queries and judgements."""
    path = tmp_path / "set"
    path.mkdir()
    (path / "corpus.jsonl").write_text(lines(DOCUMENTS))
    (path / "queries.jsonl").write_text(lines(QUERIES))
    (path / "qrels.tsv").write_text(QRELS)
    return path


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The key of query ids is made in a home of this test's own."""
    monkeypatch.setenv("ESRA_HOME", str(tmp_path / "home"))


@pytest.fixture
def run(capsys):
    """``run("import", ...)`` is (exit code, the JSON document, stderr)."""

    def command(name, *words):
        module = {"import": cli_import, "export": cli_export, "sample": cli_sample}[name]
        capsys.readouterr()
        code = module.main([*map(str, words), "--json"])
        told = capsys.readouterr()
        return code, json.loads(told.out), told.err

    return command
