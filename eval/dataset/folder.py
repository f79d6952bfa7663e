"""One labelled folder as one source: its three files read, then matched with each other."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sized
from pathlib import Path

from eval.dataset.errors import DatasetError
from eval.dataset.names import source_names
from eval.dataset.reading import read_documents, read_queries
from eval.dataset.records import Query, SourceFolder
from eval.dataset.stages import Stages, read_stages
from eval.dataset.steady import steady
from eval.formats.findings import Finding, Findings, quoted
from eval.formats.lines import numbered_lines
from eval.formats.qrels import judgement_rows
from eval.formats.sheet import Judgement

GUIDELINES = "GUIDELINES.md"
LAYOUT = "a labelled folder holds corpus.jsonl, queries.jsonl and qrels.tsv (or qrels/test.tsv)"
_USELESS = "names no relevant document (grade 1 or more)"


def load_folder(path: Path, name: str | None = None, *, judged: bool = True) -> SourceFolder:
    """Reads and checks a folder; ``name`` is the source's, else one made from the folder's.

    Without ``judged`` a folder in which nothing is relevant is sound, and a finding: a source that
    others are told from, with an empty ``qrels.tsv`` or with neither queries nor judgements.
    Raises DatasetError with every error of the folder (the first twenty, and how many more).
    """
    return steady(path, lambda: _load(path, name, judged=judged))


def _load(path: Path, name: str | None, *, judged: bool) -> SourceFolder:
    findings = Findings(DatasetError)
    corpus, asked, labels = files = _files(path, findings, judged=judged)
    documents = read_documents(corpus, findings)
    queries = read_queries(asked, findings) if asked.exists() else {}
    rows = judgement_rows(labels, findings) if labels.exists() else ()
    note_other_splits(path, findings)
    if not findings.refused:
        _refuse_empty(files, (documents, queries, rows), findings, judged=judged)
    findings.check()  # before matching: what could not be read would dangle as well
    sound = _matched(rows, labels, documents, queries, findings)
    stages = read_stages(path, queries, findings)
    told = guidelines(path, findings)
    refuse_contradictions(
        sound, {key: query for key, (query, _) in queries.items()}, labels, findings
    )
    useful = any(row.grade > 0 for row in sound)
    if judged and not useful and not findings.refused:
        findings.refuse(labels, 0, f"{_USELESS}: none to find")
    findings.check()
    judgements = _by_query(sound, queries)
    said = f"{_USELESS}: searched, and right for no query"
    bare = Finding(file=str(labels), line=0, message=said)
    return SourceFolder(
        name=name or source_names([path])[0],
        path=path,
        documents=tuple(document for document, _ in documents.values()),
        queries=tuple(query for query, _ in queries.values()),
        judgements=judgements,
        unjudged=tuple(query for query in queries if query not in judgements),
        findings=findings.tolerated() if useful else (*findings.tolerated(), bare),
        fingerprint=_fingerprint(
            {key: line for key, (_, line) in documents.items()},
            {key: line for key, (_, line) in queries.items()},
            sound,
            stages,
        ),
        stages=stages,
        guidelines=told,
    )


def qrels_file(path: Path) -> Path:
    """The file of a folder's judgements: the first there is, of the names they have."""
    labels = [path / "qrels.tsv", path / "qrels" / "test.tsv", *sorted(path.glob("qrels/*.tsv"))]
    return next((file for file in labels if file.exists()), labels[0])


def note_other_splits(path: Path, findings: Findings) -> None:
    """Public sets come in parts (train, dev, test); one is read, and the others are named."""
    read = qrels_file(path)
    for other in sorted(path.glob("qrels/*.tsv")):
        if other != read:
            kind = "judgements in other files, not read (import each by itself)"
            findings.count(kind, read, 0, str(other.relative_to(path)))


def guidelines(path: Path, findings: Findings) -> str:
    """What the judges of a folder are told, empty where nothing is."""
    file = path / GUIDELINES
    lines = numbered_lines(file, findings, whole=True) if file.exists() else ()
    return "".join(text for _, text in lines)


def refuse_contradictions(
    rows: Iterable[Judgement], queries: Mapping[str, Query], labels: Path, findings: Findings
) -> None:
    """A document that is right where nothing is."""
    for row in rows:
        if row.grade > 0 and row.query in queries and queries[row.query].nothing:
            said = f"grades a document of {quoted(row.query)}, for which nothing is right"
            findings.refuse(labels, row.line, f"{said}: take one of the labels back")


def _files(path: Path, findings: Findings, *, judged: bool) -> tuple[Path, Path, Path]:
    if not path.is_dir():
        said = "is not a folder" if path.exists() else "is not there"
        findings.refuse(path, 0, f"{said}: {LAYOUT}")
        findings.check()
    files = (path / "corpus.jsonl", path / "queries.jsonl", qrels_file(path))
    for file in files if judged else files[:1]:
        if not file.exists():
            findings.refuse(file, 0, f"is missing: {LAYOUT}")
    findings.check()
    return files


def _refuse_empty(
    files: tuple[Path, Path, Path],
    found: tuple[Sized, Sized, Sized],
    findings: Findings,
    *,
    judged: bool,
) -> None:
    """What must hold something: all three, or the documents and what a misnamed file would leave.

    Judgements without a query, and queries beside no file of judgements, are no choice of anyone's.
    """
    corpus, asked, labels = files
    _, queries, rows = found
    needed = {corpus, asked, labels} if judged else {corpus}
    if rows:
        needed.add(asked)
    if queries and not labels.exists():
        needed.add(labels)
    for file, content in zip(files, found, strict=True):
        if file in needed and not content:
            findings.refuse(file, 0, f"is {'empty' if file.exists() else 'missing'}: {LAYOUT}")


def _matched(
    rows: Collection[Judgement],
    labels: Path,
    documents: Collection[str],
    queries: Collection[str],
    findings: Findings,
) -> list[Judgement]:
    """The judgements that name both a query and a document; the others are counted."""
    sound = []
    for row in rows:
        if row.query not in queries:
            kind, key = "judgement of an unknown query, left out", row.query
        elif row.document not in documents:
            kind, key = "judgement of an unknown document, left out", row.document
        else:
            sound.append(row)
            continue
        findings.count(kind, labels, row.line, quoted(key))
    if rows and not sound:
        ids = f"{quoted(next(iter(queries)))}, {quoted(next(iter(documents)))}"
        findings.refuse(labels, 0, f"every judgement dangles: write ids as the files do ({ids})")
    return sound


def _by_query(rows: Iterable[Judgement], queries: Iterable[str]) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for row in rows:
        found.setdefault(row.query, {})[row.document] = row.grade
    return {query: found[query] for query in queries if query in found}


def _fingerprint(
    documents: Mapping[str, bytes],
    queries: Mapping[str, bytes],
    rows: Iterable[Judgement],
    stages: Stages,
) -> str:
    """SHA-256 over sorted documents, queries and sound judgements, each length before content.

    Labels of sources and plans follow where there are any, so that a folder without keeps its own.
    """
    marks = sorted(json.dumps([row.query, row.document, row.grade]).encode() for row in rows)
    digest = hashlib.sha256(b"esra labelled folder 1")
    further = stages.marks() if stages.sources or stages.plans else ()
    for part in (_sorted(documents), _sorted(queries), marks, *further):
        digest.update(b"\n%d\n" % len(part))
        for content in part:
            digest.update(b"%d:" % len(content) + content)
    return digest.hexdigest()


def _sorted(lines: Mapping[str, bytes]) -> list[bytes]:
    return [lines[key] for key in sorted(lines)]
