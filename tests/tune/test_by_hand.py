"""A weight tried by hand in ``esra retrieve`` and the replay of the recording are one thing."""

import json
from dataclasses import replace

import pytest

from esra import scoring
from eval import record
from eval.replay import replay
from tests.tune import labelled
from tests.tune.commands import command, tune

QUESTION = "car repair"


@pytest.mark.req("U14", "W60")
def test_numbers_tuned_by_hand_are_those_of_the_replay(tmp_path):
    """An engineer would try a weight on one question and see another order than the curve is of."""
    folder, home = labelled.write(tmp_path / "things"), tmp_path / "home"
    tune(home, "things", folder, "--explore")
    (traces,) = (home / "runs" / "things").glob("*/traces.jsonl")
    (query,) = [
        row["_id"]
        for row in map(json.loads, (folder / "queries.jsonl").read_text().splitlines())
        if row["text"] == QUESTION
    ]
    (one,) = record.read(traces, frozenset([query]))
    titles = {
        row["_id"]: row["title"]
        for row in map(json.loads, (folder / "corpus.jsonl").read_text().splitlines())
    }
    for share in (0.7, 0.25, 0.0, 1.0):
        words = ("esra", "retrieve", "things", QUESTION, "--share", str(share), "--json")
        heard = json.loads(command(home, *words).stdout)
        semantic, lexical = scoring.weights_of(share)
        numbers = replace(one.numbers, semantic_weight=semantic, lexical_weight=lexical)
        expected = [(titles[r.candidate.hit.id.key], r.final) for r in replay(one, numbers)]
        shown = [(result["title"], result["score"]) for result in heard["results"]]
        assert shown == expected[: len(shown)], share
        assert len(shown) == 10
