"""What a claim is measured against is what the runtime serves, to the last bit."""

import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from eval import report, runfolder
from eval.evidence import Ledger
from eval.replay import echo, replay
from eval.table import pair
from eval.tune.verdict import reach, share_of
from tests.replay.random_traces import random_trace
from tests.tune.planted import case_of, run

WEIGHTS = (2.0, 1.0)  # as a catalog may say it: a share of .6666..., between two stops of a curve


@pytest.mark.parametrize(
    ("weights", "share"),
    [
        ((0.7, 0.3), 700),
        ((0.07, 0.03), 700),
        ((2.0, 1.0), Fraction(2000, 3)),
        ((0.6667, 0.3333), Fraction(6667, 10)),
        ((0.0, 1.0), 0),
    ],
)
def test_the_share_of_two_weights_by_hand(weights, share):
    """A share between two thousandths would be compared under its neighbour."""
    assert share_of(*weights) == share
    assert isinstance(share_of(*weights), type(share))


@pytest.fixture(scope="module")
def known():
    """120 traces under weights of 2 and 1; what they put first is right, and their second less."""
    numbers = replace(random_trace(0).numbers, semantic_weight=2.0, lexical_weight=1.0)
    numbers = replace(numbers, shortlist=200)
    traces = []
    for seed in range(120):
        one = replace(random_trace(seed), query=f"q{seed}", numbers=numbers)
        one = replace(one, asked=tuple(one.semantic), reranked=True)
        ranked = tuple((r.candidate.hit.id, r.final) for r in replay(one, numbers))
        traces.append(replace(one, ranking=ranked))
    judgements = {
        one.query: {pair(id): 2 - rank for rank, (id, _) in enumerate(one.ranking[:2])}
        for one in traces
    }
    return traces, judgements, numbers


def test_todays_column_is_the_runtimes_own_ranking(known, tmp_path):
    """Today would be given another figure than the catalog that serves it has earned."""
    traces, _, _ = known
    assert all(map(echo, traces))
    case = case_of(known, today=share_of(*WEIGHTS), explore=True)
    found = reach(case, Ledger(tmp_path / "l"), tmp_path / "promoted", tmp_path / "c.json")
    today = found.table.settings.index(Fraction(2000, 3))
    # The labels are this ranking's own, so that it and nothing less is perfect on every query.
    assert np.allclose(found.table.values[:, today], 1.0, rtol=0, atol=1e-12)
    assert len(found.table.settings) == 102


def test_a_thousandth_beside_is_another_ranking(known, tmp_path):
    """The test above would hold of a rounded share as well, and show nothing."""
    assert not all(
        [one.candidate.hit.id for one in replay(trace, replace(trace.numbers, semantic_weight=s,
                                                               lexical_weight=1 - s))]
        == [id for id, _ in trace.ranking]
        for trace in known[0]
        for s in (0.66, 0.67)
    )  # fmt: skip


def test_what_is_written_down_names_it_and_where_it_stays_it_is_kept(known, tmp_path):
    """A candidate would move the share by a rounding, or the document would hold no number."""
    case = case_of(known, today=share_of(*WEIGHTS), own=replace(known[2], match_bonus=0.5))
    found = reach(case, Ledger(tmp_path / "l"), tmp_path / "promoted", tmp_path / "c.json")
    assert found.decision.outcome.value == "today-stays"
    assert json.loads(json.dumps(found.as_json()))["today"] == pytest.approx(2 / 3, abs=1e-15)
    body = json.loads(found.config.read_text())
    # 2 and 1 in the ratio that a tuned file's bounds allow.
    assert body["tunables"]["semantic_weight"] == 1.0
    assert body["tunables"]["lexical_weight"] == 0.5
    assert body["evidence"]["against"]["lexical_weight"] == 0.5
    assert "today, semantic share 0.666667" in report.text(found)


def test_a_run_folder_that_is_read_back_has_the_same_share(known, tmp_path):
    """A notebook would draw another today than the report beside it."""
    case = case_of(known, today=Fraction(6667, 10))
    runfolder.write(tmp_path, case)
    (tmp_path / "traces.jsonl").write_text("")
    assert runfolder.read(tmp_path).today == Fraction(6667, 10)
    runfolder.write(tmp_path, case_of(known, today=700))
    assert isinstance(runfolder.read(tmp_path).today, int)


def test_a_named_number_starts_from_the_same_today(known, tmp_path):
    """`--parameter share` would measure its gain from a share that nobody serves."""
    case = case_of(known, today=share_of(*WEIGHTS), explore=True)
    found = run(case, ["share"], tmp_path)
    assert found.way.numbers(found.way.settings[found.way.today]) is known[2]
    assert found.decision.before == pytest.approx(1.0, abs=1e-12)
