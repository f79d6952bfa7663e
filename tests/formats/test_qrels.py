"""Judgements are read from either form, equal duplicates counted, contradictions refused."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eval.formats.trec import FormatError, QrelsForm, read_qrels, write_qrels


@pytest.fixture
def written(tmp_path):
    """A file of this text."""

    def write(text):
        path = tmp_path / "labels.tsv"
        path.write_text(text)
        return path

    return write


@pytest.mark.req("W01")
@pytest.mark.parametrize(
    "text",
    [
        "query-id\tcorpus-id\tscore\n01\td 1\t2\n01\td2\t-1\n",
        "QID\tdoc\trel\n01\td 1\t2\n01\td2\t-1\n",
        "01\td 1\t2\n01\td2\t-1\n",
        "01\t0\td 1\t2\n01\t0\td2\t-1\n",
        "01\t0\td 1\t+2\n01 0   d2 -1",
    ],
)
def test_either_form_is_read(written, text):
    """Labels that another tool wrote would need a conversion, or lose a leading zero."""
    assert read_qrels(written(text)).judgements == {"01": {"d 1": 2, "d2": -1}}


@pytest.mark.req("W01")
def test_an_equal_duplicate_is_counted_and_changes_nothing(written):
    """A file concatenated with itself would measure .007 where it measured .18."""
    once = "q\ta\t1\nq\tb\t0\n"
    found = read_qrels(written(once * 2))
    assert found.judgements == {"q": {"a": 1, "b": 0}}
    (only,) = found.findings
    assert (only.line, only.count) == (3, 2)
    assert "judgement given twice, kept once: 2, namely 'q' 'a' (line 3)" in only.message


@pytest.mark.req("W01")
def test_contradicting_judgements_are_refused_with_both_lines(written):
    """The later of two people would win because of where their line stands."""
    path = written("q a 1\nq b 1\nq a 2\nq b 0\n")
    with pytest.raises(FormatError) as caught:
        read_qrels(path)
    assert [one.line for one in caught.value.findings] == [3, 4]
    assert str(caught.value).splitlines()[0] == (
        f"{path}:3: judges 'q' 'a' a second time, grade 2 here, 1 in line 1: keep one"
    )


def test_a_file_without_judgements_is_refused(written):
    """A run would be measured against nothing."""
    for text in ("", "query-id\tcorpus-id\tscore\n"):
        with pytest.raises(FormatError, match="holds no judgement"):
            read_qrels(written(text))


ids = st.text(st.characters(codec="utf-8", exclude_characters="\t\r\n\0"), min_size=1, max_size=5)
grades = st.dictionaries(ids.filter(str.strip), st.integers(-9, 9), min_size=1, max_size=5)


@pytest.mark.req("W01")
@pytest.mark.parametrize("form", QrelsForm)
@pytest.mark.parametrize("name", ["labels.tsv", "labels.tsv.gz"])
def test_written_judgements_read_back(tmp_path, form, name):
    """Exported labels would not be the labels that were given."""

    @settings(deadline=None, max_examples=60)
    @given(st.dictionaries(ids.filter(str.strip), grades, min_size=1, max_size=4))
    def round_trip(judgements):
        write_qrels(judgements, tmp_path / name, form)
        found = read_qrels(tmp_path / name)
        assert found.judgements == judgements
        assert found.findings == ()

    round_trip()


def test_many_ratings_survive_a_round_trip(tmp_path):
    """An export would hold the first ratings only, or drop the zeros."""
    judgements = {f"q{n}": {f"d{m}": m % 4 for m in range(37)} for n in range(500)}
    write_qrels(judgements, tmp_path / "labels")
    assert read_qrels(tmp_path / "labels").judgements == judgements


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("1 0 184 3\n1 0 29\n", 2),
        ("1\t0\t184\t3\n1\t0\t29\n", 2),
        ("query-id\tcorpus-id\tscore\n1\t184\t3\n1\t0\t29\t2\n", 3),
    ],
)
def test_a_line_that_is_cut_off_is_no_judgement(written, text, line):
    """The key of the last document of a torn file would become the grade of a document "0"."""
    path = written(text)
    with pytest.raises(FormatError, match=f":{line}: needs [34] columns, as the lines before it"):
        read_qrels(path)
