"""The documents judged ids are matched with, and the files of a folder that stay as they are."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from eval.dataset.errors import DatasetError
from eval.dataset.folder import GUIDELINES
from eval.dataset.labels import QUERIES, Labels, load_labels
from eval.dataset.reading import read_documents
from eval.dataset.records import Document
from eval.dataset.stages import PLANS, SOURCES
from eval.dataset.store import store_labels
from eval.exchange.incoming import CORPUS, Incoming, Wish, copying
from eval.exchange.names import Name
from eval.formats.findings import Finding, Findings, FormatError


class Corpus:
    """The documents ids are matched with: named by a person, come along, or there already."""

    def __init__(self, wish: Wish, come: Incoming) -> None:
        there = wish.target / CORPUS
        self.notes: list[str] = []
        self.write = come.corpus
        self.documents: Mapping[str, Document] | None = None
        if wish.adding and there.exists():
            self._keep(there, wish)
            return
        if wish.corpus is None:
            self.documents = come.documents
        source = wish.corpus / CORPUS if wish.corpus and wish.corpus.is_dir() else wish.corpus
        if source is not None:
            self.write = copying(source)
        elif wish.name is Name.BEIR and come.corpus is not None:
            source = Path(wish.given) / CORPUS
        elif come.documents is None and there.exists():
            source, self.write = there, None
        if source is not None:
            self.documents = _documents(source)
        elif self.write is None:
            self.notes.append("no documents to match ids with: name them with --corpus")

    def _keep(self, there: Path, wish: Wish) -> None:
        """Documents are no labels: what is added to a folder is about those it has."""
        if wish.corpus is not None:
            said = "--add keeps the documents that are there: leave --corpus out"
            raise FormatError([Finding(file=str(there), line=0, message=said)])
        self.write, self.documents = None, _documents(there)

    def store(self, labels: Labels, folder: Path, target: Path) -> None:
        """Writes all files; those of the target that say the same already stay as they are."""
        store_labels(labels, folder)
        if self.write is not None:
            self.write(folder / CORPUS)
        if (target / QUERIES).exists():
            before = load_labels(target)
            if {one.id for one in before.queries} == {one.id for one in labels.queries}:
                shutil.copyfile(target / QUERIES, folder / QUERIES)
            for name in (SOURCES, PLANS):
                if (target / name).exists():
                    shutil.copyfile(target / name, folder / name)
            if before.guidelines and before.guidelines == labels.guidelines:
                shutil.copyfile(target / GUIDELINES, folder / GUIDELINES)


def _documents(path: Path) -> dict[str, Document]:
    findings = Findings(DatasetError)
    found = read_documents(path, findings)
    findings.check()
    return {key: document for key, (document, _) in found.items()}
