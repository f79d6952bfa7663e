"""`record` writes down what only the engines know, and `measure` has it without anybody's help."""

import json

import psycopg
import pytest

from tests.recording.commands import READER, run, said
from tests.schemas import role

DOCUMENTS = {
    "open": "open",
    "closed": "closed",
    **{f"busy{n}": "open" for n in range(4)},
    "weak": "open",
}
TITLES = {
    "open": "parking permits", "closed": "parking fines", "weak": "the garden of a small house",
    **{f"busy{n}": "garden garden garden" for n in range(4)},
}  # fmt: skip
QUESTIONS = {
    "q1": ("parking", {"open": 1, "closed": 1, "gone": 1}),
    "q2": ("garden", {"weak": 1, "busy0": 1, "open": 1}),
}


@pytest.fixture(scope="module")
def place(tmp_path_factory, database):
    """(home, URL, folder of labels, a catalog over the loaded tables with a filter and a cap)."""
    home = tmp_path_factory.mktemp("home")
    folder = home / "town"
    folder.mkdir()
    corpus = [{"_id": k, "title": TITLES[k], "text": text} for k, text in DOCUMENTS.items()]
    corpus.append({"_id": "gone", "title": "", "text": "was here once"})
    queries = [{"_id": id, "text": text} for id, (text, _) in QUESTIONS.items()]
    for name, rows in (("corpus.jsonl", corpus), ("queries.jsonl", queries)):
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    marks = [f"{id}\t{key}\t1" for id, (_, own) in QUESTIONS.items() for key in own]
    (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n" + "\n".join(marks), "utf-8")
    with psycopg.connect(database.url, autocommit=True) as owner:
        role(owner, READER)
        run(home, database.url, "record", "--name", "town", "--data", folder, "--rerank", "none")
        # The collection is another edition than the labels.
        owner.execute("delete from esra_town.town where key = 'gone'")
    text = (home / "catalogs" / "town.toml").read_text("utf-8")
    rule = '\n[[sources.mappings.record_filter]]\ncolumn = "text"\nvalue = "open"\n'
    shown = '\n[[sources.mappings.fields]]\nname = "lines"\ncolumn = "vector"\nreturnable = true\n'
    head, mapping, rest = text.partition('rank = "rarity"\n')
    cap = "\n[sources.limits]\nrows = 2\n"
    catalog = home / "own.toml"
    catalog.write_text(head + mapping + rule + cap + rest, "utf-8")
    masked = home / "masked.toml"
    masked.write_text(head + mapping + rule + shown + 'masking = "all"\n' + cap + rest, "utf-8")
    return home, database.url, folder, catalog, masked


def recorded(place, catalog, out, *words):
    home, url, folder, *_ = place
    given = ("--catalog", catalog, "--data", folder, "--rerank", "none", "--out", out)
    run(home, url, "record", *given, *words)
    return causes(place, out)


def causes(place, out):
    """Cause by (query, key)."""
    (arm,) = run(place[0], place[1], "measure", out)[0]["arms"]
    return {
        (query, key): row["cause"]
        for row in arm["misses"]["causes"]
        for query, (_, key) in row["first"]
    }


@pytest.mark.req("W57")
def test_what_no_trace_tells_is_written_down_when_it_is_recorded(place, tmp_path):
    """Each of these would read as a document that the source does not find."""
    found = recorded(place, place[3], tmp_path / "run")
    assert found == {
        ("q1", "closed"): "hidden from this caller",
        ("q1", "gone"): "not in its source",
        ("q2", "weak"): "matched below the row cap",
        ("q2", "open"): "no term matched",
    }
    report, _ = said(place[0], place[1], "measure", tmp_path / "run")
    assert "against what its caller may see" in report


@pytest.mark.req("W57")
def test_a_recording_of_before_is_looked_into_by_recording_it_again(place, tmp_path):
    """Whoever has recorded already would have to pay for all of it again."""
    out = tmp_path / "run"
    whole = recorded(place, place[3], out)
    traces = (out / "traces.jsonl").read_bytes()
    (out / "known.json").unlink()
    unknown = causes(place, out)
    assert set(unknown.values()) == {"not found, why is not known"}
    assert recorded(place, place[3], out) == whole
    assert (out / "traces.jsonl").read_bytes() == traces


@pytest.mark.req("W57")
def test_a_mapping_that_shows_masked_values_alone(place, tmp_path):
    """A result of which nobody can read a value would count as a right answer."""
    found = recorded(place, place[4], tmp_path / "run")
    assert found["q1", "open"] == found["q2", "busy0"] == "masked"
    assert found["q1", "closed"] == "hidden from this caller"


@pytest.mark.parametrize("content", [b"{", b'{"schema": 9}', b'{"schema": 1, "hidden": 3}'])
def test_a_damaged_file_is_refused_in_one_line(place, tmp_path, content):
    """Half of what is known would be reported as all of it."""
    out = tmp_path / "run"
    recorded(place, place[3], out)
    (out / "known.json").write_bytes(content)
    told, err = said(place[0], place[1], "measure", out, code=3)
    assert (told, err.count("\n")) == ("", 1)
    assert "known.json" in err
    assert "record" in err
