"""`tune` over several capabilities is one promotion with several claims."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from eval.evidence import Ledger, Outcome
from eval.evidence.family import family_of
from eval.tune.cli import main
from eval.tune.runs import case_of_runs
from eval.tune.verdict import reach, settle, weigh
from tests.tune import labelled
from tests.tune.commands import command
from tests.tune.planted_runs import write


@pytest.fixture(scope="module")
def cases(tmp_path_factory):
    """One set with a planted gain, and one whose gain is a matter of luck."""
    made = {}
    for name, signal in (("sure", 1.5), ("unsure", 0.6)):
        folder = tmp_path_factory.mktemp(name)
        words = write(folder, signal=signal, seed=1)
        qrels = Path(words[4])
        paths = [Path(words[1]), Path(words[2]), qrels]
        for path in paths:  # needs of their own, so that neither continues the other's lineage
            path.write_text(path.read_text().replace("need", f"{name} ".strip()))
        made[name] = case_of_runs(name, *paths, k=10, explore=False)
    return made


def places_of(folder, name):
    return folder / name / "promoted", folder / name / "candidate.json"


@pytest.mark.req("W38")
def test_what_falls_beside_the_others_is_written_nowhere(cases, tmp_path):
    """The run's own correction would be said, and the number put in force all the same."""
    ledger = Ledger(tmp_path / "openings.jsonl")
    family = family_of((name, case.recording) for name, case in cases.items())
    weighed = {
        name: weigh(case, ledger, *places_of(tmp_path, name), family=family)
        for name, case in cases.items()
    }
    assert not list(tmp_path.glob("*/promoted"))  # all are tested before any is written
    assert weighed["sure"].decision.promoted
    # As if the other's opening had come out at the edge.
    own = weighed["unsure"].decision
    edge = replace(
        own,
        outcome=Outcome.PROMOTED,
        opening=replace(
            weighed["sure"].decision.opening,
            inputs={"capability": "unsure", "family": family},
            verdict={**weighed["sure"].decision.opening.verdict, "p": 0.026},
        ),
    )
    fallen = settle(
        replace(weighed["unsure"], decision=edge), ledger, *places_of(tmp_path, "unsure")
    )
    assert fallen.decision.outcome is Outcome.FALLS_BESIDE_OTHERS
    assert fallen.config.name == "candidate.json"
    assert not (tmp_path / "unsure" / "promoted").exists()
    evidence = json.loads(fallen.config.read_text())["evidence"]
    assert (evidence["promoted"], evidence["beside"]["claims"]) == (False, 2)


@pytest.mark.req("W38")
def test_the_same_again_alone_shows_the_stored_verdict(cases, tmp_path):
    """Asking again would be another try, or another level."""
    ledger = Ledger(tmp_path / "openings.jsonl")
    family = family_of((name, case.recording) for name, case in cases.items())
    weighed = [
        weigh(case, ledger, *places_of(tmp_path, name), family=family)
        for name, case in cases.items()
    ]
    first = settle(weighed[0], ledger, *places_of(tmp_path, "sure"))
    assert first.decision.promoted
    assert first.decision.beside.claims == len(ledger.read().records)
    before = ledger.path.read_bytes()
    again = reach(cases["sure"], ledger, *places_of(tmp_path, "sure"))
    assert ledger.path.read_bytes() == before
    assert again.decision.beside == first.decision.beside
    assert again.why.endswith(first.why)
    assert "shown before" in again.why


def test_one_command_takes_several_capabilities(tmp_path):
    """Whoever has two would make two promotions of them, and pay for neither."""
    folders = [labelled.write(tmp_path / name) for name in ("one", "two")]
    words = ("eval", "tune", "--no-notebooks", "--json", "--explore", "--rerank", "none")
    pairs = ("--name", "one", "--data", str(folders[0]), "--name", "two", "--data", str(folders[1]))
    done = command(tmp_path / "home", *words, *pairs, "--queries", "4")
    found = json.loads(done.stdout)["capabilities"]
    assert [one["capability"] for one in found] == ["one", "two"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--name", "a", "--name", "b", "--data", "x"], "each its own"),
        (["--name", "a", "--data", "x", "--data", "y"], "--data needs --name"),
        (["--name", "a", "--name", "A", "--data", "x", "--data", "y"], "the tool esra_a"),
        (["--name", "a", "--name", "b", "--data", "x", "--data", "y", "--parameter", "bonus"],
         "one --name"),
    ],
)  # fmt: skip
def test_capabilities_that_do_not_pair_up_are_refused(capsys, monkeypatch, tmp_path, words, says):
    """One capability would be tuned on the other's labels."""
    monkeypatch.setenv("ESRA_HOME", str(tmp_path))
    assert main([*words, "--quiet"]) == 2
    assert says in capsys.readouterr().err
