"""What is wrong with a folder is said with file and line; what is still sound is counted."""

from __future__ import annotations

import json

import pytest

from eval.dataset import DatasetError, load_folder
from eval.formats import lines

SOUND = '{"_id": "d1", "text": "x"}\n{"_id": "d2", "text": "y"}\n'


def _refused(path):
    with pytest.raises(DatasetError) as caught:
        load_folder(path)
    return [
        (one.file.removeprefix(f"{path}/"), one.line, one.message) for one in caught.value.findings
    ]


DEEP = '{"_id": "d3", "text": ' + "[" * 100_000 + "]" * 100_000 + "}"

BAD_LINES = {
    "broken JSON": ('{"_id": "d3", "text": "x"', "broken JSON"),
    "not an object": ('["d3", "x"]', "not a JSON object"),
    "a bare word": ("nonsense", "broken JSON"),
    "two objects": (
        '{"_id": "a", "text": "x"}{"_id": "b", "text": "x"}',
        "broken JSON: Extra data",
    ),
    "a key twice": ('{"_id": "d3", "_id": "d4", "text": "x"}', "'_id' stands twice"),
    "a key twice below": ('{"_id": "d3", "text": "x", "m": {"a": 1, "a": 2}}', "'a' stands twice"),
    "not a number": ('{"_id": "d3", "text": "x", "n": NaN}', "NaN is not a JSON number"),
    "infinity": ('{"_id": "d3", "text": "x", "n": 1e999}', "no usable JSON"),
    "a giant number": ('{"_id": ' + "9" * 5000 + "}", "no usable JSON"),
    "nesting": (DEEP, "nested too deeply"),
    "a raw NUL": ('{"_id": "d3", "text": "x\0"}', "NUL byte (byte 25)"),
    "an escaped NUL": ('{"_id": "d3", "text": "x", "m": ["\\u0000"]}', "\\u0000"),
    "a NUL in a key": ('{"_id": "d3", "text": "x", "\\u0000": 1}', "\\u0000"),
    "a lone surrogate": ('{"_id": "d3", "text": "\\ud800"}', "lone surrogate"),
    "a surrogate id": ('{"_id": "\\udfff", "text": "x"}', "lone surrogate"),
    "a control character": ('{"_id": "d3", "text": "a\x01"}', "broken JSON"),
    "no id": ('{"id": "d3", "text": "x"}', "has no _id"),
    "a null id": ('{"_id": null, "text": "x"}', "has no _id"),
    "a blank id": ('{"_id": " \\t", "text": "x"}', "blank _id"),
    "an empty id": ('{"_id": "", "text": "x"}', "blank _id"),
    "a float id": ('{"_id": 1.0, "text": "x"}', "_id 1.0: write a string"),
    "a true id": ('{"_id": true, "text": "x"}', "_id True: write a string"),
    "a list id": ('{"_id": ["d3"], "text": "x"}', "write a string"),
    "a long id": (json.dumps({"_id": "a" * 1025, "text": "x"}), "over 1024 bytes"),
    "a number as text": ('{"_id": "d3", "text": 7}', "text is 7: write a string"),
    "a list as title": ('{"_id": "d3", "text": "x", "title": ["t"]}', "title is ['t']"),
    "no text at all": ('{"_id": "d3"}', "neither title nor text"),
    "another content": ('{"_id": "d1", "text": "z"}', "stands in line 1 already"),
}


@pytest.mark.parametrize("case", BAD_LINES)
def test_a_bad_line_is_named(folder, case):
    """A person would search a file of a million lines for the one at fault."""
    line, message = BAD_LINES[case]
    (found,) = _refused(folder(corpus=f"{SOUND}{line}\n"))
    assert found[:2] == ("corpus.jsonl", 3)
    assert message in found[2]
    assert len(found[2]) < 250


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"_id": "q3"}', "has no text"),
        ('{"_id": "q3", "text": " "}', "has no text"),
        ('{"_id": "q3", "text": "t", "tags": "head"}', "tags is 'head': write a list"),
        ('{"_id": "q3", "text": "t", "group": 1.5}', "group is 1.5"),
        ('{"_id": "q3", "text": "t", "need": {"a": 1}}', "need is {'a': 1}"),
        ('{"_id": "q1", "text": "other"}', "stands in line 1 already"),
        ('{"_id": "q3", "text": "a\\u0000b"}', "holds a NUL"),
        ('{"_id": "q3", "text": "a\\udfff"}', "lone surrogate"),
        ('{"_id": "q3", "text": "\u3000\\n"}', "has no text"),
    ],
)
def test_a_bad_query_is_named(folder, line, message):
    """A query would be asked in a form that nobody wrote."""
    sound = '{"_id": "q1", "text": "t"}\n{"_id": "q2", "text": "u"}\n'
    (found,) = _refused(folder(queries=f"{sound}{line}\n"))
    assert found[:2] == ("queries.jsonl", 3)
    assert message in found[2]


# U+0958 becomes two characters under NFC, three bytes each; e with U+0301 becomes one of two bytes.
@pytest.mark.parametrize(
    ("most", "over", "size"),
    [
        ("x" * 32_768, "x" * 32_769, "32,769"),
        ("é" * 16_384, "é" * 16_384 + "x", "32,769"),
        ("\u0958" * 5_461, "\u0958" * 5_462, "32,772"),
        ("e\u0301" * 16_384, "e\u0301" * 16_385, "32,770"),
    ],
)
def test_a_query_that_is_too_long_to_be_asked_is_named(folder, most, over, size):
    """A recording of an hour would end at it, without a word about where it stands."""
    sound = [{"_id": "q1", "text": "t"}, {"_id": "q2", "text": most}]
    assert load_folder(folder("sound", queries=sound, qrels="q1 d1 1\n")).queries[1].text == most
    (found,) = _refused(folder(queries=[*sound, {"_id": "q3", "text": over}]))
    assert found[:2] == ("queries.jsonl", 3)
    assert found[2].startswith(f"has a text of {size} bytes; a question may have 32,768: shorten")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("q1\td1", "needs 3 columns"),
        ("q1 0 my d1 1", "needs 3 columns"),
        ("q1\td1\t1.0", "grade '1.0' is not a whole number"),
        ("q1\td1\tx", "grade 'x'"),
        ("q1\td1\t", "grade ''"),
        ("q1\td1\t1_0", "grade '1_0'"),
        ("q1\td1\t\u0661", "grade '\u0661'"),
        ("q1\td1\t9999999999", "grade '9999999999'"),
        ("\td1\t1", "blank id"),
        ("q1\t \t1", "blank id"),
        ("q1\td1\t1", "grade 1 here, 2 in line 2: keep one"),
        ("q\0\td1\t1", "NUL byte (byte 2)"),
    ],
)
def test_a_bad_judgement_is_named(folder, line, message):
    """A grade would be guessed, or the later of two that contradict would win in silence."""
    (found,) = _refused(folder(qrels=f"query-id\tcorpus-id\tscore\nq1\td1\t2\n{line}\n"))
    assert found[:2] == ("qrels.tsv", 3)
    assert message in found[2]


def test_a_header_is_known_by_its_name_alone(folder):
    """A damaged first judgement would pass for a header."""
    (found,) = _refused(folder(qrels="q1\td1\tx\nq1\td1\t1\n"))
    assert found[:2] == ("qrels.tsv", 1)
    assert found[2].startswith("grade 'x' is not a whole number of at most nine digits")


@pytest.mark.parametrize(
    ("content", "place", "message"),
    [
        (SOUND.encode("utf-16"), 1, "UTF-16"),
        (SOUND.encode() + "é".encode("latin-1"), 3, "not UTF-8 (byte 1 is 0xe9)"),
        (b"", 0, "is empty"),
        (b"\n \n\r\n", 0, "is empty"),
        (b"\x1f\x8b\x08\x00torn", 0, "torn gzip"),
    ],
)
def test_a_bad_file_is_named(folder, content, place, message):
    """A file in another encoding would be read as other words."""
    (found,) = _refused(folder(corpus=content))
    assert found[:2] == ("corpus.jsonl", place)
    assert message in found[2]


def test_a_line_over_the_bound_is_refused_and_passed_over(folder, monkeypatch):
    """One endless line would fill the memory."""
    monkeypatch.setattr(lines, "LONGEST_LINE", 100)
    text = SOUND + '{"_id": "d3", "text": "' + "x" * 1000 + '"}\n' + '{"_id": "d4"}\n'
    found = _refused(folder(corpus=text))
    assert [one[:2] for one in found] == [("corpus.jsonl", 3), ("corpus.jsonl", 4)]
    assert "longer than 100 bytes" in found[0][2]


def test_what_is_missing_is_named(folder, tmp_path):
    """A mistyped path would be answered by a stack trace."""
    assert "is not there" in _refused(tmp_path / "nowhere")[0][2]
    (tmp_path / "file").write_text("x")
    assert "is not a folder" in _refused(tmp_path / "file")[0][2]
    (tmp_path / "empty").mkdir()
    found = _refused(tmp_path / "empty")
    assert [one[0] for one in found] == ["corpus.jsonl", "queries.jsonl", "qrels.tsv"]
    assert all("is missing: a labelled folder holds" in one[2] for one in found)
    holed = folder("holed")
    (holed / "corpus.jsonl").unlink()
    (holed / "corpus.jsonl").mkdir()
    assert _refused(holed)[0][::2] == ("corpus.jsonl", "is not a file: name a regular file")


def test_all_errors_come_at_once_and_bounded(folder):
    """A person would mend a file line by line, one run for each."""
    path = folder(corpus=SOUND + "x\n" * 30, queries="y\n", qrels="z\n")
    with pytest.raises(DatasetError) as caught:
        load_folder(path)
    assert len(caught.value.findings) == 20
    assert caught.value.more == 12
    said = str(caught.value).splitlines()
    assert said[0].startswith(f"{path}/corpus.jsonl:3: is broken JSON")
    assert said[-1] == "and 12 more"
    assert len(said) == 21


@pytest.mark.req("W24")
def test_dangling_judgements_are_counted_and_left_out(folder):
    """A label for a document that is gone would count as one that was not found."""
    rows = [f"q1\tgone{n}\t1\n" for n in range(12)]
    found = load_folder(folder(qrels="".join(["q1\td1\t1\n", *rows, "who\td1\t1\n"])))
    assert found.judgements == {"q1": {"d1": 1}}
    documents, query = found.findings
    assert (documents.line, documents.count) == (2, 12)
    assert documents.message.startswith(
        "judgement of an unknown document, left out: 12, namely 'gone0'"
    )
    assert "'gone9' (line 11), ..." in documents.message
    assert (query.line, query.count) == (14, 1)
    assert "unknown query" in query.message


def test_labels_of_another_set_are_refused(folder):
    """Every query would silently score nothing."""
    (found,) = _refused(folder(qrels="1\t1\t1\n2\t2\t1\n"))
    assert "every judgement dangles" in found[2]
    assert "'q1', 'd1'" in found[2]


def test_a_folder_where_nothing_is_right_is_refused(folder):
    """A set that can measure nothing would be recorded and tuned."""
    (found,) = _refused(folder(qrels="q1\td1\t0\nq2\td1\t-1\n"))
    assert "names no relevant document" in found[2]


def test_what_is_sound_is_counted(folder):
    """A harmless flaw would stop a person, or pass without a word."""
    corpus = SOUND + '{"text": "x", "_id": "d1"}\n{"_id": 7, "text": ""}\n'
    corpus += '{"_id": "d8", "text": "z", "date": "last spring"}\n'
    queries = '{"_id": "q1", "text": "t"}\n{"_id": "q1", "text": "t"}\n'
    found = load_folder(folder(corpus=corpus, queries=queries, qrels="q1\t7\t1\nq1\t7\t1\n"))
    assert found.judgements == {"q1": {"7": 1}}
    assert len(found.documents) == 4
    told = {
        one.message.split(":")[0]: (one.file.rpartition("/")[2], one.line) for one in found.findings
    }
    assert told == {
        "line given twice, kept once": ("queries.jsonl", 2),
        "whole number as _id, read as text": ("corpus.jsonl", 4),
        "document without any text": ("corpus.jsonl", 4),
        "date not understood, left out": ("corpus.jsonl", 5),
        "judgement given twice, kept once": ("qrels.tsv", 2),
    }
    assert sum(one.count for one in found.findings) == 6
