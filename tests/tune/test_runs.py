"""Tuning from two TREC runs, against an independent evaluation of every blended run."""

import random
from pathlib import Path

import ir_measures
import pytest

from eval.evidence import Ledger
from eval.table import tabulate
from eval.tune.runs import UnrelatedRuns, case_of_runs, min_max
from eval.tune.verdict import reach


def write(folder: Path, *, queries=12, seed=0, semantic=lambda r: r.random(), ties=False):
    """Three files; documents d0..d39, the semantic run holding two thirds and two of its own."""
    r = random.Random(seed)
    lexical, meaning, qrels = [], [], []
    for q in range(queries):
        for d in r.sample(range(40), 25):
            score = r.randint(1, 4) if ties else r.uniform(0, 30)
            lexical.append(f"q{q} Q0 d{d} 0 {score} lex")
            if r.random() < 0.66:
                meaning.append(f"q{q} Q0 d{d} 0 {semantic(r)} sem")
        meaning += [f"q{q} Q0 only{n} 0 {semantic(r)} sem" for n in range(2)]
        qrels += [f"q{q}\td{d}\t{r.choice([0, 1, 2])}" for d in r.sample(range(40), 15)]
        qrels.append(f"q{q}\td99\t1")
    paths = [folder / name for name in ("lexical.run", "semantic.run", "q.tsv")]
    paths[0].write_text("\n".join(lexical) + "\n")
    paths[1].write_text("\n".join(meaning) + "\n")
    paths[2].write_text("query-id\tcorpus-id\tscore\n" + "\n".join(qrels) + "\n")
    return paths


def read(path: Path) -> dict[str, dict[str, float]]:
    scores: dict[str, dict[str, float]] = {}
    for line in path.read_text().splitlines():
        query, _, document, _, score, _ = line.split()
        scores.setdefault(query, {})[document] = float(score)
    return scores


def reference(lexical: Path, semantic: Path, qrels: Path, share: float) -> dict[str, float]:
    """nDCG@10 of the blend by ir_measures: omitted documents far below every scored one."""
    run, meaning = read(lexical), read(semantic)
    blended = {}
    for query, scores in run.items():
        low, high = min(scores.values()), max(scores.values())
        for document, score in scores.items():
            weighted = (score - low) / (high - low)
            given = meaning.get(query, {}).get(document)
            final = weighted - 10 if given is None else share * given + (1 - share) * weighted
            blended.setdefault(query, {})[document] = final
    rows = [line.split("\t") for line in qrels.read_text().splitlines()[1:]]
    judged = [ir_measures.Qrel(q, d, int(grade)) for q, d, grade in rows]
    measured = ir_measures.iter_calc([ir_measures.nDCG @ 10], judged, blended)
    return {metric.query_id: metric.value for metric in measured}


@pytest.mark.req("U09")
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("share", [0, 300, 700, 1000])
def test_every_point_of_the_curve_is_the_reference_figure_of_that_blend(tmp_path, share, ties):
    """Else the curve would be of something other than the two runs."""
    paths = write(tmp_path, ties=ties)
    case = case_of_runs("x", *paths, k=10, explore=True)
    table = tabulate(case.recordings, case.judgements, [share], single=True)
    expected = reference(*paths, share / 1000)
    assert len(expected) == 12
    got = dict(zip(table.queries, table.values[:, 0].tolist(), strict=True))
    assert got == pytest.approx(expected, abs=1e-9)


def test_scores_outside_0_1_are_scaled_per_query_and_said_so(tmp_path):
    """Else one run's unit would decide the blend without a word."""
    paths = write(tmp_path, semantic=lambda r: r.uniform(-5, 5))
    notes = case_of_runs("x", *paths, k=10, explore=True).notes
    assert notes[0] == "semantic scores outside 0..1: min-max per query"
    assert notes[1] == "24 documents only in the semantic run: left out"
    assert min_max({"a": -5.0, "b": 5.0, "c": 0.0}) == {"a": 0.0, "b": 1.0, "c": 0.5}
    inside = case_of_runs("x", *write(tmp_path), k=10, explore=True).notes
    assert inside[0] == "semantic scores used as they are (all lie in 0..1)"


def test_of_nothing_left_out_nothing_is_said(tmp_path):
    """A note of none reads as if something were amiss."""
    _, semantic, qrels = write(tmp_path)
    notes = case_of_runs("x", semantic, semantic, qrels, k=10, explore=True).notes
    assert not any("left out" in note for note in notes)


def test_a_judged_query_without_results_counts_nothing_and_is_listed(tmp_path):
    """Else leaving out the hard queries would raise the mean (B05)."""
    paths = write(tmp_path)
    with paths[2].open("a") as file:
        file.write("lost\td1\t1\n")
    case = case_of_runs("x", *paths, k=10, explore=True)
    table = tabulate(case.recordings, case.judgements, [700], single=True)
    assert table.empty == ("lost",)
    assert table.values[table.queries.index("lost"), 0] == 0.0


@pytest.mark.parametrize("foreign", ["lexical.run", "semantic.run"])
def test_a_run_that_shares_no_query_is_refused_and_not_scored_0(tmp_path, foreign):
    """Else a mistyped file would look like a bad system (W42)."""
    paths = write(tmp_path)
    file = tmp_path / foreign
    file.write_text(file.read_text().replace("q", "other"))
    with pytest.raises(UnrelatedRuns, match=foreign):
        case_of_runs("x", *paths, k=10, explore=True)


def test_few_groups_give_curve_and_advice_and_the_same_verdict_twice(tmp_path):
    """Else a set of twelve queries could be promoted, or answer differently when asked again."""
    paths = write(tmp_path)
    ledger = Ledger(tmp_path / "openings.jsonl")
    case = case_of_runs("x", *paths, k=10, explore=False)
    out = [
        reach(case, ledger, tmp_path / "promoted", tmp_path / "candidate.json").as_json()
        for _ in range(2)
    ]
    assert out[0] == out[1]
    assert (out[0]["promoted"], out[0]["sealed"]) == (False, None)
    assert "12 groups" in out[0]["why"]
    assert ledger.head is None
    assert (tmp_path / "candidate.json").exists()
