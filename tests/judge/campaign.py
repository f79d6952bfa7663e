"""Hides the labels of a fully judged set and counts how many it takes to find its verdict again.

``python -m tests.judge.campaign SHARED RUNS DEPTH`` prints the share of runs in which the most
telling pairs need at most half of what random pairs need. Arms are plain TF-IDF variants, so that
the outcome of each comparison is a real one; runs draw set, arms and queries with a seed.
"""

import json
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from eval.judge.outlook import SURE, next_pairs, outlook
from eval.judge.pool import pool

SETS = ("cranfield", "cisi", "medline", "time")
BATCH = 20
REPEATS = 3  # random orders that each run is compared with


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    texts: tuple[str, ...]
    arms: dict[str, list[list[str]]]
    marks: list[dict[str, int]]
    names: tuple[str, ...]


def load(folder: Path) -> Labelled:
    """A folder with five TF-IDF rankings of every query that has a relevant document."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    documents = _lines(folder / "corpus.jsonl")
    marks: dict[str, dict[str, int]] = {}
    for line in (folder / "qrels.tsv").read_text("utf-8").splitlines()[1:]:
        query, key, grade = line.split("\t")
        marks.setdefault(query, {})[key] = max(0, int(grade))
    queries = [q for q in _lines(folder / "queries.jsonl") if any(marks.get(q["_id"], {}).values())]
    keys = [document["_id"] for document in documents]
    whole = [f"{d['title']} {d['text']}" for d in documents]
    heads = [d["title"] or d["text"][:120] for d in documents]
    english = {"stop_words": "english"}
    ways = {
        "text": (whole, {**english, "sublinear_tf": True}),
        "head": (heads, english),
        "raw": (whole, {}),
        "binary": (whole, {**english, "binary": True, "use_idf": False}),
        "letters": ([text[:500] for text in whole], {"analyzer": "char_wb", "ngram_range": (3, 4)}),
    }
    arms = {}
    for name, (texts, settings) in ways.items():
        vectors = TfidfVectorizer(**settings)
        documents_by_word = vectors.fit_transform(texts)
        score = (vectors.transform([q["text"] for q in queries]) @ documents_by_word.T).toarray()
        order = np.argsort(-score, axis=1, kind="stable")[:, :40]
        arms[name] = [[keys[place] for place in row] for row in order]
    return Labelled(
        texts=tuple(q["text"] for q in queries),
        arms=arms,
        marks=[marks[q["_id"]] for q in queries],
        names=tuple(q["_id"] for q in queries),
    )


def _lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


Told = list[tuple[int, str | None]]


def asked(first, second, marks, *, depth: int, rng: np.random.Generator | None) -> Told:
    """What is announced after so many judgements, until all are made; None while nothing is sure.

    ``rng`` None takes the most telling pairs, else pairs at random from the same pool.
    """
    found = pool(first, second, depth=depth)
    truth = np.array(
        [
            marks[query].get(document, 0)
            for query, document in map(found.pair, range(len(found.rank)))
        ],
        dtype=np.float64,
    )
    top = int(max(truth.max(initial=1), 1))
    grades = np.full(len(truth), np.nan)
    order = None if rng is None else rng.permutation(len(truth))
    told: Told = []
    while True:
        seen = outlook(found, grades, top=top)
        told.append((seen.judged, seen.verdict if seen.sure >= SURE else None))
        unknown = np.flatnonzero(np.isnan(grades))
        if not len(unknown):
            break
        if order is None:
            chosen = next_pairs(seen, BATCH) or unknown[:BATCH].tolist()
        else:
            chosen = order[seen.judged : seen.judged + BATCH].tolist()
        grades[chosen] = truth[chosen]
    return told


def needed(told: Told) -> tuple[int, str]:
    """(judgements until the announced verdict is the final one and stays so, that verdict)."""
    final, count = told[-1][1], told[-1][0]
    for judged, verdict in reversed(told):
        if verdict != final:
            break
        count = judged
    return count, str(final)


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """ratio: judgements needed over what random needs on average; right: whether the first verdict
    that was announced is that of full labels.
    """

    ratio: float
    verdict: str
    right: bool


def campaign(shared: Path, runs: int, depth: int, seed: int = 0) -> list[Run]:
    """Comparisons of random arms on random parts of the sets."""
    rng = np.random.default_rng(seed)
    sets = [load(shared / "data" / name) for name in SETS]
    found = []
    for number in range(runs):
        known = sets[number % len(sets)]
        names = list(known.arms)
        one, other = rng.choice(len(names), 2, replace=False)
        size = max(25, int(len(known.names) * rng.uniform(0.4, 1.0)))
        part = rng.permutation(len(known.names))[:size]
        first, second = (
            {known.names[q]: known.arms[names[arm]][q] for q in part} for arm in (one, other)
        )
        marks = {known.names[q]: known.marks[q] for q in part}
        told = asked(first, second, marks, depth=depth, rng=None)
        own, verdict = needed(told)
        dice = [np.random.default_rng([seed, number, n]) for n in range(REPEATS)]
        others = [needed(asked(first, second, marks, depth=depth, rng=die))[0] for die in dice]
        mean = float(np.mean(others))
        found.append(
            Run(
                ratio=own / mean if mean else float(own > 0),
                verdict=verdict,
                right=next(said for _, said in told if said) == verdict,
            )
        )
    return found


if __name__ == "__main__":
    shared, runs, depth = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    found = campaign(shared, runs, depth)
    values = np.array([run.ratio for run in found])
    decided = np.array([run.ratio for run in found if not run.verdict.startswith("no")])
    print(f"{runs} runs, lists of {depth}: at most half in {(values <= 0.5).mean():.3f}")
    print(f"  median {np.median(values):.3f}; of {len(decided)} with a difference "
          f"{(decided <= 0.5).mean():.3f}")  # fmt: skip
    right = np.array([run.right for run in found]).mean()
    print(f"  the first verdict announced is that of full labels in {right:.3f}")
