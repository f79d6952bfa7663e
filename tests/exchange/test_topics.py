"""Files of queries and judgements as other tools leave them: nothing is swallowed, or passed by."""

from __future__ import annotations

import bz2
import gzip
import lzma

import pytest

from eval.dataset.errors import DatasetError
from eval.dataset.labels import load_labels
from eval.exchange.asked import read_asked
from tests.exchange.conftest import lines


def asked(path, text):
    path.write_text(text)
    return {key: one.text for key, one in read_asked(path).queries.items()}


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ('"the who', '"the who'),
        ('a 5" nail', 'a 5" nail'),
        ('"the who"', '"the who"'),
        ('"to be" or "not"', '"to be" or "not"'),
        ('"say ""hi"" twice"', 'say "hi" twice'),
        ('"red, blue"', "red, blue"),
        ('"', '"'),
    ],
)
def test_a_quote_of_a_tsv_swallows_no_row(tmp_path, cell, text):
    """A topic that begins with a quote would take all topics after it into its own text."""
    found = asked(tmp_path / "topics.tsv", f"id\ttext\nq1\t{cell}\nq2\tplain\n")
    assert found == {"q1": text, "q2": "plain"}


def test_a_tsv_that_quotes_its_header_quotes_every_cell(tmp_path):
    """Ids would have quotes around them, and no judgement would find its query."""
    found = asked(tmp_path / "topics.tsv", '"id"\t"text"\r\n"0001"\t"a ""b"""\r\n')
    assert found == {"0001": 'a "b"'}


def test_packed_tables_of_queries_are_read(tmp_path):
    """A topics.tsv.gz was read as JSON, and each of its lines called broken."""
    for name, text in (("q.tsv.gz", 'id\ttext\nq1\t"a\n'), ("q.CSV", 'id,text\nq1,"""a"\n')):
        data = text.encode()
        (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        assert read_asked(tmp_path / name).queries["q1"].text == '"a'


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("topics.txt", "q1\talpha\nq2\tbeta\n", "is no JSON lines"),
        ("topics.tsv", "id,text\nq1,a\n", "names one column: a tab stands between"),
        ("topics.tsv", "q1\talpha\n", "needs the columns id and text"),
        ("topics.tsv", "id\ttext\nq1\ta\tb\n", "has 3 cells"),
        ("topics.tsv", "", "is empty"),
        ("topics.csv", "id,text,text\nq1,a,b\n", "names the column 'text' twice"),
    ],
)
def test_a_table_that_is_none_is_told_once(tmp_path, name, text, said):
    """Twenty complaints about JSON would tell nobody what to write instead."""
    (tmp_path / name).write_text(text)
    with pytest.raises(DatasetError, match=said) as caught:
        read_asked(tmp_path / name)
    assert len(caught.value.findings) == 1


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("m.qrels", "q1 0 a 1\rq2 0 b 1\r"),
        ("m.csv", "query,docid,rating\rred,a,1\rblue,b,0\r"),
    ],
)
def test_lines_that_end_with_carriage_returns_are_called_that(run, tmp_path, name, text):
    """An old spreadsheet's file would be of no known format, and nobody could see why."""
    (tmp_path / name).write_bytes(text.encode())
    code, _, error = run("import", tmp_path / name, "--to", tmp_path / "out")
    assert (code, "carriage returns alone: save it with line feeds" in error) == (3, True)
    assert not (tmp_path / "out").exists()


def test_a_json_document_has_its_lines_as_it_likes(run, tmp_path):
    """A list of judgements from an old editor would be refused, though JSON minds no line end."""
    path = tmp_path / "list.json"
    rating = '{"docId": "d",\r"rating": 1}'
    path.write_bytes(f'{{"judgmentRatings": [\r{{"query": "a", "ratings": [{rating}]}}]}}'.encode())
    code, _, error = run("import", path, "--to", tmp_path / "out")
    assert code == 0, error


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"PK\x03\x04\x14\0\r\x01", "is a spreadsheet or a ZIP archive: save it as text"),
        (bz2.compress(b"q1 0 a 1\n"), "is packed, and not by gzip: unpack it"),
        (lzma.compress(b"q1 0 a 1\n"), "is packed, and not by gzip: unpack it"),
        (gzip.compress(gzip.compress(b"q1 0 a 1\n")), "is packed twice: unpack it once"),
    ],
)
def test_what_is_no_text_is_called_by_its_name(run, tmp_path, content, said):
    """Of a spreadsheet's own file people were told to take a NUL byte out."""
    (tmp_path / "m.csv").write_bytes(content)
    code, _, error = run("import", tmp_path / "m.csv", "--to", tmp_path / "out")
    assert (code, said in error, error.count("\n")) == (3, True, 1)


def test_tabs_and_blanks_in_one_line_make_no_other_id(run, tmp_path, folder):
    """Every judgement would be of a document called "0 a", or of a query called "q1 0"."""
    for text in ("q1\t0 a\t1\n", "q1 0\ta\t1\n"):
        (tmp_path / "m.qrels").write_text(text)
        words = ("--to", tmp_path / "out", "--queries", folder)
        code, _, error = run("import", tmp_path / "m.qrels", *words)
        assert (code, "tabs and blanks between its columns" in error) == (3, True)


def test_the_parts_of_a_public_set_that_are_not_read_are_named(run, tmp_path):
    """Whoever imports a set with train, dev and test would believe to have all of it."""
    made = tmp_path / "set"
    (made / "qrels").mkdir(parents=True)
    (made / "corpus.jsonl").write_text(lines([{"_id": "a", "text": "x"}]))
    (made / "queries.jsonl").write_text(lines([{"_id": "q1", "text": "x"}]))
    for part in ("train", "dev", "test"):
        (made / "qrels" / f"{part}.tsv").write_text("query-id\tcorpus-id\tscore\nq1\ta\t1\n")
    _, told, _ = run("import", made, "--to", tmp_path / "out")
    notes = [note for note in told["notes"] if "not read" in note]
    assert len(notes) == 1
    assert "test.tsv: " in notes[0]
    assert notes[0].endswith(": 2, namely qrels/dev.tsv, qrels/train.tsv")
    assert load_labels(tmp_path / "out").findings == ()


def test_of_two_columns_of_one_name_none_is_guessed(run, tmp_path):
    """The clicks of last year would be taken for those of this one, or the other way round."""
    counts = "query,docid,position,impressions,clicks,Clicks\nred,a,1,9,1,5\n"
    rated = "query_id,query,docid,rating,rating\nq,red,a,1,3\n"
    for text in (counts, rated):
        (tmp_path / "m.csv").write_text(text)
        code, _, error = run("import", tmp_path / "m.csv", "--to", tmp_path / "out")
        assert (code, "twice: keep one" in error) == (3, True)
    (tmp_path / "m.csv").write_text("query,traffic,traffic\nred,1,3\n")
    code, _, error = run("sample", tmp_path / "m.csv", "-o", tmp_path / "q.jsonl", "--size", "1")
    assert (code, "'traffic' twice: keep one" in error) == (3, True)


def test_a_sample_holds_no_query_that_could_not_be_asked(run, tmp_path):
    """The set would be drawn, judged for a week, and then refused by whatever reads it."""
    (tmp_path / "t.csv").write_text(f"query,traffic\nred,5\n{'x' * 40_000},7\n")
    out = tmp_path / "q.jsonl"
    code, _, error = run("sample", tmp_path / "t.csv", "-o", out, "--size", "2")
    assert (code, "t.csv:3: has a text of 40,000 bytes" in error) == (3, True)
    assert not out.exists()
