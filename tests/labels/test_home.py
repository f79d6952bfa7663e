"""A rating comes home under the query ids of the folder that it is for, and stays that query's."""

from __future__ import annotations

import csv
import json

import pytest

from eval.dataset import load_federation
from eval.dataset.labels import load_labels
from eval.exchange import cli_import
from eval.labels import cli
from tests.runs import made

# Both folders count 1, 2: of ``1`` they mean two questions. x9 is the second one's alone.
ASKED = {
    "one": [{"_id": "1", "text": "red shoes"}],
    "two": [
        {"_id": "1", "text": "return shoes", "group": "refunds", "date": "2024-01-01"},
        {"_id": "x9", "text": "delivery", "tags": ["lang:en"]},
    ],
}
FOUND = {"one/1": ["d1", "d2", "e1"], "two/1": ["d2", "e1", "e2"], "x9": ["e2", "d3", "e3"]}


@pytest.fixture
def run(capsys):
    """``run(...)`` is (exit code, what is said to a person, stderr)."""

    def command(*words, main=cli.main):
        capsys.readouterr()
        code = main([*map(str, words)])
        told = capsys.readouterr()
        return code, told.out, told.err

    return command


@pytest.fixture
def shops(tmp_path, monkeypatch):
    """Two labelled folders, and a run of both under the ids of their federation."""
    monkeypatch.setenv("ESRA_HOME", str(tmp_path / "home"))
    folders = []
    for (name, queries), letter in zip(ASKED.items(), "de", strict=True):
        folder = tmp_path / name
        folder.mkdir()
        keys = [f"{letter}{number}" for number in range(1, 4)]
        rows = [{"_id": key, "text": f"about {key}"} for key in keys]
        (folder / "corpus.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        (folder / "queries.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in queries))
        (folder / "qrels.tsv").write_text(f"query-id\tcorpus-id\tscore\n1\t{keys[0]}\t2\n")
        folders.append(folder)
    traces = {}
    for query, found in FOUND.items():
        rows = [[{"d": "one", "e": "two"}[key[0]], "pages", key, 0.1, 0.1] for key in found]
        traces[query] = {**made.trace(query, 1), "ranking": rows}
    made.write_traces(tmp_path / "home" / "runs" / "desk" / "r1", traces)
    return folders


def rated(path, grade):
    """The file with this grade in every row; the rows."""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows({**row, "rating": grade} for row in rows)
    return rows


def home(run, path, folder):
    words = ("--format", "ratings", "--from-spreadsheet", "--to", folder, "--add")
    return run(path, *words, main=cli_import.main)


@pytest.mark.req("W22")
def test_what_is_rated_for_a_folder_is_its_own_querys(run, shops, tmp_path):
    """Query 1 would get no grade, a second one of its text would, and both change their ids."""
    one, two = shops
    before = {query.id: query.text for query in load_federation(shops).queries}
    assert before.keys() == FOUND.keys()
    for folder, grade in ((one, 1), (two, 2)):
        out = tmp_path / f"{folder.name}.csv"
        assert run("desk/r1", "--data", *shops, "--source", folder.name, "-o", out)[0] == 0
        rated(out, grade)
        assert home(run, out, folder)[0] == 0
    # By hand: d1 and e1 of each folder's own 1 are judged already.
    assert load_labels(one).grades == {
        "1": {"d1": 2, "d2": 1},
        "two/1": {"d2": 1},
        "x9": {"d3": 1},
    }
    assert load_labels(two).grades == {
        "1": {"e1": 2, "e2": 2},
        "one/1": {"e1": 2},
        "x9": {"e2": 2, "e3": 2},
    }
    after = load_federation(shops)
    assert {query.id: query.text for query in after.queries} == before
    assert after.judgements == {
        "one/1": {("one", "d1"): 2, ("one", "d2"): 1, ("two", "e1"): 2},
        "two/1": {("one", "d2"): 1, ("two", "e1"): 2, ("two", "e2"): 2},
        "x9": {("one", "d3"): 1, ("two", "e2"): 2, ("two", "e3"): 2},
    }
    asked = {query.id: query for query in after.queries}
    # Who only judges a question says neither its group nor its date.
    assert (asked["two/1"].group, asked["two/1"].date.year) == ("refunds", 2024)
    assert asked["x9"].tags == ("lang:en",)
    code, told, _ = run("desk/r1", "--data", *shops)
    assert (code, "9 judged already, 0 to judge" in told) == (0, True)


def test_a_query_of_another_folder_is_said_to_be_one(run, shops, tmp_path):
    """Twenty-one queries would join a folder, and nobody have been told where they come from."""
    out = tmp_path / "p.csv"
    _, told, _ = run("desk/r1", "--data", *shops, "--source", "one", "-o", out)
    assert "4 pairs of 3 queries, 1 judged already, 3 to judge" in told
    assert "2 of them are of 2 queries ('two/1', 'x9') that other folders ask" in told
    assert [row["query_id"] for row in rated(out, 1)] == ["1", "two/1", "x9"]
    assert [row["query"] for row in rated(out, 1)] == ["red shoes", "return shoes", "delivery"]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ([], "the runs tell queries of several folders apart ('one/1', 'two/1'): name all folders"),
        (["one"], "no folder of --data asks any of the runs' queries"),
        (["two"], "the sources are one, and no folder of --data is called so"),
    ],
)
def test_a_rating_that_has_no_home_is_not_asked_for(run, shops, tmp_path, data, said):
    """An hour of ratings would go to queries that the folder does not have."""
    out = tmp_path / "p.csv"
    folders = [tmp_path / name for name in data]
    words = ("--data", *folders) if folders else ()
    code, _, told = run("desk/r1", *words, "--source", "one", "-o", out)
    assert (code, said in told, out.exists()) == (3, True, False), told


def test_what_no_named_folder_asks_is_left_out_and_said(run, shops, tmp_path):
    """A row without its question would be rated by guess, and its rating belong to nobody."""
    out = tmp_path / "p.csv"
    words = ("desk/r1", "--data", tmp_path / "two", "-o", out)
    code, told, _ = run(*words, "--source", "two")
    assert (code, [row["query_id"] for row in rated(out, 1)]) == (0, ["x9", "x9"])
    assert "3 of them are of 2 queries ('one/1', 'two/1') that no folder of --data asks" in told
    out.unlink()
    code, told, _ = run(*words, "--format", "judging")
    assert (code, "have no question beside them: with --data name all folders" in told) == (0, True)


def test_the_words_are_about_the_source_that_was_asked_for(run, shops, tmp_path):
    """Eighty-six pairs would be announced, and the file hold sixty-nine."""
    out = tmp_path / "p.csv"
    words = ("desk/r1", "--data", *shops, "--depth", "2", "--format", "judging")
    _, told, _ = run(*words, "--source", "two", "-o", out)
    # Of the first two: d1 d2, d2 e1, e2 d3; e1 is judged for two/1.
    assert told.splitlines()[1].split()[1:] == ["2", "2", "2"]
    assert "2 pairs of 2 queries, 1 judged already, 1 to judge" in told
    assert len(rated(out, 1)) == 1
    code, _, said = run(*words, "--source", "three")
    assert (code, "nothing of the source three; they have one, two" in said) == (3, True)
