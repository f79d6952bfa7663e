"""A hostile or broken file is refused with one clear line, in little time and memory."""

from __future__ import annotations

import json

import pytest

from eval.formats import csvtable, strict
from eval.formats.clicks import read_clicks
from eval.formats.findings import Findings, FormatError
from eval.formats.gather import OnConflict
from eval.formats.opensearch import read_opensearch
from eval.formats.quepid import read_quepid
from eval.formats.ratings import read_ratings
from eval.formats.rre import read_rre
from eval.formats.trec import read_qrels


def opensearch(rating, query='"q"', document='"d"', name="rating"):
    pair = f'{{"docId": {document}, "{name}": {rating}}}'
    return f'{{"judgmentRatings": [{{"query": {query}, "ratings": [{pair}]}}]}}'


def rre(documents, asked='{"$query": "q"}'):
    return f'{{"queries": [{{"placeholders": {asked}, "relevant_documents": {documents}}}]}}'


DEEP = "[" * 200_000 + "]" * 200_000
DOCUMENTS = {
    "a giant number": (opensearch("1e400"), "no usable JSON: Out of range"),
    "not a number": (opensearch("NaN"), "NaN is not a JSON number"),
    "infinity": (opensearch('"inf"'), "has the grade 'inf'"),
    "a number without end": (opensearch("9" * 5000), "no usable JSON"),
    "nesting": (opensearch(DEEP), "nested too deeply"),
    "a key twice": (opensearch('1, "rating": 2'), "'rating' stands twice"),
    "null": (opensearch("null"), "has no rating, it has 'docId', 'rating'"),
    "another name": (opensearch("1", name="score"), "has no rating, it has 'docId', 'score'"),
    "truth": (opensearch("true"), "has the grade True"),
    "no text": (opensearch("1", query='" "'), "has the query ' '"),
    "a float id": (opensearch("1", document="1.0"), "has the id 1.0: write a string"),
    "another document": ('{"ratings": []}', "holds no judgmentRatings"),
    "two lists": (
        '{"hits": {"hits": [{"_source": {"judgmentRatings": []}}, {"_source": {}}]}}',
        "of one list: export a list by itself",
    ),
    "a torn file": (opensearch("1")[:-3], "broken JSON"),
    "a NUL": (opensearch("1", document='"a\\u0000"'), "NUL"),
    "a surrogate": (opensearch("1", document='"\\ud800"'), "lone surrogate"),
}
RATINGS = {
    "a giant number": (rre('{"d": {"gain": 1e999}}'), "no usable JSON"),
    "a key twice": (rre('{"d": {"gain": 1}, "d": {"gain": 2}}'), "'d' stands twice"),
    "no gain": (rre('{"d": {"grade": 1}}'), "write a list of ids, or a gain"),
    "null": (rre('{"d": {"gain": null}}'), "has the grade None"),
    "a grade that is none": (rre('{"good": ["d"]}'), "has the grade 'good'"),
    "a float id": (rre('{"1": [1.5]}'), "has the id 1.5"),
    "two grades": (rre('{"1": ["d"], "2": ["d"]}'), "judges 'q' 'd' a second time, grade 2 here"),
    "no text": (rre("{}", '{"$lang": "en"}'), "its placeholders need a $query"),
    "no object": (rre('["d"]'), "relevant_documents that are no object"),
    "nothing": ("[]", "holds no queries"),
    "nesting": (rre(DEEP), "nested too deeply"),
}
TABLES = {
    "an open quote": ('query,docid,rating\nq,"d,1\n' + "x,y,1\n" * 30_000, "is every quote closed"),
    "text behind a quote": ('query,docid,rating\nq,"d"x,1\n', "no usable CSV"),
    "too many cells": ("query,docid,rating\nq,d,1,2\n", "has 4 cells, the header names 3"),
    "a column twice": (
        "query,docid,rating,Rating\nq,d,1,2\n",
        "names the column 'rating' twice: keep one",
    ),
    "a NUL": ("query,docid,rating\nq,d\0,1\n", "NUL byte"),
    "no header": ("q,d,1\n", "needs the columns query and docid"),
    "nothing": ("", "is empty"),
    "a header alone": ("query,docid,rating\n", "names no query"),
    "no rating": ("query,docid,ada\nq,d,1\n", "has no column rating"),
    "a word": ("query,docid,rating\nq,d,good\n", "rating 'good' is not a finite number"),
    "a giant number": ("query,docid,rating\nq,d,1e400\n", "rating '1e400'"),
    "not a number": ("query,docid,rating\nq,d,nan\n", "rating 'nan'"),
    "no document": ("query,docid,rating\nq,,1\n", "names no document"),
    "no query": ("query,docid,rating\n ,d,1\n", "names no query"),
    "two grades": ("query,docid,rating\nq,d,1\nq,d,2\n", "grade 2 here, 1 in line 2: keep one"),
    "UTF-16": ("query,docid,rating\nq,d,1\n".encode("utf-16"), "is UTF-16"),
    "Latin-1": ("query,docid,rating\ncaf\xe9,d,1\n".encode("latin-1"), "is not UTF-8"),
}


def refused(path, content, read):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(FormatError) as caught:
        read(path)
    return str(caught.value)


@pytest.mark.req("W07")
@pytest.mark.parametrize("case", DOCUMENTS)
def test_a_bad_judgement_list_is_refused(tmp_path, case):
    """A null, an infinity or a misspelt field would be scored as something."""
    content, said = DOCUMENTS[case]
    assert said in refused(tmp_path / "j.json", content, read_opensearch)


@pytest.mark.req("W04")
@pytest.mark.parametrize("case", RATINGS)
def test_bad_rre_ratings_are_refused(tmp_path, case):
    """The last of two gains would win, or a document without one would be graded."""
    content, said = RATINGS[case]
    assert said in refused(tmp_path / "r.json", content, read_rre)


@pytest.mark.req("W03")
@pytest.mark.parametrize("case", TABLES)
def test_a_bad_table_is_refused(tmp_path, case):
    """A quote left open would swallow the rest of the labels in silence."""
    content, said = TABLES[case]
    assert said in refused(tmp_path / "q.csv", content, read_quepid)


@pytest.mark.parametrize(
    "read", [read_quepid, read_ratings, read_rre, read_opensearch, read_clicks, read_qrels]
)
def test_a_line_without_end_is_refused(tmp_path, read):
    """One line of a hundred megabytes would fill the memory before anybody could say so."""
    path = tmp_path / "long"
    with path.open("wb") as file:
        file.write(b'{"query')
        file.seek(100 * 1024 * 1024)
        file.write(b'"}')
    with pytest.raises(FormatError, match=r"is (longer|larger) than \d+ bytes|is empty"):
        read(path)


def test_whole_numbers_as_ids_are_read_as_text_and_counted(tmp_path):
    """Labels written by a program with number keys would join nothing, and every measure be 0."""
    path = tmp_path / "j.json"
    path.write_text(json.dumps({"judgmentRatings": {"q": [{"docId": 7, "rating": 1}]}}))
    found = read_opensearch(path)
    assert found.grades == {"q": {"7": 1}}
    assert found.findings[0].message == "whole number as id, read as text: 1, namely 7"


@pytest.mark.req("W01")
@pytest.mark.parametrize(
    ("rule", "kept"), [("first", 2), ("last", 1), ("max", 3), ("min", 1), ("refuse", None)]
)
def test_a_rule_settles_judgements_that_differ(tmp_path, rule, kept):
    """One line written twice would fail a whole evaluation, with nothing to be done about it."""
    path = tmp_path / "q.csv"
    path.write_text("query,docid,rating\nq,d,2\nq,d,3\nq,d,2\nq,d,1\n")
    if kept is None:
        with pytest.raises(FormatError) as caught:
            read_quepid(path)
        assert [one.line for one in caught.value.findings] == [3, 5]
        return
    found = read_quepid(path, OnConflict(rule))
    assert found.grades == {"q": {"d": kept}}
    assert f"kept by the rule '{rule}'" in " ".join(one.message for one in found.findings)


def test_a_document_over_the_bound_is_refused(tmp_path, monkeypatch):
    """A file of any size would be parsed as a whole."""
    monkeypatch.setattr(strict, "LARGEST_DOCUMENT", 10)
    assert "is larger than 10 bytes: split it" in refused(tmp_path / "x", " " * 11, read_rre)


@pytest.mark.parametrize("cell", ["=1+1", "+1+1", "-x", "@SUM(A1)", "\tx", "\rx", "'=x", "''"])
def test_no_cell_of_an_escaped_table_is_a_formula(tmp_path, cell):
    """A spreadsheet would run what somebody typed as a query."""
    path = tmp_path / "t.csv"
    csvtable.write_table(path, ("query",), [(cell,)], escape=True)
    (raw,) = csvtable.read_table(path, Findings()).rows
    assert raw.cells[0] == f"'{cell}"
    (back,) = csvtable.read_table(path, Findings(), escaped=True).rows
    assert back.cells[0] == cell
    seen = Findings()
    list(csvtable.read_table(path, seen).rows)
    assert len(seen.tolerated()) == 1


@pytest.mark.parametrize("cell", ["-1", "+1.5", "-1e3", "3", "0001", "a=b", "a-b"])
def test_a_number_stays_a_number(tmp_path, cell):
    """A negative grade would become a text that nothing can add up."""
    path = tmp_path / "t.csv"
    csvtable.write_table(path, ("rating",), [(cell,)], escape=True)
    assert path.read_text().splitlines() == ["rating", cell]


@pytest.mark.parametrize(
    ("cell", "changed"),
    [
        *((cell, True) for cell in ("0001", "1e3", "1.50", "12345678901234567", "-2", "+3", ".5")),
        *((cell, True) for cell in ("1-2", "2024-01-05", "3/4", "10:30", "5%", "$4", "TRUE")),
        *((cell, True) for cell in ("(5)", "(1.50)", "€5", "(£2)")),
        *((cell, True) for cell in ("MAR1", "Sept 2", "dec-1", " 007", "1 2", "=a", "'x")),
        *((cell, False) for cell in ("0", "7", "123456789012345", "a1", "true story", "marble")),
        *((cell, False) for cell in ("https://x.org/1", "junk", "", "decade")),
    ],
)
def test_an_id_is_no_number_to_a_spreadsheet(tmp_path, cell, changed):
    """Opened and saved, 0001 would come back as 1 and MAR1 as the first of March."""
    path = tmp_path / "t.csv"
    csvtable.write_table(path, ("docid", "rating"), [(cell, "0001")], escape=True, texts=(0,))
    (raw,) = csvtable.read_table(path, Findings()).rows
    assert raw.cells == (f"'{cell}" if changed else cell, "0001")
    (back,) = csvtable.read_table(path, Findings(), escaped=True).rows
    assert back.cells == (cell, "0001")
