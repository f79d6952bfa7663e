"""What an import starts from: a sheet, the queries that come with it, and its documents."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from eval.dataset.labels import Labels, load_labels
from eval.dataset.records import Document
from eval.dataset.stages import NONE, Stages
from eval.dataset.store import sheet_of
from eval.exchange.asked import Asked
from eval.exchange.formats import FORMATS, How
from eval.exchange.guess import IR_DATASETS
from eval.exchange.idmap import IdMap
from eval.exchange.irds import read_public
from eval.exchange.names import Name
from eval.formats.sheet import Judgement, Sheet
from eval.labels.settle import Settling

CORPUS = "corpus.jsonl"
# Of clicks: under half of what the place explains, up to it, above, twice. A convention of ours.
CLICK_CUTS = (0.5, 1.0, 2.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What a person asked to import. ``key`` makes ids for queries that come without one;
    ``adding`` keeps the labels of ``target`` and adds these.
    """

    given: str
    name: Name
    target: Path
    how: How
    key: Callable[[], bytes]
    mapped: IdMap | None = None
    queries: Path | None = None
    corpus: Path | None = None
    settling: Settling | None = None
    carrying: bool = True
    force: bool = False
    adding: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming:
    """``corpus`` writes the documents that come along into a file, where there are any;
    ``documents`` are these, where they are in no file yet."""

    sheet: Sheet
    asked: Asked = field(default_factory=Asked)
    corpus: Callable[[Path], object] | None = None
    documents: Mapping[str, Document] | None = None
    stages: Stages = NONE
    guidelines: str = ""
    settling: Settling | None = None


def incoming(given: str, name: Name, how: How) -> Incoming:
    """Reads what a person gave. Raises FormatError, NotInstalled."""
    if name is Name.IR_DATASETS:
        return _public(given.removeprefix(IR_DATASETS))
    path = Path(given)
    if name is Name.BEIR:
        return _folder(path)
    settling = Settling(cuts=CLICK_CUTS) if name is Name.CLICKS else None
    return Incoming(sheet=FORMATS[name].read(path, how), settling=settling)


def _folder(path: Path) -> Incoming:
    labels = load_labels(path)
    corpus = path / CORPUS
    return Incoming(
        sheet=rated(labels),
        asked=Asked(queries={one.id: one for one in labels.queries}, lines=labels.lines),
        corpus=copying(corpus) if corpus.exists() else None,
        stages=labels.stages,
        guidelines=labels.guidelines,
        settling=labels.settling,
    )


def copying(corpus: Path) -> Callable[[Path], object]:
    """Copies a file of documents, byte for byte."""
    return lambda target: shutil.copyfile(corpus, target)


def rated(labels: Labels) -> Sheet:
    """The ratings of a folder, and of nobody where it has a grade and no rating for it."""
    sheet = sheet_of(labels)
    known = {(one.query, one.document) for one in labels.judgements}
    bare = [
        Judgement(query=query, document=document, grade=grade)
        for query, grades in labels.grades.items()
        for document, grade in grades.items()
        if (query, document) not in known and document not in labels.origins.get(query, {})
    ]
    queries = dict.fromkeys([*sheet.queries, *labels.grades])
    return Sheet(
        keys=sheet.keys,
        queries=tuple(queries),
        judgements=(*sheet.judgements, *bare),
        open=sheet.open,
        failures=sheet.failures,
        texts=sheet.texts,
        needs=sheet.needs,
        findings=labels.findings,
    )


def _public(id: str) -> Incoming:
    public = read_public(id)

    def write(target: Path) -> None:
        with target.open("w", encoding="utf-8", newline="\n") as file:
            for one in public.documents.values():
                row = {"_id": one.key, "title": one.title, "text": one.text}
                file.write(json.dumps(row, ensure_ascii=False) + "\n")

    return Incoming(
        sheet=public.sheet,
        asked=Asked(queries=public.queries),
        corpus=write,
        documents=public.documents,
    )
