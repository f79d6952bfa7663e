"""What is judged later joins what was judged before."""

from __future__ import annotations

import csv

import pytest

from eval.dataset.labels import load_labels
from eval.labels import cli as pooling
from tests.exchange.conftest import lines

RATINGS = "query_id,docid,rater,rating\n"


@pytest.fixture
def add(folder, run, tmp_path):
    """``add(content, ...)`` adds a file to the folder: (exit code, document, stderr)."""

    def command(content, *words, name="more.csv"):
        (tmp_path / name).write_text(content)
        return run("import", tmp_path / name, "--to", folder, "--add", *words)

    return command


def test_a_pool_that_was_judged_joins_the_labels_it_was_drawn_beside(folder, run, tmp_path, capsys):
    """A pool leaves out what is judged: brought home, it would replace all of that by itself."""
    before = load_labels(folder).grades
    run_file, pool = tmp_path / "a.run", tmp_path / "pool.csv"
    run_file.write_text("q 1\tQ0\t0001\t1\t2\tt\nq4\tQ0\tcopy\t2\t1\tt\n")
    words = [str(run_file), "--data", str(folder), "-o", str(pool)]
    assert pooling.main(words) == 0
    with pool.open(newline="") as file:
        head, *rows = csv.reader(file)
    assert [row[0] for row in rows] == ["q4"]
    rows[0][head.index("rating")] = "2"
    with pool.open("w", newline="") as file:
        csv.writer(file).writerows([head, *rows])
    given = ("--format", "ratings", "--from-spreadsheet", "--to", folder, "--add")
    code, told, error = run("import", pool, *given)
    assert code == 0, error
    after = load_labels(folder)
    # "copy" has the text of 0001: what one is worth the other is, and that is marked.
    assert after.grades.pop("q4") == {"copy": 2, "0001": 2}
    mine = {query: dict(own) for query, own in after.grades.items()}
    assert mine["q 1"].pop("copy") == 3
    assert mine["q3"].pop("copy") == 0
    assert mine == before
    assert after.origins["q4"] == {"0001": "copy"}
    assert any("replaced/1" in note for note in told["notes"])


def test_a_pair_that_both_judge_is_judged_twice(add, folder):
    """The later of two people who differ would win, and nobody would know that they did."""
    code, _, error = add(RATINGS + "q 1,0001,,1\n")
    assert (code, "'q 1' '0001' a second time, grade 1 here, 3 before" in error) == (3, True)
    assert load_labels(folder).grades["q 1"]["0001"] == 3
    code, _, _ = add(RATINGS + "q 1,0001,,1\n", "--on-conflict", "last", "--no-carry")
    assert (code, load_labels(folder).grades["q 1"]["0001"]) == (0, 1)


def test_a_further_rater_is_heard_beside_the_first(add, folder):
    """The first one's work would be gone, or the second's count for nothing."""
    add(RATINGS + "q4,0001,ada,0\n", "--rule", "optimistic")
    code, told, _ = add(RATINGS + "q4,0001,bob,3\nq4,copy,bob,\n")
    labels = load_labels(folder)
    mine = sorted((one.rater, one.grade) for one in labels.judgements if one.query == "q4")
    assert (code, mine) == (0, [("ada", 0), ("bob", 3)])
    assert labels.grades["q4"]["0001"] == 3, "by the folder's rule, which nobody has changed"
    assert told["counts"]["disputed pairs"] == 1
    assert labels.open == (("q4", "copy"),)


def test_adding_the_same_again_changes_nothing(add, folder):
    """A command given twice would double what it did."""
    add(RATINGS + "q4,0001,ada,2\n")
    before = load_labels(folder).fingerprint
    code, told, _ = add(RATINGS + "q4,0001,ada,2\n")
    assert (code, told["written"], load_labels(folder).fingerprint) == (0, [], before)


def test_values_that_are_cut_join_no_grades(add, folder):
    """Clicks over expected clicks of 1.2 would become grade 1, and grades of 3 be cut again."""
    shown = "query,docid,position,impressions,clicks\nred shoes,copy,1,9,3\n"
    code, _, error = add(shown, "--format", "clicks")
    assert (code, "other cuts than the folder" in error) == (3, True)
    assert load_labels(folder).grades["q 1"] == {"0001": 3, "https://x.org/a?b=1": 0}
    code, _, error = add(shown, "--format", "clicks", "--rule", "mean")
    assert (code, "other cuts than the folder" in error) == (3, True), "a rule is no cut"


def test_another_rule_leaves_the_cuts_as_they_are(run, tmp_path):
    """Values between the cuts would be rounded, because of a word about several raters."""
    shown = "query,docid,position,impressions,clicks\nred,a,1,9,3\nred,b,2,9,1\nblue,b,1,9,3\n"
    (tmp_path / "clicks.csv").write_text(shown)
    words = ("import", tmp_path / "clicks.csv", "--format", "clicks", "--to", tmp_path / "out")
    assert run(*words)[0] == 0
    before = load_labels(tmp_path / "out")
    assert run(*words, "--add", "--rule", "optimistic")[0] == 0
    after = load_labels(tmp_path / "out")
    assert (after.settling.rule.value, after.settling.cuts) == ("optimistic", (0.5, 1.0, 2.0))
    assert after.grades == before.grades


def test_documents_stay_where_labels_are_added(add, folder, run, tmp_path):
    """The documents of the other set would take the place of those that are judged."""
    before = (folder / "corpus.jsonl").read_bytes()
    other = tmp_path / "other"
    other.mkdir()
    (other / "corpus.jsonl").write_text(lines([{"_id": "new", "text": "x"}]))
    (other / "queries.jsonl").write_text(lines([{"_id": "q9", "text": "ninth"}]))
    (other / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\nq9\tnew\t1\n")
    code, told, _ = run("import", other, "--to", folder, "--add")
    assert (code, told["documents"]["missing"]["first"]) == (0, ["new"])
    assert (folder / "corpus.jsonl").read_bytes() == before
    assert load_labels(folder).grades["q9"] == {"new": 1}
    code, _, error = add(RATINGS + "q4,0001,,1\n", "--corpus", other)
    assert (code, "leave --corpus out" in error) == (3, True)


def test_adding_to_a_folder_that_is_not_there_makes_it(run, tmp_path):
    """The first of several files would need another command than the others."""
    (tmp_path / "m.csv").write_text("query,docid,rating\nred,a,1\n")
    code, _, _ = run("import", tmp_path / "m.csv", "--to", tmp_path / "out", "--add")
    assert code == 0
    assert [list(own.values()) for own in load_labels(tmp_path / "out").grades.values()] == [[1]]


def test_a_query_of_the_same_id_and_other_words_is_another_one(add, folder, run, tmp_path):
    """Two sets that both count q1, q2, ... would have each other's judgements."""
    before = load_labels(folder).fingerprint
    rows = "query_id,query,docid,rater,rating\nq4,not judged,copy,,1\n0002,other words,0001,,3\n"
    code, _, error = add(rows)
    assert (code, "query '0002' is 'other words' here, '=cmd nail' there" in error) == (3, True)
    words = ("--to", tmp_path / "new", "--queries", folder)
    code, _, error = run("import", tmp_path / "more.csv", *words)
    assert (code, "'0002' is 'other words' here" in error) == (3, True)
    assert load_labels(folder).fingerprint == before
    assert add(rows.replace("other words", "=cmd nail"))[0] == 0


def test_a_query_of_the_folder_under_another_id_is_no_new_one(add, folder):
    """Its judgements would be in two halves, each of a question of its own."""
    before = load_labels(folder)
    rows = "query_id,query,docid,rater,rating\nset/q4,Not  judged,0001,,2\nnew,what else,copy,,1\n"
    code, told, _ = add(rows, "--no-carry")
    after = load_labels(folder)
    assert (code, told["counts"]["new queries"], told["queries"]["found"]) == (0, 1, 2)
    assert after.grades == {**before.grades, "q4": {"0001": 2}, "new": {"copy": 1}}
    assert {one.id for one in after.queries} == {one.id for one in before.queries} | {"new"}
    assert "query 'set/q4' has the text of 'q4', and is taken for it" in told["notes"]
    # What it says of a pair that is judged is said of that pair, and not of another one's.
    code, _, error = add(rows.replace("0001,,2", "0001,,0"), "--no-carry")
    assert (code, "'q4' '0001' a second time, grade 0 here, 2 before" in error) == (3, True)


def test_a_text_that_the_folder_asks_twice_is_not_guessed(add, folder):
    """One of two questions would have the other's judgements."""
    with (folder / "queries.jsonl").open("a") as file:
        file.write(lines([{"_id": "q5", "text": "not judged", "date": "2020-01-01"}]))
    before = load_labels(folder).fingerprint
    code, _, error = add("query_id,query,docid,rater,rating\nother,not judged,0001,,2\n")
    said = "query 'other' is asked by several queries of the folder ('q4', 'q5')"
    assert (code, said in error, load_labels(folder).fingerprint) == (3, True, before)


def test_another_need_makes_another_question_and_is_said(add, folder):
    """What somebody needed would be judged by what another one did, or the two stand unseen."""
    head = "query_id,query,information_need,docid,rater,rating\n"
    code, told, _ = add(head + "mine,red shoes,boots as well,copy,,1\n", "--no-carry")
    assert (code, load_labels(folder).grades["mine"]) == (0, {"copy": 1})
    assert any(
        note.startswith("query 'mine' has the text of 'q 1', and is told apart from it")
        for note in told["notes"]
    )
    code, told, _ = add(head + 'his,red shoes,"shoes, not boots",copy,,0\n', "--no-carry")
    assert (code, load_labels(folder).grades["q 1"]["copy"]) == (0, 0)


def test_a_folder_that_is_added_names_the_same_question_otherwise(folder, run, tmp_path):
    """A set whose questions were numbered anew would double every one of them."""
    other = tmp_path / "other"
    other.mkdir()
    (other / "queries.jsonl").write_text(lines([{"_id": "1", "text": "not judged"}]))
    (other / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n1\t0001\t1\n")
    code, _, _ = run("import", other, "--to", folder, "--add", "--no-carry")
    labels = load_labels(folder)
    assert (code, labels.grades["q4"]) == (0, {"0001": 1})
    assert "1" not in {query.id for query in labels.queries}
    # With both ids in it the set tells the two apart itself.
    twice = [{"_id": name, "text": "not judged"} for name in ("q4", "1")]
    (other / "queries.jsonl").write_text(lines(twice))
    code, told, _ = run("import", other, "--to", folder, "--add", "--no-carry")
    assert (code, load_labels(folder).grades["1"]) == (0, {"0001": 1})
    assert any("query '1' has the text of 'q4', and is told apart" in one for one in told["notes"])
