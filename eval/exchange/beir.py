"""Writes a BEIR folder: documents, queries and judgements under one set of ids."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from eval.dataset.errors import DatasetError
from eval.dataset.labels import QUERIES, Labels
from eval.dataset.objects import json_lines
from eval.dataset.store import query_line
from eval.exchange.idmap import IdMap
from eval.exchange.incoming import CORPUS
from eval.exchange.leaving import leaving
from eval.exchange.target import fill
from eval.formats.findings import Finding, Findings, FormatError
from eval.formats.qrels import QrelsForm, write_qrels
from eval.formats.sheet import Sheet
from eval.formats.writing import write_lines

_TEST = "qrels/test.tsv"


def write_beir(
    source: Path, labels: Labels, sheet: Sheet, target: Path, mapped: IdMap | None, force: bool
) -> list[Path]:
    """The files written. ``sheet`` has one whole grade a pair, in the ids that go out.

    Raises FormatError where the target is a file, InTheWay where it holds something else.
    """
    if target.is_file():
        said = "is a file: a BEIR export is a folder"
        raise FormatError([Finding(file=str(target), line=0, message=said)])

    def make(folder: Path) -> None:
        if (source / CORPUS).exists():
            _corpus(source / CORPUS, folder / CORPUS, mapped)
        write_lines(folder / QUERIES, [query_line(one, labels.lines) for one in labels.queries])
        (folder / "qrels").mkdir()
        grades = {query: own for query, own in sheet.grades.items() if own}
        write_qrels(grades, folder / _TEST, QrelsForm.BEIR)  # type: ignore[arg-type]

    filled = fill(target, make, (CORPUS, QUERIES, _TEST), force)
    return [target / name for name in filled.names]


def _corpus(source: Path, target: Path, mapped: IdMap | None) -> None:
    """Byte for byte; with a map a line for each id of a record, that alone changed."""
    if mapped is None:
        shutil.copyfile(source, target)
        return
    findings = Findings(DatasetError)
    with target.open("w", encoding="utf-8", newline="\n") as file:
        for row in json_lines(source, findings):
            key = str(row.fields["_id"])
            for id in leaving([key], mapped, None, source, findings).of[key]:
                file.write(json.dumps({**row.fields, "_id": id}, ensure_ascii=False) + "\n")
    findings.check()
