"""The judging file there and back, and the command around it."""

import csv
import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eval.formats.quepid import read_quepid
from eval.judge import cli
from eval.judge.sheet import SheetError, merged, read, write

TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30)


@settings(max_examples=80, deadline=None)
@given(pairs=st.lists(st.tuples(TEXT, TEXT, TEXT), unique=True, max_size=20))
def test_ids_survive_the_round_trip(pairs, tmp_path_factory):
    """A rating would come back to another document: ids hold commas, quotes, zeros, line ends."""
    path = tmp_path_factory.mktemp("sheet") / "next.csv"
    write(path, pairs)
    assert read(path) == {}
    path.write_bytes(path.read_bytes().replace(b",,targeted,", b",2,targeted,"))
    kept = {pair: 2 for pair in pairs if ",,targeted" not in "".join(pair)}
    assert {pair: grade for pair, grade in read(path).items() if pair in kept} == kept


def test_what_a_person_typed_is_not_written_over(tmp_path):
    """An hour of judging would be lost to a second call."""
    path = tmp_path / "next.csv"
    write(path, [("q", "s", "d")])
    with pytest.raises(SheetError, match="may hold ratings"):
        write(path, [("q", "s", "d")])


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("q,s,d,good,targeted", ":2: 'good' is no grade"),
        ("q,s,d,1", ":2: 4 columns"),
        ("q,s,d,1,targeted\nq,s,d,2,targeted", ":3: 'd' has two ratings"),
    ],
)
def test_a_slip_is_named_with_its_line(tmp_path, body, message):
    """One slip in a thousand lines could not be found."""
    path = tmp_path / "x.csv"
    path.write_text("query_id,source,document_id,rating,drawn\n" + body + "\n")
    with pytest.raises(SheetError, match=message):
        read(path)


def test_two_files_must_agree(tmp_path):
    """The last file would silently win over the first judge."""
    head = "query_id,source,document_id,rating,drawn\n"
    one, other = tmp_path / "1.csv", tmp_path / "2.csv"
    one.write_text(head + "q,s,d,1,targeted\n")
    other.write_text(head + "q,s,d,2,targeted\n")
    with pytest.raises(SheetError, match="otherwise"):
        merged([one, other])


def test_no_importer_takes_targeted_judgements_for_random_ones(tmp_path):
    """They would enter an unweighted mean, where they say more than is true."""
    path = tmp_path / "next.csv"
    write(path, [("q", "s", "d")])
    with pytest.raises(ValueError, match=r"quer|column|header|rating"):
        read_quepid(path)


@pytest.fixture
def runs(tmp_path):
    """Two TREC runs over 30 queries and labels of the first ten."""
    for name, order in (("a", "xyr"), ("b", "rxy")):
        lines = [f"q{n} Q0 {d} {i} {9 - i} {name}" for n in range(30) for i, d in enumerate(order)]
        (tmp_path / f"{name}.run").write_text("\n".join(lines) + "\n")
    labels = [f"q{n} 0 r {int(n > 0)}" for n in range(10)]
    (tmp_path / "q.qrels").write_text("\n".join(labels) + "\n")
    return tmp_path


def words(folder, *more):
    return [
        *("--runs", str(folder / "a.run"), str(folder / "b.run")),
        *("--qrels", str(folder / "q.qrels"), "--json", *more),
    ]


def test_the_command_writes_pairs_and_takes_them_back(runs, capsys):
    """The loop ask, judge, ask again would not close."""
    assert cli.main(words(runs, "--budget", "5", "-o", str(runs / "1.csv"))) == 0
    first = json.loads(capsys.readouterr().out)
    assert (first["judged"], len(first["next"]), first["drawn"]) == (10, 5, "targeted")
    sheet = (runs / "1.csv").read_text().replace(",,targeted", ",0,targeted")
    (runs / "1.csv").write_text(sheet)
    assert cli.main(words(runs, "--judged", str(runs / "1.csv"))) == 0
    second = json.loads(capsys.readouterr().out)
    assert second["judged"] == 15
    asked = {(one["query"], one["document"]) for one in first["next"]}
    assert not asked & {(one["query"], one["document"]) for one in second["next"]}


def test_ratings_of_another_comparison_are_not_passed_over(runs, capsys):
    """An hour of judging would change nothing, and nobody would say why."""
    head = "query_id,source,document_id,rating,drawn\n"
    mine, other = runs / "mine.csv", runs / "other.csv"
    mine.write_text(head + "q11,,r,2,targeted\nq12,,z,0,targeted\nq13,,r,,targeted\n")
    other.write_text(head + "q11,shop,r,2,targeted\nother/q12,,r,1,targeted\n")
    judged = ("--judged", str(mine), "--judged", str(other))
    assert cli.main(words(runs, *judged)) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["judged"], said["ratings"], said["ratings_of_no_pair"]) == (11, 4, 3)
    assert cli.main([word for word in words(runs, *judged) if word != "--json"]) == 0
    assert "3 of 4 ratings are of no pair of this comparison" in capsys.readouterr().out
    out = runs / "next.csv"
    assert cli.main(words(runs, "--judged", str(other), "-o", str(out))) == 3
    assert "other.csv: none of 2 ratings is of a pair of this comparison" in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.parametrize(
    ("more", "code"),
    [
        (["--runs", "a", "b"], 2),
        ([], 2),
        (["/nowhere"], 3),
        (["--runs", "/no/a", "/no/b", "--qrels", "/no/q"], 3),
    ],
)
def test_misuse_is_one_line(more, code, capsys):
    """A person would read a traceback."""
    assert cli.main(more) == code
    error = capsys.readouterr().err
    assert error.startswith("judge-next: ")
    assert error.count("\n") == 1


@pytest.mark.req("W12", "W13")
def test_a_judge_sees_what_was_asked_what_was_needed_and_how_to_judge(runs, capsys):
    """Two judges would grade the same pair by two ideas of what was wanted."""
    folder = runs / "shop"
    folder.mkdir()
    documents = [
        {"_id": key, "title": f"=title {key}", "text": f"about\n{key} " + "x" * 900}
        for key in "rxy"
    ]
    queries = [
        {"_id": f"q{n}", "text": f"question {n}", "need": f"a need of {n}"} for n in range(30)
    ]
    for name, rows in (("corpus.jsonl", documents), ("queries.jsonl", queries)):
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\nq1\tr\t1\n")
    (folder / "GUIDELINES.md").write_text("# Grades\n\n2 answers it, 1 helps, 0 does not.\n")
    more = ("--budget", "3", "-o", str(runs / "1.csv"), "--data", str(folder))
    assert cli.main([word for word in words(runs, *more) if word != "--json"]) == 0
    assert "2 answers it, 1 helps, 0 does not." in capsys.readouterr().out
    rows = list(csv.DictReader(io.StringIO((runs / "1.csv").read_text())))
    assert len(rows) == 3
    lines = (folder / "queries.jsonl").read_text().splitlines(keepends=True)
    (folder / "queries.jsonl").write_text("".join(lines[:2]))
    assert cli.main(words(runs, "--data", str(folder))) == 0
    said = json.loads(capsys.readouterr().out)
    lacking = [one for one in said["next"] if one["query"] not in ("q0", "q1")]
    assert said["pairs_without_question"] == len(lacking) > 0
    for row in rows:
        number = row["query_id"].removeprefix("q")
        assert (row["question"], row["need"]) == (f"question {number}", f"a need of {number}")
        # A spreadsheet would run a title that begins with an equals sign.
        assert row["title"] == f"'=title {row['document_id']}"
        assert row["text"].startswith(f"about {row['document_id']} ")
        assert len(row["text"]) == 400
