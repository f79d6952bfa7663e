"""Tuning from two TREC runs: no database, no model, no pipeline needed to start.

The lexical run is one source's native scores; the semantic run is used as it is when all its
scores lie in 0..1, else min-max per query. A document only in the lexical run was omitted by the
model; one only in the semantic run is left out and counted.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path

from esra import scoring
from esra.domain.capability import Scoring
from esra.domain.hit import Answer, Given, NativeHit, Omitted, RecordId
from esra.domain.plan import Strategy
from eval.evidence import normal_form
from eval.formats.trec import Run, read_qrels, read_run
from eval.replay import Recorded
from eval.tune.verdict import Case

SOURCE, RELATION = "lexical", "run"
TODAY = 700


class UnrelatedRuns(ValueError):
    """A run and the judgements have no query in common: nothing was run, so nothing is 0."""


def case_of_runs(
    name: str, lexical: Path, semantic: Path, qrels: Path, *, k: int, explore: bool
) -> Case:
    """The tuning case of two runs and their judgements. Raises the readers' own errors."""
    first, second, labels = read_run(lexical), read_run(semantic), read_qrels(qrels)
    for path, run in ((lexical, first), (semantic, second)):
        if not run.scores.keys() & labels.judgements.keys():
            raise UnrelatedRuns(f"{path}: shares no query with {qrels}; are the ids the same?")
    as_is = all(0 <= score <= 1 for scores in second.scores.values() for score in scores.values())
    recordings, alone = [], 0
    for query in sorted(labels.judgements):
        given = second.scores.get(query, {})
        found = first.scores.get(query, {})
        alone += len(given.keys() - found.keys())
        recordings.append(_recorded(query, found, given if as_is else min_max(given)))
    notes = (
        "semantic scores used as they are (all lie in 0..1)"
        if as_is
        else "semantic scores outside 0..1: min-max per query",
        *([f"{alone} documents only in the semantic run: left out"] if alone else []),
        *_strangers(first, second, labels.judgements),
        *(str(f) for f in (*first.findings, *second.findings, *labels.findings)),
    )
    data = _digest(qrels)
    return Case(
        capability=name,
        recordings=recordings,
        judgements={
            query: {(SOURCE, key): grade for key, grade in grades.items()}
            for query, grades in labels.judgements.items()
        },
        groups={query: need_of(query, grades) for query, grades in labels.judgements.items()},
        strata={},
        today=TODAY,
        models={"select": "", "plan": "", "rerank": f"run {second.tag}"},
        data=data,
        recording=hashlib.sha256((_digest(lexical) + _digest(semantic)).encode()).hexdigest(),
        explore=explore,
        notes=notes,
        k=k,
        single=True,
    )


def _recorded(query: str, found: Mapping[str, float], given: Mapping[str, float]) -> Recorded:
    # trec_eval breaks ties by id, descending: the place in that order is the tie field.
    place = {key: float(i) for i, key in enumerate(sorted(found, reverse=True))}
    ids = {key: RecordId(SOURCE, RELATION, key) for key in found}
    hits = tuple(
        NativeHit(id=ids[key], native=score, title="", fragment="", tie=(place[key],))
        for key, score in found.items()
    )
    return Recorded(
        query=query,
        now=0.0,
        numbers=Scoring(shortlist=max(1, len(hits))),
        answers=(Answer(source=SOURCE, query=0, strategy=Strategy.KEYWORD, result=hits),),
        semantic={
            id: Given(value=given[key]) if key in given else Omitted() for key, id in ids.items()
        },
        asked=tuple(ids.values()),
        ranking=(),
        evidence={},
        reranked=True,
    )


def need_of(query: str, grades: Mapping[str, int]) -> str:
    """What stands for a query's need where its text is not known: its id and a right document.

    Ids alone would make one lineage of every collection whose topics count from 1.
    """
    right = min((key for key, grade in grades.items() if grade > 0), default="")
    return normal_form(f"{query} {right}")


def min_max(scores: Mapping[str, float]) -> dict[str, float]:
    """The scores of one query in 0..1, by the pipeline's own normalisation."""
    if not scores:
        return {}
    values = list(scores.values())
    scaled = scoring.normalise(values, min(values), max(values)).tolist()
    return dict(zip(scores, scaled, strict=True))


def _strangers(first: Run, second: Run, judged: Mapping[str, object]) -> tuple[str, ...]:
    unlabelled = (first.scores.keys() | second.scores.keys()) - judged.keys()
    missing = judged.keys() - first.scores.keys()
    return (
        *(
            (f"{len(unlabelled)} queries of the runs have no judgement: left out",)
            * bool(unlabelled)
        ),
        *(
            (f"{len(missing)} judged queries are not in the lexical run: counted 0",)
            * bool(missing)
        ),
    )


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
