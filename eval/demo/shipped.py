"""Reads the demo trace and its judgements from ``datasets/demo``."""

from collections.abc import Mapping
from pathlib import Path

from eval import record
from eval.formats.qrels import read_qrels
from eval.replay import Recorded
from eval.table import Judgements
from eval.tune.verdict import Case

FOLDER = Path(__file__).resolve().parents[2] / "datasets" / "demo"
TRACES, QRELS, QUERIES = "traces.jsonl", "qrels.tsv", "queries.tsv"
NAME = "demo"
TODAY = 700  # thousandths, as everywhere where a share has to be exact

Loaded = tuple[list[Recorded], Judgements, Mapping[str, str]]


def load(folder: Path = FOLDER) -> Loaded:
    """(recordings, judgements, the group of each query)."""
    rows = (folder / QUERIES).read_text("utf-8").splitlines()[1:]
    groups = dict(row.split("\t") for row in rows)
    judgements = {
        query: {(source_of(key), key): grade for key, grade in grades.items()}
        for query, grades in read_qrels(folder / QRELS).judgements.items()
    }
    return record.read(folder / TRACES, frozenset(groups)), judgements, groups


def case(k: int = 10) -> Case:
    """The demo as a case that explores: nothing is opened on it, nothing promoted."""
    recordings, judgements, groups = load()
    return Case(
        capability=NAME,
        recordings=recordings,
        judgements=judgements,
        groups=groups,
        strata={query: next(iter(grades))[0] for query, grades in judgements.items()},
        today=TODAY,
        models={},
        data="",
        recording="",
        explore=True,
        k=k,
    )


def source_of(key: str) -> str:
    """The package a documented name belongs to, which is its source."""
    return key.partition(".")[0]
