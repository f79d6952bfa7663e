"""Several labelled folders as one federation: each a source, their queries joined.

Queries of equal id and equal text are one, and their judgements come together. Equal ids of
different texts are different queries: each gets its source's name in front, as ``source/id``. A
folder that judges another one's query has it under the id of the federation: it is that very query.
A source in which nothing is relevant is welcome, as long as something is in another one.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from eval.dataset.errors import DatasetError
from eval.dataset.folder import load_folder
from eval.dataset.names import source_names
from eval.dataset.records import Query, SourceFolder
from eval.dataset.stages import NONE, Stages, joined
from eval.evidence import normal_form
from eval.formats.findings import Finding, Findings, FormatError, quoted


@dataclass(frozen=True, slots=True, kw_only=True)
class Federation:
    """Sources in the order given; ``judgements[query][(source, document key)]`` is a grade.

    ``unjudged`` are the queries that no folder judges. ``own[source][query]`` is the id that a
    source's folder has for a query that it asks. ``findings`` counts what was tolerated, the
    folders' own and what joining them showed. ``fingerprint`` changes with any source's content.
    """

    sources: tuple[SourceFolder, ...]
    queries: tuple[Query, ...]
    judgements: Mapping[str, Mapping[tuple[str, str], int]]
    unjudged: tuple[str, ...]
    findings: tuple[Finding, ...]
    fingerprint: str
    stages: Stages = NONE
    own: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @property
    def right_sources(self) -> dict[str, frozenset[str]]:
        """The right sources of every query that has a label: as labelled, else as judged.

        Judged right is a source that holds a relevant document. Where nothing is right the set is
        empty; a query that nobody judged is absent.
        """
        found: dict[str, frozenset[str]] = {}
        for query in self.queries:
            given: Mapping[str, int] = self.stages.sources.get(query.id, {})
            if not given:
                grades = self.judgements.get(query.id, {})
                given = {source: 1 for (source, _), grade in grades.items() if grade > 0}
            if given or query.nothing or query.id in self.judgements:
                right = () if query.nothing else (name for name in given if given[name] > 0)
                found[query.id] = frozenset(right)
        return found


def load_federation(paths: Iterable[Path]) -> Federation:
    """Reads and joins folders. Raises DatasetError with the errors of all of them."""
    folders = [Path(path) for path in paths]
    findings = Findings(DatasetError)
    _given_once(folders, findings)
    sources = []
    for path, name in zip(folders, source_names(folders), strict=True):
        try:
            # A folder alone must hold what is to be found; beside others it may be what is not.
            sources.append(load_folder(path, name, judged=len(folders) == 1))
        except FormatError as error:
            findings.absorb(error)
    if not findings.refused:
        _relevant_somewhere(sources, findings)
    findings.check()
    ids = _joined_ids(sources)
    queries = _joined_queries(sources, ids, findings)
    judgements = _joined_judgements(sources, ids)
    _refuse_contradictions(queries, judgements, sources, findings)
    findings.check()
    return Federation(
        sources=tuple(sources),
        queries=queries,
        judgements=judgements,
        unjudged=tuple(query.id for query in queries if query.id not in judgements),
        findings=(*(one for own in sources for one in own.findings), *findings.tolerated()),
        fingerprint=_fingerprint(sources),
        stages=joined((own.stages, _own_ids(own, ids)) for own in sources),
        own={
            source.name: {id: own for own, id in _own_ids(source, ids).items()}
            for source in sources
        },
    )


def _own_ids(source: SourceFolder, ids: Mapping[tuple[str, str], str]) -> dict[str, str]:
    return {query.id: ids[query.id, query.text] for query in source.queries}


def _refuse_contradictions(
    queries: Iterable[Query],
    judgements: Mapping[str, Mapping[tuple[str, str], int]],
    sources: Sequence[SourceFolder],
    findings: Findings,
) -> None:
    """Nothing is right means in no source; a folder cannot know what another one holds."""
    paths = {source.name: source.path for source in sources}
    for query in queries:
        grades = judgements.get(query.id, {}) if query.nothing else {}
        right = next((source for (source, _), grade in grades.items() if grade > 0), None)
        if right is not None:
            said = f"holds a right document of {quoted(query.id)}, for which nothing is right"
            findings.refuse(paths[right], 0, f"{said}: take one of the labels back")


def _given_once(folders: Sequence[Path], findings: Findings) -> None:
    if not folders:
        raise DatasetError([Finding(file="--data", line=0, message="name at least one folder")])
    seen: set[str] = set()
    for path in folders:
        real = os.path.realpath(path)
        if real in seen:
            findings.refuse(path, 0, "is given twice: a folder is one source")
        seen.add(real)
    findings.check()


def _relevant_somewhere(sources: Sequence[SourceFolder], findings: Findings) -> None:
    grades = (own.values() for source in sources for own in source.judgements.values())
    if not any(grade > 0 for own in grades for grade in own):
        said = "neither this folder nor another one names a relevant document (grade 1 or more)"
        findings.refuse(sources[0].path, 0, f"{said}: add judgements to one of them")


def _joined_ids(sources: Sequence[SourceFolder]) -> dict[tuple[str, str], str]:
    """The id in the federation of every query, by its own id and text.

    It depends on neither the order of the folders nor that of their lines.
    """
    texts: dict[str, set[str]] = {}
    askers: dict[tuple[str, str], set[str]] = {}
    for source in sources:
        for query in source.queries:
            texts.setdefault(query.id, set()).add(query.text)
            askers.setdefault((query.id, query.text), set()).add(source.name)
    ids: dict[tuple[str, str], str] = {}
    taken: set[str] = set()
    for (own, text), names in sorted(askers.items()):
        front = min(names)
        id = own if len(texts[own]) == 1 else f"{front}/{own}"
        while id != own and (id in texts or id in taken):  # another query may have that very id
            if texts.get(id) == {text} and names.isdisjoint(askers[id, text]):
                break  # it is this one, in a folder that judges another's query
            id = f"{front}/{id}"
        ids[own, text] = id
        taken.add(id)
    return ids


def _joined_queries(
    sources: Sequence[SourceFolder], ids: Mapping[tuple[str, str], str], findings: Findings
) -> tuple[Query, ...]:
    queries: dict[str, Query] = {}
    asking: dict[str, tuple[int, bool]] = {}  # how sure it is that the first of its sources asks it
    for source in sources:
        for query in source.queries:
            id = ids[query.id, query.text]
            sure = (_said(query), query.id != id)
            known = queries.get(id)
            if known is None:
                queries[id], asking[id] = replace(query, id=id, sources=(source.name,)), sure
                continue
            _compare(known, query, source, findings)
            names = [(*known.sources, source.name), (source.name, *known.sources)]
            queries[id] = replace(
                query if sure > asking[id] else known,
                id=id,
                need=known.need or query.need,
                sources=names[sure > asking[id]],
                nothing=known.nothing or query.nothing,
                timely=known.timely or query.timely,
            )
            asking[id] = max(sure, asking[id])
    return tuple(queries.values())


def _joined_judgements(
    sources: Sequence[SourceFolder], ids: Mapping[tuple[str, str], str]
) -> dict[str, dict[tuple[str, str], int]]:
    judgements: dict[str, dict[tuple[str, str], int]] = {}
    for source in sources:
        for query in source.queries:
            for key, grade in source.judgements.get(query.id, {}).items():
                grades = judgements.setdefault(ids[query.id, query.text], {})
                grades[source.name, key] = grade
    return judgements


def _said(query: Query) -> int:
    """How much a line says of its question beside its words: a folder that judges another one's
    query says less than that one, and decides neither its group nor its date.
    """
    derived = (query.id, *map(normal_form, (query.need, query.text)))
    if query.date or query.tags or query.track or query.extra or query.group not in derived:
        return 2
    return int(bool(query.need))


def _compare(known: Query, query: Query, source: SourceFolder, findings: Findings) -> None:
    same = (known.group, known.date) == (query.group, query.date)
    if not same and _said(known) == _said(query):
        kind = f"query with another group or date than in {known.sources[0]}, which is kept"
        findings.count(kind, source.path / "queries.jsonl", 0, quoted(query.id))


def _fingerprint(sources: Iterable[SourceFolder]) -> str:
    digest = hashlib.sha256(b"esra federation 1")
    for name, own in sorted((source.name, source.fingerprint) for source in sources):
        digest.update(f"\n{name} {own}".encode())
    return digest.hexdigest()
