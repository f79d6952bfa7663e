"""A gain that rests on what somebody happened to judge is told from one of ranking."""

import json
from dataclasses import replace

import pytest

from eval import bulk, report
from eval.evidence import Ledger
from eval.table import pair, tabulate
from eval.tune.judged import Judged, shares
from eval.tune.runs import case_of_runs
from eval.tune.verdict import reach
from tests.replay.random_traces import random_trace


def runs(folder, queries=80):
    """Ten judged documents that words find, of which one is right, and ten that meaning finds and
    nobody looked at.
    """
    lexical, meaning, qrels = [], [], []
    for q in range(queries):
        for n in range(10):
            lexical.append(f"q{q} Q0 word{n} 0 {20 - n / 100} lex")
            lexical.append(f"q{q} Q0 sense{n} 0 {10 - n / 100} lex")
            meaning += [f"q{q} Q0 word{n} 0 0.1 sem", f"q{q} Q0 sense{n} 0 0.9 sem"]
            qrels.append(f"q{q} 0 word{n} {int(n == q % 3)}")
    paths = [folder / name for name in ("lexical.run", "semantic.run", "judged.qrels")]
    for path, lines in zip(paths, (lexical, meaning, qrels), strict=True):
        path.write_text("\n".join(lines) + "\n")
    return paths


@pytest.mark.req("W23")
def test_a_setting_that_shows_what_was_judged_is_no_better_for_that(tmp_path):
    """Labels pooled from a search by words would "prove" that words are better, and nobody would
    see that of the other arm not one result was ever looked at.
    """
    case = case_of_runs("x", *runs(tmp_path), k=10, explore=False)
    verdict = reach(case, Ledger(tmp_path / "ledger"), tmp_path / "tuned", tmp_path / "c.json")
    assert verdict.decision.promoted
    # Words and meaning part at a share of 5/9: today's .7 shows the one ten, any below the other.
    assert verdict.judged == Judged(k=10, today=0.0, setting=1.0)
    said = "judged@10 is 0.000 today and 1.000 under the chosen setting"
    assert said in report.text(verdict)
    assert any(note.startswith(said) for note in verdict.as_json()["notes"])
    evidence = json.loads(verdict.config.read_text())["evidence"]
    assert evidence["judged"] == {"k": 10, "today": 0.0, "setting": 1.0}


@pytest.mark.parametrize(("setting", "notes"), [(0.84, 0), (0.86, 1), (0.76, 0), (0.74, 1)])
def test_a_twentieth_apart_is_the_border(setting, notes):
    """A note beside every report is read by nobody."""
    assert len(Judged(k=10, today=0.8, setting=setting).notes) == notes


def test_shares_in_bulk_are_those_of_single_rankings():
    """judged@k of a number beside the share would be of another list than the one it shows."""
    traces = [replace(random_trace(seed), query=f"q{seed}") for seed in range(20)]
    numbers = traces[0].numbers
    traces = [replace(one, numbers=numbers) for one in traces]
    judgements = {
        one.query: {pair(id): 1 for id, _ in one.ranking[::3]} for one in traces if one.ranking
    }
    laid = bulk.lay_out(traces)
    found = shares(laid, judgements, bulk.order(laid, numbers), 10)
    table = tabulate(
        traces,
        judgements,
        [0],
        weights=lambda share: (numbers.semantic_weight, numbers.lexical_weight),
    )
    assert len(table.queries) > 10
    expected = dict(zip(table.queries, table.judged[:, 0].tolist(), strict=True))
    got = dict(zip(laid.queries, found.tolist(), strict=True))
    assert {query: got[query] for query in expected} == pytest.approx(expected, abs=1e-15)
    assert len(set(expected.values())) > 3
