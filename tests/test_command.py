"""Every command of the workbench fails in one way, and a program that reads stdout can tell."""

import argparse
import contextlib
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from esra.governance.places import catalog_file
from eval import __main__ as workbench
from eval.command import (
    CONFIG,
    FINDING,
    SOURCE,
    Done,
    Expected,
    amount,
    carried_out,
    catalog,
    count,
    ended,
    failed,
)
from eval.exchange import cli_export, cli_import
from eval.gate import cli as gate
from eval.judge import cli as judge
from eval.measure import cli as measure
from eval.promote import cli as promote
from eval.recording import cli as record
from eval.runs import cli as runs
from eval.tune import cli as tune
from tests.said import said

FAILING = [
    ("tune", tune.main, ["--name", "x"], 2),
    ("record", record.main, ["--name", "x", "--data", "/nowhere"], 3),
    ("measure", measure.main, ["/nowhere"], 3),
    ("gate", gate.main, ["--baseline", "none", "/nowhere"], 3),
    ("judge-next", judge.main, ["/nowhere"], 3),
    ("promote", promote.main, ["--output", "x"], 2),
    ("runs", runs.main, ["show", "nobody"], 3),
    ("import", cli_import.main, ["/nowhere", "--to", "/nowhere/else"], 3),
    ("export", cli_export.main, ["/nowhere", "--format", "trec", "-o", "/nowhere/else"], 3),
]


@pytest.mark.parametrize(
    ("name", "main", "words", "code"), FAILING, ids=lambda value: str(value)[:12]
)
def test_a_failure_is_one_document_and_one_line(name, main, words, code, tmp_path, monkeypatch):
    """A program would read an empty stdout, and a person a stack trace."""
    monkeypatch.setenv("ESRA_HOME", str(tmp_path))
    out, err = said(main, *words, "--json", code=code)
    document = json.loads(out)
    assert list(document) == ["error"]
    assert f"{name}: {document['error']['message']}" in err
    assert said(main, *words, code=code)[0] == ""


@pytest.mark.parametrize(
    ("main", "words"),
    [
        (tune.main, ["--k", "0"]),
        (record.main, ["--parallel", "x"]),
        (measure.main, []),
        (promote.main, ["--as", "wrong"]),
        (runs.main, ["nothing"]),
        (runs.main, ["show"]),
        (cli_export.main, ["/nowhere"]),
    ],
)
def test_a_command_line_that_is_wrong_is_one_document_too(main, words):
    """A program would read an empty stdout, and could tell its user nothing."""
    out, err = said(main, *words, "--json", code=2)
    assert json.loads(out)["error"]["message"] in err
    assert said(main, *words, code=2)[0] == ""


def test_an_error_tells_a_program_more_than_a_sentence(capsys):
    """`cannot_be_learned` is promised, and would have to be cut out of the message."""

    def run(arguments):
        raise Expected("a; b", cannot_be_learned=["a", "b"])

    asked = argparse.Namespace(json=True)
    assert carried_out("tune", asked, run, {Expected: FINDING}) == FINDING
    told = json.loads(capsys.readouterr().out)
    assert told == {"error": {"message": "a; b", "cannot_be_learned": ["a", "b"]}}


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        (["tune"], True),
        (["record", "--name", "x"], True),
        (["tune", "--runs", "a", "b", "--qrels", "c"], False),  # nothing is recorded
        (["calibrate"], False),
    ],
)
def test_an_interrupt_is_told_and_what_is_left_of_the_work(words, kept, monkeypatch, capsys):
    """Whoever stopped an hour of recording would think that it is lost, and not begin again."""

    def stopped(name):
        raise KeyboardInterrupt

    monkeypatch.setattr("importlib.import_module", stopped)
    assert workbench.main(words) == 130
    told = capsys.readouterr().err
    assert told.startswith(f"{words[0]}: interrupted")
    assert ("the same command goes on from there" in told) is kept
    assert told.count("\n") == 1


class Full(io.StringIO):
    def flush(self):
        raise OSError(28, "No space left on device")


@pytest.mark.parametrize("json", [True, False])
def test_a_full_stdout_is_told_in_one_line(json, monkeypatch, capsys):
    """A build whose disk is full would read a stack trace, or take half a document for whole."""
    done = Done(document={"name": "x"}, text="x", code=FINDING)
    monkeypatch.setattr("sys.stdout", Full())
    assert ended("gate", argparse.Namespace(json=json), done) == CONFIG
    assert capsys.readouterr().err == "gate: stdout: No space left on device\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_stdout_is_one_exit_code_of_the_whole_program(tmp_path):
    """Python answers 120 at its end for what it could not write, which none of the codes is."""
    words = [sys.executable, "-m", "eval", "runs", "list", "--json"]
    own = {**os.environ, "ESRA_HOME": str(tmp_path), "PYTHONUNBUFFERED": ""}
    with open("/dev/full", "w") as full:
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, env=own)
    assert (done.returncode, done.stderr) == (CONFIG, "runs: stdout: No space left on device\n")


@pytest.mark.parametrize(
    ("tell", "document"),
    [
        (lambda asked: ended("gate", asked, Done(document={"a": "Ä 𝄞"}, text="")), {"a": "Ä 𝄞"}),
        (lambda asked: failed("gate", asked, "Ä", CONFIG), {"error": {"message": "Ä"}}),
    ],
)
def test_a_document_is_whole_on_a_stdout_that_knows_no_umlauts(tell, document):
    """Python shows such a letter as \\xc4 there, which is no JSON."""
    plain = io.TextIOWrapper(io.BytesIO(), encoding="ascii", errors="backslashreplace")
    with contextlib.redirect_stdout(plain):
        tell(argparse.Namespace(json=True))
    plain.seek(0)
    assert json.load(plain) == document


@pytest.mark.parametrize("text", ["0", "-1", "x", "1.5", "", "²"])
def test_what_is_no_count_is_refused(text):
    """A budget of nothing would be spent."""
    with pytest.raises(Exception, match="whole number above 0"):
        count(text)


@pytest.mark.parametrize("text", ["-1", "x", "nan", "inf", ""])
def test_what_is_no_amount_is_refused(text):
    """A cap of infinity would cap nothing."""
    with pytest.raises(Exception, match="0 or more"):
        amount(text)


def test_a_catalog_is_a_file_or_the_name_of_one_kept(tmp_path, monkeypatch):
    """What the runtime is told by name would have to be looked for by hand for the workbench."""
    monkeypatch.setenv("ESRA_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    kept = catalog_file(tmp_path, "shop")
    kept.parent.mkdir(parents=True)
    kept.touch()
    own = tmp_path / "own.toml"
    own.touch()
    assert catalog("shop") == catalog("esra_shop") == kept
    assert catalog("own.toml") == own
    assert catalog("nothing.toml") == Path("nothing.toml")


def test_a_failure_on_a_full_stdout_keeps_its_code_and_its_reason(monkeypatch, capsys):
    """A traceback ends with 1: a disk that is full would be read as a loss that was found."""
    monkeypatch.setattr("sys.stdout", Full())
    assert failed("gate", argparse.Namespace(json=True), "no run 'x'", SOURCE) == SOURCE
    full = "gate: stdout: No space left on device"
    assert capsys.readouterr().err == f"{full}\ngate: no run 'x'\n"


def test_a_refusal_on_a_full_stdout_keeps_its_code(tmp_path, monkeypatch, capsys):
    """Nobody would know whether the decision or the disk is at fault."""
    monkeypatch.setenv("ESRA_HOME", str(tmp_path))
    monkeypatch.setattr("sys.stdout", Full())
    assert promote.main(["--json"]) == 2
    assert "no decision yet" in capsys.readouterr().err
