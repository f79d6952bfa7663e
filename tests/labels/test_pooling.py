"""``pool`` puts what several runs found on top into a file that a person judges in."""

from __future__ import annotations

import csv
import json

import pytest

from eval.dataset.labels import load_labels
from eval.exchange import cli_import
from eval.judge import sheet
from eval.labels import cli
from tests.runs import made

FIRST = {"q1": ["=a", "b", "c"], "q2": ["x", "y"]}
SECOND = {"q1": ["c", "=a", "d"], "q3": ["z"]}


def trec(path, rankings):
    rows = [
        f"{query}\tQ0\t{key}\t{rank}\t{-rank}\tt\n"
        for query, own in rankings.items()
        for rank, key in enumerate(own, start=1)
    ]
    path.write_text("".join(rows))
    return path


@pytest.fixture
def runs(tmp_path, monkeypatch):
    """Two TREC runs, and a labelled folder with their queries and documents."""
    monkeypatch.setenv("ESRA_HOME", str(tmp_path / "home"))
    folder = tmp_path / "set"
    folder.mkdir()
    documents = [
        {"_id": key, "title": f"+{key}", "text": "words"}
        for key in ["=a", "b", "c", "d", "x", "y", "z"]
    ]
    queries = [{"_id": query, "text": f"@{query}", "need": "all"} for query in ("q1", "q2", "q3")]
    for name, rows in (("corpus", documents), ("queries", queries)):
        (folder / f"{name}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\nq1\tc\t1\nq2\tx\t0\n")
    (folder / "GUIDELINES.md").write_text("# Be strict\n")
    return trec(tmp_path / "a.run", FIRST), trec(tmp_path / "b.run", SECOND), folder


@pytest.fixture
def run(capsys):
    """``run(...)`` is (exit code, the JSON document, stderr)."""

    def command(*words, main=cli.main):
        capsys.readouterr()
        code = main([*map(str, words), "--json"])
        told = capsys.readouterr()
        return code, json.loads(told.out), told.err

    return command


@pytest.mark.req("W22")
def test_what_each_run_adds_is_counted(runs, run):
    """Nobody could tell whether one more configuration is worth the judging."""
    first, second, folder = runs
    code, said, _ = run(first, second, "--depth", 2)
    assert code == 0
    # By hand: {=a b x y} and {c =a z}: the second brings c and z anew, and alone.
    assert said["runs"] == [
        {"run": str(first), "found": 4, "new": 4, "alone": 3},
        {"run": str(second), "found": 3, "new": 2, "alone": 2},
    ]
    assert (said["pairs"], said["judged"], said["unjudged"], said["file"]) == (6, 0, 6, None)
    _, said, _ = run(first, second, "--depth", 2, "--data", folder)
    assert (said["pairs"], said["judged"], said["unjudged"]) == (6, 2, 4)
    assert said["guidelines"] == "# Be strict\n"


@pytest.mark.req("W22")
def test_a_judged_pool_comes_in_as_labels(runs, run, tmp_path):
    """A person would judge a file that nothing reads, or run what a query says."""
    first, second, folder = runs
    out = tmp_path / "pool.csv"
    run(first, second, "--data", folder, "-o", out)
    with out.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["query_id"], row["docid"]) for row in rows] == [
        ("q1", "'=a"),
        ("q1", "b"),
        ("q1", "d"),
        ("q2", "y"),
        ("q3", "z"),
    ]
    assert (rows[0]["query"], rows[0]["information_need"]) == ("'@q1", "all")
    assert (rows[0]["title"], rows[0]["text"], rows[0]["rating"]) == ("'+=a", "words", "")
    with out.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows({**row, "rating": 2, "rater": "ada"} for row in rows[:4])
    words = ["--from-spreadsheet", "--to", tmp_path / "new", "--corpus", folder, "--strict"]
    code, said, _ = run(out, *words, main=cli_import.main)
    assert (code, said["format"], said["documents"]["found"]) == (0, "ratings", 4)
    labels = load_labels(tmp_path / "new")
    assert labels.grades == {"q1": {"=a": 2, "b": 2, "d": 2}, "q2": {"y": 2}}
    assert [query.text for query in labels.queries] == ["@q1", "@q2"]


@pytest.mark.req("W22")
def test_a_pool_is_judged_in_the_judging_file_too(runs, run, tmp_path):
    """Who judges for a comparison would have to learn a second form."""
    first, second, folder = runs
    out = tmp_path / "pool.csv"
    code, _, _ = run(first, second, "--data", folder, "--format", "judging", "-o", out)
    text = out.read_text()
    assert (code, text.count("pooled"), "targeted" in text) == (0, 5, False)
    out.write_text(text.replace("q1,,b,,", "q1,,b,3,"))
    assert sheet.read(out) == {("q1", "", "b"): 3}


@pytest.mark.req("W22")
def test_recordings_are_pooled_with_what_they_know(run, tmp_path, monkeypatch):
    """Pairs that are judged already would be judged again, or those of a recording not at all."""
    monkeypatch.setenv("ESRA_HOME", str(tmp_path))
    base = tmp_path / "runs" / "desk"
    made.write(base / "one", {"q": 1})
    made.write(base / "two", {"q": 3})
    run_file = trec(tmp_path / "c.run", {"q": ["q/z", "q/right"]})
    code, said, _ = run("desk/one", "desk/two", run_file, "--depth", 2, "-o", tmp_path / "p.csv")
    assert code == 0
    # The first shows right and a, the second a and b, the third z and right; right is judged.
    assert [one["new"] for one in said["runs"]] == [2, 1, 1]
    assert (said["pairs"], said["judged"], said["unjudged"]) == (4, 1, 3)
    with (tmp_path / "p.csv").open(newline="") as file:
        assert [row["docid"] for row in csv.DictReader(file)] == ["q/a", "q/b", "q/z"]


def test_several_sources_are_judged_apart(run, tmp_path, monkeypatch):
    """A document of one folder would be judged in another, where nobody finds it."""
    monkeypatch.setenv("ESRA_HOME", str(tmp_path))
    one = made.trace("q", 1)
    rows = [*one["ranking"], ["wiki", "pages", "q/a", 0.1, 0.1]]
    folder = made.write_traces(tmp_path / "runs" / "desk" / "r", {"q": {**one, "ranking": rows}})
    out = tmp_path / "p.csv"
    code, said, _ = run(folder, "-o", out)
    assert (code, "sources news, wiki" in said["error"]["message"]) == (3, True)
    assert not out.exists()
    code, _, _ = run(folder, "-o", out, "--source", "wiki")
    assert (code, out.read_text().count("q/a"), out.read_text().count("q/b")) == (0, 1, 0)
    (tmp_path / "q.qrels").write_text("q 0 wiki/q/a 0\nq 0 news/q/b 0\n")
    _, said, _ = run(folder, "--qrels", tmp_path / "q.qrels")
    assert (said["pairs"], said["judged"]) == (4, 3)
    (tmp_path / "bare.qrels").write_text("q 0 q/a 0\nq 0 https://x.org/a 0\n")
    code, _, told = run(folder, "--qrels", tmp_path / "bare.qrels")
    assert (code, "names none of the sources news, wiki: write source/key" in told) == (3, True)


def test_labels_of_another_name_are_not_passed_over(runs, run, tmp_path):
    """What is judged already would be judged again, without a question beside it."""
    folder = made.run(tmp_path / "home", "abc1", {"q1": 1})
    code, _, told = run(folder, "--data", runs[2])
    assert (code, "the sources are news, and no folder of --data is called so" in told) == (3, True)
    runs[2].rename(tmp_path / "news")
    assert run(folder, "--data", tmp_path / "news")[0] == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["a.run", "a.run"], "is named twice"),
        (["nothing"], "no run 'nothing'"),
        (["set"], "holds no traces.jsonl"),
        (["a.run", "-o", "a.run"], "is there already and may hold ratings"),
    ],
)
def test_what_makes_no_pool_is_said(runs, run, tmp_path, monkeypatch, words, said):
    """Somebody's ratings would be written over, or a slip end in a stack trace."""
    monkeypatch.chdir(tmp_path)
    before = (tmp_path / "a.run").read_bytes()
    code, told, _ = run(*words)
    assert (code, said in told["error"]["message"]) == (3, True)
    assert (tmp_path / "a.run").read_bytes() == before


def test_a_person_reads_the_same_figures(runs, capsys):
    """Who does not read JSON would not see what each run adds."""
    first, second, folder = runs
    assert cli.main([str(first), str(second), "--data", str(folder)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split() == [str(first), "5", "5", "3"]
    assert lines[2].split() == [str(second), "4", "2", "2"]
    assert lines[3] == "7 pairs of 3 queries, 2 judged already, 5 to judge"
