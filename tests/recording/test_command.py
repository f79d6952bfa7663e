"""`record` and `measure` as commands, over PostgreSQL and a model on loopback."""

import json

import pytest

from tests.recording.commands import FEW, over, run, said


@pytest.mark.req("W35")
def test_a_recording_says_what_it_will_cost_stops_and_goes_on(place, tmp_path):
    """Whoever records with a paid model would learn what it costs from the invoice."""
    server = place[3]
    out = ("--out", tmp_path / "run", "--rerank", "model", "--arm", "model")
    dry, told = over(place, *out, "--dry-run")
    assert server.asked == []
    assert dry["expected"]["calls"] == 6
    assert dry["expected"]["cost"] > 0
    assert "expected: 6 questions, 6 calls" in told
    stopped, _ = over(place, *out, "--max-calls", "2", code=5)
    assert (stopped["status"], stopped["paid"]["calls"], len(server.asked)) == ("partial", 2, 2)
    assert stopped["stopped"].startswith("--max-calls 2")
    assert len(stopped["missing"]) == 4
    whole, _ = over(place, *out)
    assert (whole["status"], whole["paid"]["calls"], len(server.asked)) == ("complete", 4, 6)
    assert whole["paid"]["cost"] == pytest.approx(4 * 0.002)  # 100 in, 20 out each

    report, _ = run(place[0], place[1], "measure", tmp_path / "run", place[4])
    model, words = report["arms"]
    assert (model["arm"], words["arm"]) == ("model", "words rerank=none")
    assert (model["spent"]["calls"], words["spent"]["calls"]) == (1.0, 0.0)
    assert model["spent"]["cost"] == pytest.approx(0.002)
    assert report["overlap"][0]["queries"] == 6


@pytest.mark.req("W73")
def test_no_prompt_stands_in_a_recording_that_may_keep_none(place, tmp_path):
    """Questions of patients would lie in a run folder that everybody copies around."""
    queries = (place[0] / "words" / "queries.jsonl").read_text("utf-8").splitlines()
    texts = [json.loads(line)["text"] for line in queries]
    for retention, count in (("full", 6), ("keyed_hash", 0), ("redacted", 0), ("none", 0)):
        over(place, "--out", tmp_path / retention, "--retention", retention)
        told = b"".join(file.read_bytes() for file in (tmp_path / retention).iterdir())
        assert sum(text.encode() in told for text in texts) == count


def test_what_cannot_be_recorded_is_refused_in_one_line(place, tmp_path):
    """A recording of a model that is not there would be one of the fallback, called by its name."""
    home, url, catalog, _, _ = place
    data = ("--data", home / "words")
    for words, code, wanted in (
        (("--name", "words", *data, "--rerank", "model"), 3, "add a [model] block"),
        (("--catalog", catalog, *data, "--shortlist", "1000"), 3, "--shortlist lies between"),
        (("--catalog", catalog, *data, "--exposure", "other"), 3, "no exposure 'other'"),
        (("--catalog", catalog), 2, "says what to ask"),
        (("--name", "n", "--questions", "f"), 2, "needs --catalog"),
        (data, 2, "one of --name"),
    ):
        out, err = said(home, url, "record", *words, "--quiet", code=code)
        assert wanted in err
        assert err.count("\n") == 1
        assert not out


@pytest.mark.parametrize(
    ("name", "left"),
    [("labels.json", "typed"), ("traces.jsonl", "typed\n"), ("qrels.tsv", "typed"), ("", "typed")],
)
def test_a_recording_goes_into_no_folder_of_something_else(place, tmp_path, name, left):
    """Own labels.json would be written over, or a folder of labels be filled with traces."""
    out = tmp_path / "mine"
    out.parent.mkdir(exist_ok=True)
    if name:
        out.mkdir()
    (out / name).write_text(left)
    before = sorted(tmp_path.rglob("*"))
    home, url, _, _, _ = place
    words = ("--name", "words", "--data", home / "words", *FEW, "--rerank", "none", "--out", out)
    _, err = said(home, url, "record", *words, "--quiet", code=3)
    assert "name a new " in err
    assert err.count("\n") == 1
    assert (sorted(tmp_path.rglob("*")), (out / name).read_text()) == (before, left)


def test_a_recording_goes_on_in_its_own_folder_and_in_an_empty_one(place, tmp_path):
    """Whoever made the folder before would have to delete it, and one killed early stay behind."""
    home, url, _, _, first = place
    words = ("--name", "words", "--data", home / "words", *FEW, "--rerank", "none")
    for name in ("", ".about.json.77"):
        out = tmp_path / f"run{len(name)}"
        out.mkdir()
        if name:
            (out / name).write_text("{")
        for _ in range(2):
            told, _ = run(home, url, "record", *words, "--out", out)
            assert told["recorded"] == 6
    told, _ = run(home, url, "record", *words, "--out", first)
    assert told["run"] == str(first)


def test_a_file_of_questions_is_recorded_over_a_catalog(place, tmp_path):
    """Whoever has a database and no corpus folder could record nothing."""
    home, url, catalog, _, _ = place
    (tmp_path / "q.jsonl").write_text(
        '{"_id": "q", "text": "car repair", "date": "2020-05-01"}\n'
        '{"_id": "none", "text": "zebra crossing", "nothing_is_right": true}\n',
        "utf-8",
    )
    (tmp_path / "q.qrels").write_text("q 0 doc-000 1\n", "utf-8")
    given = ("--questions", tmp_path / "q.jsonl", "--qrels", tmp_path / "q.qrels")
    folder = tmp_path / "run"
    told, _ = run(home, url, "record", "--catalog", catalog, *given, "--out", folder, "--as-of")
    assert told["recorded"] == 2
    assert "records without a date stay" in told["as_of"]
    report, _ = run(home, url, "measure", folder)
    assert report["arms"][0]["queries"]["measured"] == 1
    assert report["arms"][0]["nothing_is_right"]["unanswerable"] == 1
    assert any("recorded as of: each query's date" in line for line in report["conventions"])
