"""What may be written into a cell can be read back out of it, and what may not is said at once."""

from __future__ import annotations

import pytest

from eval.formats.csvtable import LONGEST_CELL, read_table, write_table
from eval.formats.findings import Findings, FormatError
from eval.formats.lines import LONGEST_LINE
from eval.formats.quepid import read_quepid, write_quepid
from eval.formats.ratings import read_ratings, write_ratings
from eval.formats.sheet import Failure, Judgement, Keys, Sheet
from eval.judge import sheet as judging
from eval.judge.shown import Shown
from tests.formats.sheets import content

PYTHONS = 131_072
LENGTHS = (PYTHONS, PYTHONS + 1, LONGEST_CELL)


@pytest.mark.req("W11", "W13")
@pytest.mark.parametrize(
    ("letter", "length"),
    [
        *(("x", length) for length in LENGTHS),
        ('"', LONGEST_CELL),
        ("\n", PYTHONS + 1),
        ("é", 10**6),
    ],
)
def test_long_reasons_and_needs_come_back(tmp_path, letter, length):
    """A judge's long reason could be saved, and then the whole file be opened no more."""
    said = "a" + letter * (length - 2) + "z"
    given = Sheet(
        keys=Keys.ID,
        queries=("q",),
        judgements=(Judgement(query="q", document="d", grade=1, rater="ada", reason=said),),
        failures=(Failure(query="q", document="e", why=said),),
        texts={"q": "red"},
        needs={"q": said},
    )
    write_ratings(given, tmp_path / "r.csv")
    assert content(read_ratings(tmp_path / "r.csv")) == content(given)


@pytest.mark.req("W03", "W10")
@pytest.mark.parametrize("raters", [False, True])
@pytest.mark.parametrize("length", LENGTHS)
def test_long_queries_and_ids_come_back(tmp_path, length, raters):
    """An address with a page of parameters would make the list unreadable."""
    said = "=" * length
    given = Sheet(
        keys=Keys.TEXT,
        queries=(said,),
        judgements=(Judgement(query=said, document=said, grade=1),),
    )
    write_quepid(given, tmp_path / "q.csv", raters=raters)
    assert content(read_quepid(tmp_path / "q.csv", raters=raters)) == content(given)


@pytest.mark.parametrize("escape", [False, True])
def test_a_cell_over_the_bound_is_refused_by_writer_and_reader(tmp_path, escape):
    """A file would be written that nobody can open, or be read to its end for one open quote."""
    path, cell = tmp_path / "t.csv", "=" + "x" * (LONGEST_CELL - 1 + (not escape))
    with pytest.raises(ValueError, match="a cell has 1,000,001 characters; it may have 1,000,000"):
        write_table(path, ("query",), [(cell,)], escape=escape)
    assert not path.exists()
    path.write_text(f'query,docid,rating\na,b,1\n"{"x" * (LONGEST_CELL + 1)}",d,1\n')
    with pytest.raises(FormatError) as caught:
        read_quepid(path)
    assert "t.csv:3: is no usable CSV: a cell has more than 1,000,000 char" in str(caught.value)


def test_a_row_longer_than_a_line_may_be_is_refused_by_the_writer(tmp_path):
    """Eight long cells, each within its bound, would make a line that no reader takes."""
    row = ["\U0001f600" * (LONGEST_CELL - 1)] * 5
    with pytest.raises(ValueError, match="a row has 4,999,995 characters, longer than a line"):
        write_table(tmp_path / "t.csv", list("abcde"), [row])
    quotes = ['"' * LONGEST_CELL] * 8
    write_table(tmp_path / "t.csv", list("abcdefgh"), [quotes])
    assert (tmp_path / "t.csv").stat().st_size < LONGEST_LINE + 100
    (found,) = read_table(tmp_path / "t.csv", Findings()).rows
    assert list(found.cells) == quotes


def test_a_judging_file_with_a_long_need_comes_back(tmp_path):
    """The ratings a person typed beside it could not be read."""
    path, need = tmp_path / "j.csv", "n" * (PYTHONS + 1)
    judging.write(path, [("q", "s", "d")], shown=Shown(questions={"q": ("red", need)}))
    path.write_text(path.read_text().replace("q,s,d,,", "q,s,d,2,"))
    assert judging.read(path) == {("q", "s", "d"): 2}
    path.write_text(path.read_text()[:-40].replace("red,n", 'red,"n'))
    with pytest.raises(judging.SheetError, match="is every quote closed"):
        judging.read(path)
