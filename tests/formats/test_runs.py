"""TREC runs are read strictly, ordered by trec_eval's rule, and written back unchanged."""

from __future__ import annotations

import gzip
import struct

import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

from eval.formats.trec import FormatError, Run, ranking, read_run, write_run
from eval.measures import ndcg_at

SOUND = "q1 Q0 d1 1 2.5 bm25\nq1 Q0 d2 2 1e-3 bm25\n"


@pytest.fixture
def written(tmp_path):
    """A file of this content, text or bytes."""

    def write(content):
        path = tmp_path / "one.run"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.mark.req("W02")
def test_a_run_is_read_to_the_letter(written):
    """A score or an id would change on the way in."""
    text = SOUND + "0001\tQ0\tmy doc|http://x\t7\t-.5\tbm25\n  q1   Q0\td3 0 +4. bm25  \n"
    found = read_run(written(text))
    assert found.tag == "bm25"
    assert found.scores == {
        "q1": {"d1": 2.5, "d2": 0.001, "d3": 4.0},
        "0001": {"my doc|http://x": -0.5},
    }
    assert found.findings == ()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("q1 Q0 d3 3 nan t", "score 'nan' is not a finite 32-bit number"),
        ("q1 Q0 d3 3 inf t", "score 'inf'"),
        ("q1 Q0 d3 3 -Infinity t", "score '-Infinity'"),
        ("q1 Q0 d3 3 1e999 t", "score '1e999'"),
        ("q1 Q0 d3 3 4e38 t", "score '4e38'"),
        ("q1 Q0 d3 3 1_0 t", "score '1_0'"),
        ("q1 Q0 d3 3 1,5 t", "score '1,5'"),
        ("q1 Q0 d3 3 0x1 t", "score '0x1'"),
        ("q1 Q0 d3 3 \u0661 t", "score '\u0661'"),
        ("q1\tQ0\td3\t3\t\tt", "score ''"),
        ("q1 Q0 d3 3 1", "needs 6 columns"),
        ("q1 Q0 my doc 3 1 t", "needs 6 columns"),
        ("q1,Q0,d3,3,1,t", "needs 6 columns"),
        ("q1\tQ0\t \t3\t1\tt", "blank id"),
        ("\tQ0\td3\t3\t1\tt", "blank id"),
        ("q1 Q0 d1 9 2.5 t", "document 'd1' of query 'q1' stands in line 1 already: keep one"),
        ("q1 Q0 d\0 9 2.5 t", "NUL byte (byte 8)"),
    ],
)
def test_a_bad_line_is_named(written, line, message):
    """A score that is no number would order a ranking."""
    path = written(f"{SOUND}{line}\n")
    with pytest.raises(FormatError) as caught:
        read_run(path)
    (found,) = caught.value.findings
    assert (found.file, found.line) == (str(path), 3)
    assert message in found.message
    assert str(caught.value).startswith(f"{path}:3: ")


@pytest.mark.parametrize("content", ["", "\n \n", b"\xef\xbb\xbf"])
def test_a_run_without_results_is_refused(written, content):
    """An arm that never ran would be measured as one that found nothing."""
    with pytest.raises(FormatError, match="holds no result"):
        read_run(written(content))


def test_a_missing_run_is_named(tmp_path):
    """A mistyped path would be answered by a stack trace."""
    with pytest.raises(FormatError, match=r"nowhere\.run: is not a file"):
        read_run(tmp_path / "nowhere.run")


def test_further_tags_are_counted(written):
    """Two runs glued together would pass for one."""
    found = read_run(written(SOUND + "q2 Q0 d1 1 1 other\nq3 Q0 d1 1 1 other\n"))
    assert found.tag == "bm25"
    (only,) = found.findings
    assert (only.line, only.count) == (3, 1)
    assert "more than one tag, the first is taken: 1, namely 'other'" in only.message


@pytest.mark.parametrize(
    ("results", "said"),
    [
        ("1 3, 2 2, 3 1", False),
        ("3 1, 1 3, 2 2", False),
        ("0 1, 0 3, 0 2", False),
        ("1 5, 2 5, 3 5", False),
        ("1 1.00000001, 2 1.00000002", False),
        ("x 1, y 2", False),
        ("1 3, 2 1, 3 2", True),
        ("1 2, 1 5, 2 4, 3 1", True),
        ("10 1, 9 0.5", True),
    ],
)
def test_ranks_that_contradict_the_scores_are_said(written, results, said):
    """A system that is measured in another order than it answered in could not be told from it."""
    rows = [f"q Q0 d{n} {one} t\n" for n, one in enumerate(results.split(", "))]
    found = read_run(written("".join(rows))).findings
    assert ["ranks say otherwise" in one.message for one in found] == [True] * said


def test_marks_line_ends_and_packing_change_nothing(written):
    """A run saved on another machine would be another run."""
    expected = read_run(written(SOUND)).scores
    windows = b"\xef\xbb\xbf" + SOUND.encode().replace(b"\n", b"\r\n\r\n")
    assert read_run(written(windows)).scores == expected
    assert read_run(written(gzip.compress(windows))).scores == expected
    rows = "".join(f"q1 Q0 d{n} {n} 1.5 t\n" for n in range(500))
    torn = gzip.compress(rows.encode())[:-20]
    with pytest.raises(FormatError, match="torn gzip"):
        read_run(written(torn))


@pytest.mark.req("W02")
@pytest.mark.parametrize(
    ("scores", "order"),
    [
        ({"a": 1.0, "b": 1.0, "c": 2.0}, "cba"),
        ({"a": 0.0, "b": -0.0}, "ba"),
        # One tenth and its neighbour are one number in 32 bits, so the id decides.
        ({"a": 0.1 + 1e-12, "b": 0.1}, "ba"),
        ({"a": 0.1 + 1e-6, "b": 0.1}, "ab"),
        ({"\uff5e": 1.0, "\U0001f600": 1.0}, "\U0001f600\uff5e"),
        ({}, ""),
    ],
)
def test_ties_go_by_id_descending(scores, order):
    """An imported run would be measured otherwise than trec_eval measures it."""
    assert ranking(scores) == tuple(order)


ids = st.text(st.characters(codec="utf-8", exclude_characters="\t\r\n\0"), min_size=1, max_size=4)
ids = ids.filter(str.strip)
near = st.sampled_from([0.1, 0.1 + 1e-12, 1 / 3, 1.0, -1.0, 0.0, -0.0])
scores = st.floats(-1e30, 1e30, allow_subnormal=False) | near
results = st.dictionaries(ids, scores, min_size=1, max_size=12)


@pytest.mark.req("W30")
@settings(deadline=None)
@given(results, st.data())
def test_the_order_is_that_of_trec_eval(found, data):
    """The same run would have two figures, ours and everybody else's."""
    marks = {key: data.draw(st.integers(0, 3)) for key in found} | {"absent": 1}
    plain = {key: f"{rank:04}" for rank, key in enumerate(sorted(found, key=str.encode))}
    names = {**plain, "absent": "none"}
    expected = pytrec_eval.RelevanceEvaluator(
        {"q": {names[key]: grade for key, grade in marks.items()}}, {"ndcg_cut.10"}
    ).evaluate({"q": {names[key]: score for key, score in found.items()}})["q"]["ndcg_cut_10"]
    assert ndcg_at(ranking(found), marks) == pytest.approx(expected, abs=1e-9)


@pytest.mark.req("W02")
@pytest.mark.parametrize("name", ["out.run", "out.run.gz"])
def test_a_written_run_reads_back(tmp_path, name):
    """An exported run would not be the run that was made."""
    path = tmp_path / name

    @settings(deadline=None, max_examples=60)
    @given(st.dictionaries(ids, results, min_size=1, max_size=4), ids)
    def round_trip(found, tag):
        run = Run(tag=tag, scores=found)
        write_run(run, path)
        again = read_run(path)
        assert again == run
        assert again.rankings() == run.rankings()

    round_trip()
    assert sorted(one.name for one in tmp_path.iterdir()) == [name]


def test_a_written_run_states_ranks_in_its_own_order(tmp_path):
    """A reader that goes by the rank column would see another order."""
    write_run(Run(tag="t", scores={"q": {"a": 1.0, "b": 2.5, "c": 1.0}}), tmp_path / "r")
    rows = ["q\tQ0\tb\t1\t2.5\tt", "q\tQ0\tc\t2\t1.0\tt", "q\tQ0\ta\t3\t1.0\tt", ""]
    assert (tmp_path / "r").read_text() == "\n".join(rows)


def test_equal_runs_are_equal_bytes(tmp_path):
    """A packed file would differ by the time of its writing alone."""
    run = Run(tag="t", scores={"q": {"a": 1.0}})
    write_run(run, tmp_path / "a.gz")
    first = (tmp_path / "a.gz").read_bytes()
    write_run(run, tmp_path / "a.gz")
    assert (tmp_path / "a.gz").read_bytes() == first
    assert struct.unpack("<I", first[4:8]) == (0,)


@pytest.mark.parametrize("key", ["", " ", "a\tb", "a\nb", "a\rb", "a\0b"])
def test_what_no_column_can_hold_is_refused(tmp_path, key):
    """An id with a tab would shift the columns of its line."""
    with pytest.raises(ValueError, match="no column of a file"):
        write_run(Run(tag="t", scores={"q": {key: 1.0}}), tmp_path / "r")
    assert list(tmp_path.iterdir()) == []
