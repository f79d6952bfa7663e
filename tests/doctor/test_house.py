"""A house opens with sources that cannot be searched, and says so of each; the others answer."""

import json
import socket
import time

import pytest

from esra.cli import main
from esra.typed import typed
from tests.doctor.clinic import SECRET


def asked(capsys, file) -> dict:
    assert main(["retrieve", "notes", "a word of note", "--catalog", str(file), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.req("E117", "E118")
@pytest.mark.parametrize(
    ("plant", "changed", "code"),
    [
        ("DROP INDEX ward.{table}_words", {}, "COLUMN_NOT_INDEXED"),
        ("SELECT 1", {"vector": "title"}, "COLUMN_NOT_INDEXED"),
        ("SELECT 1", {"language": "klingon"}, "TEXT_INDEX_UNAVAILABLE"),
        (
            "DROP INDEX ward.{table}_words; CREATE INDEX ON ward.{table} (words)",
            {},
            "TEXT_INDEX_UNAVAILABLE",
        ),
    ],
)
def test_the_answer_says_which_source_lacks_its_index(clinic, capsys, plant, changed, code):
    """A slow search of every row would look like an answer."""
    table = clinic.patient()
    clinic.run(plant.format(table=table))
    answer = asked(capsys, clinic.catalog(table, **changed))
    assert answer["status"] == "degraded"
    assert [(w["code"], w["detail"]) for w in answer["warnings"]] == [("ESRA_SOURCE_FAILED", code)]
    assert answer["results"] == []


def test_a_healthy_source_answers(clinic, capsys):
    """The check would turn away what works."""
    answer = asked(capsys, clinic.catalog(clinic.patient()))
    assert (answer["status"], len(answer["results"])) == ("complete", 3)


def test_a_server_that_is_down_keeps_no_house_shut(clinic, capsys, monkeypatch):
    """One database in maintenance would take every other source with it."""
    file = clinic.catalog(clinic.patient())
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        monkeypatch.setenv(SECRET, f"postgresql://u@127.0.0.1:{unused.getsockname()[1]}/d")
        started = time.monotonic()
        answer = asked(capsys, file)
    assert time.monotonic() - started < 5
    assert [warning["detail"] for warning in answer["warnings"]] == ["CONNECTION_REFUSED"]


def test_a_source_that_failed_is_led_to_the_doctor(clinic, capsys):
    """A person would read a code, and not learn that a command explains it."""
    table = clinic.patient()
    file = clinic.catalog(table)
    words = ["retrieve", "notes", "a word of note", "--catalog", str(file)]
    assert main(words) == 0
    assert "doctor" not in capsys.readouterr().err
    clinic.run(f"DROP INDEX ward.{table}_words")
    assert main(words) == 0
    assert f"{typed('doctor')} --catalog {file}\n" in capsys.readouterr().err
