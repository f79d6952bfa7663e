"""Promotion through `tune --runs`: a planted gain, no gain, and the same asked twice."""

import json
import random
from pathlib import Path

import pytest

from eval.tune.cli import main
from tests.tune.planted_runs import DOCUMENTS, write


def tune(capsys, monkeypatch, home: Path, *words: str) -> dict:
    monkeypatch.setenv("ESRA_HOME", str(home))
    assert main([*words, "--json", "--quiet"]) == 0
    (capability,) = json.loads(capsys.readouterr().out)["capabilities"]
    return capability


@pytest.mark.req("U09", "U12")
def test_a_planted_gain_of_twice_the_smallest_detectable_is_promoted_once(
    tmp_path, capsys, monkeypatch
):
    """Else real gains would be missed, or asking again would be another try."""
    words = write(tmp_path, signal=1.5, seed=1)
    first = tune(capsys, monkeypatch, tmp_path / "home", *words)
    gain = first["sealed"]["after"] - first["sealed"]["before"]
    assert gain >= 2 * first["smallest_detectable"]
    assert first["promoted"]
    assert first["setting"] < 0.5
    assert Path(first["config"]).parent.name == "promoted"

    ledger = tmp_path / "home" / "runs" / "openings.jsonl"
    before = ledger.read_bytes()
    second = tune(capsys, monkeypatch, tmp_path / "home", *words)
    assert ledger.read_bytes() == before
    assert second.pop("why").endswith(first.pop("why"))
    assert second == first


@pytest.mark.parametrize("seed", range(3))
def test_a_set_without_a_gain_is_not_promoted_and_exits_0(tmp_path, capsys, monkeypatch, seed):
    """Else noise would be promoted."""
    words = write(tmp_path, signal=0.0, seed=seed)
    verdict = tune(capsys, monkeypatch, tmp_path / "home", *words)
    assert not verdict["promoted"]
    assert Path(verdict["config"]).name == "candidate.json"
    assert verdict["why"]


def test_another_candidate_is_the_next_opening_at_half_the_level(tmp_path, capsys, monkeypatch):
    """Else trying measures until one passes would cost nothing (RULINGS 40)."""
    words = write(tmp_path, signal=1.5, seed=1)
    home = tmp_path / "home"
    first = tune(capsys, monkeypatch, home, *words)
    second = tune(capsys, monkeypatch, home, *words, "--k", "5")
    assert (first["sealed"]["opening"], second["sealed"]["opening"]) == (1, 2)
    assert second["sealed"]["level"] == first["sealed"]["level"] / 2


def test_the_same_numbers_on_another_recording_are_the_next_opening(tmp_path, capsys, monkeypatch):
    """Else one run's verdict would vouch for another run."""
    words = write(tmp_path, signal=1.5, seed=1)
    home = tmp_path / "home"
    first = tune(capsys, monkeypatch, home, *words)
    r, lexical = random.Random(7), Path(words[1])
    rows = [line.split() for line in lexical.read_text().splitlines()]
    lexical.write_text(
        "".join(f"{' '.join(row[:4])} {float(row[4]) + r.gauss(0, 0.2):.6f} lex\n" for row in rows)
    )
    second = tune(capsys, monkeypatch, home, *words)
    assert (first["sealed"]["opening"], second["sealed"]["opening"]) == (1, 2)
    assert "shown before" not in second["why"]


def test_json_is_one_document_and_the_report_tells_the_same(tmp_path, capsys, monkeypatch):
    """Else a script and a person would read two results."""
    words = write(tmp_path, signal=1.5, seed=1)
    found = tune(capsys, monkeypatch, tmp_path / "home", *words)
    assert main([*words]) == 0
    told = capsys.readouterr()
    assert f"{found['before']:.4f}" in told.out
    assert f"{found['after']:.4f}" in told.out
    assert "32-bit scores, ties by id descending" in told.out
    assert "semantic scores used as they are" in told.out
    folder = Path(found["config"]).parents[1]
    assert (folder / "curve.png").read_bytes()[:4] == b"\x89PNG"


def test_a_ledger_that_lost_its_tail_stops_the_next_opening(tmp_path, capsys, monkeypatch):
    """Else cutting the ledger would give every candidate the full level again."""
    words = write(tmp_path, signal=1.5, seed=1)
    home = tmp_path / "home"
    tune(capsys, monkeypatch, home, *words)
    (home / "runs" / "openings.jsonl").write_text("")
    assert main([*words, "--quiet"]) == 3
    assert "is missing" in capsys.readouterr().err


def test_one_query_is_told_what_it_cannot_show(tmp_path, capsys, monkeypatch):
    """Else the first try of a curious person would end in a traceback."""
    words = write(tmp_path, signal=1.5, seed=1)
    qrels = Path(words[-1])
    one = [
        line for line in qrels.read_text().splitlines() if line.startswith(("query-id", "need0\t"))
    ]
    qrels.write_text("\n".join(one) + "\n")
    found = tune(capsys, monkeypatch, tmp_path / "home", *words)
    assert (found["queries"], found["promoted"]) == (1, False)
    assert found["estimate"]["interval"] is None


@pytest.mark.req("W40")
@pytest.mark.parametrize(("queries", "says"), [(40, "on all 40 groups, none of them sealed"),
                                               (240, "on the sealed part")])  # fmt: skip
def test_what_can_be_detected_is_stated_of_what_there_is(
    tmp_path, capsys, monkeypatch, queries, says
):
    """A person with too few queries would be told what a sealed part shows that he has not got."""
    words = write(tmp_path, signal=1.5, seed=1)
    table = tmp_path / "q.tsv"
    kept = table.read_text().splitlines()[: 1 + queries * DOCUMENTS]
    table.write_text("\n".join(kept) + "\n")
    monkeypatch.setenv("ESRA_HOME", str(tmp_path / "home"))
    assert main([*words, "--explore", "--quiet"]) == 0
    assert f"smallest detectable {says}, of the median setting: " in capsys.readouterr().out
