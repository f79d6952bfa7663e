"""One file of each format as people have it, read to its content and written to the byte."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from eval.formats.opensearch import read_opensearch, write_opensearch
from eval.formats.quepid import read_quepid, write_quepid
from eval.formats.ratings import read_ratings, write_ratings
from eval.formats.rre import RreShape, read_rre, write_rre
from eval.formats.sheet import Failure, Judgement, Keys, Sheet
from tests.formats.sheets import content

GOLDEN = Path(__file__).parent / "golden"
URL, NAIL, ASKED = "https://x.org/a?b=1", '9" nail', "red shoes"


def given(document, grade, rater="", reason="", query=ASKED):
    return Judgement(query=query, document=document, grade=grade, rater=rater, reason=reason)


SETTLED = (given("0001", 3), given(URL, 0.5))
BASIC = Sheet(
    keys=Keys.TEXT, queries=(ASKED, "zero hits"), judgements=SETTLED, open=((ASKED, NAIL),)
)
RATERS = Sheet(
    keys=Keys.TEXT,
    queries=(ASKED, "zero hits"),
    judgements=(given("0001", 3, "Ada L."), given("0001", 2, "bob@example.org"), given(URL, 0)),
    open=((ASKED, NAIL),),
    failures=(Failure(query=ASKED, document=URL, rater="bob@example.org", why="unrateable"),),
)
LONG = Sheet(
    keys=Keys.ID,
    queries=("q1", "q2"),
    judgements=(
        given("0001", 3, "ada", 'the title says "red"', query="q1"),
        given("0001", 2, "bob", query="q1"),
    ),
    open=(("q1", "0003"),),
    failures=(Failure(query="q1", document="0002", rater="model", why="timeout"),),
    texts={"q1": ASKED, "q2": "zero hits"},
    needs={"q1": "shoes, not boots"},
)
NO_OPEN = Sheet(keys=Keys.TEXT, queries=(ASKED, "zero hits"), judgements=SETTLED)
JUDGED = Sheet(keys=Keys.TEXT, queries=(ASKED,), judgements=SETTLED)
CASES = {
    "quepid.csv": (BASIC, read_quepid, write_quepid, {}),
    "quepid-raters.csv": (RATERS, read_quepid, write_quepid, {"raters": True}),
    "ratings.csv": (LONG, read_ratings, write_ratings, {}),
    "rre-gain.json": (NO_OPEN, read_rre, write_rre, {}),
    "rre-grades.json": (NO_OPEN, read_rre, write_rre, {"shape": RreShape.GRADES}),
    "opensearch.json": (JUDGED, read_opensearch, write_opensearch, {}),
}


@pytest.mark.req("W03", "W04", "W07", "W10")
@pytest.mark.parametrize("name", CASES)
def test_a_file_is_read_to_its_content(name):
    """Labels of another tool would change on their way in."""
    sheet, read, _, options = CASES[name]
    raters = {key: value for key, value in options.items() if key == "raters"}
    assert content(read(GOLDEN / name, **raters)) == content(sheet)


@pytest.mark.req("W03", "W04", "W07", "W10")
@pytest.mark.parametrize("name", CASES)
def test_a_sheet_is_written_to_the_byte(tmp_path, name):
    """The other tool would be handed a file it does not know."""
    sheet, _, write, options = CASES[name]
    named = {"name": "shop"} if name.endswith(".json") else {}
    write(sheet, tmp_path / name, **options, **named)
    assert (tmp_path / name).read_bytes() == (GOLDEN / name).read_bytes()
    assert [one.name for one in tmp_path.iterdir()] == [name]


@pytest.mark.req("W04")
def test_rre_topics_and_groups_are_read():
    """The queries of a group would share no documents, or only the first would be asked."""
    found = read_rre(GOLDEN / "rre-topics.json")
    grades = {"0001": 3, "0002": 1}
    assert found.grades == {"red shoes": grades, "Red Shoes": grades}
    assert ["further placeholder" in one.message for one in found.findings] == [True]


@pytest.mark.req("W07")
def test_the_answer_of_opensearch_itself_is_read():
    """A list fetched from the workbench would have to be taken apart by hand."""
    found = read_opensearch(GOLDEN / "opensearch-get.json")
    assert found.judgements == SETTLED
    assert [one.message for one in found.findings] == [
        "list that is not complete: 1, namely status 'PROCESSING'"
    ]
    assert read_opensearch(GOLDEN / "opensearch-map.json") == JUDGED


@pytest.mark.req("W03")
@pytest.mark.parametrize("change", ["mark", "unix", "semicolons", "tabs", "case", "general"])
def test_a_file_saved_by_another_program_is_the_same(tmp_path, change):
    """Labels would be lost to the place where somebody opened and saved them."""
    text = (GOLDEN / "quepid.csv").read_bytes().decode()
    path = tmp_path / "q.csv"
    head, _, body = text.partition("\r\n")
    changed = {
        "mark": "\ufeff" + text,
        "unix": text.replace("\r\n", "\n"),
        "semicolons": text.replace(",", ";"),
        "tabs": text.replace(",", "\t"),
        "case": head.upper() + "\n" + body,
        "general": "Query Text,Doc ID,User Rating\n" + body,
    }[change]
    path.write_bytes(changed.encode())
    assert read_quepid(path) == BASIC


def test_what_needs_one_grade_refuses_several_raters(tmp_path):
    """One rater of several would speak for all, chosen by the order of rows."""
    for write in (write_quepid, write_rre, write_opensearch):
        with pytest.raises(ValueError, match="several raters: settle them"):
            write(RATERS, tmp_path / "x")
    assert list(tmp_path.iterdir()) == []


def test_packed_files_are_read(tmp_path):
    """A packed export would be refused as binary."""
    write_quepid(BASIC, tmp_path / "q.csv.gz")
    assert read_quepid(tmp_path / "q.csv.gz") == BASIC
    shutil.copy(tmp_path / "q.csv.gz", tmp_path / "renamed.csv")
    assert read_quepid(tmp_path / "renamed.csv") == BASIC
