"""Every format gives back what it was given, to the letter, or says beforehand what it loses."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eval.formats.opensearch import read_opensearch, write_opensearch
from eval.formats.quepid import read_quepid, write_quepid
from eval.formats.ratings import read_ratings, write_ratings
from eval.formats.rre import RreShape, read_rre, write_rre
from eval.formats.sheet import Failure, Keys, Sheet
from tests.formats.sheets import content, sheets, texts

relaxed = settings(
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.mark.req("W03")
@pytest.mark.parametrize("escape", [False, True])
def test_quepid_ratings_come_back(tmp_path, escape):
    """An id with a quote, a blank rating or a query without any would be another one, or a zero."""

    @relaxed
    @given(sheets())
    def round_trip(sheet):
        write_quepid(sheet, tmp_path / "q.csv", escape=escape)
        found = read_quepid(tmp_path / "q.csv", escaped=escape)
        assert content(found) == content(sheet)

    round_trip()


@pytest.mark.req("W10")
@pytest.mark.parametrize("escape", [False, True])
def test_every_raters_own_rating_comes_back(tmp_path, escape):
    """Three raters would be exported as one rating three times."""

    @relaxed
    @given(sheets(several=True))
    def round_trip(sheet):
        write_quepid(sheet, tmp_path / "q.csv", raters=True, escape=escape)
        found = read_quepid(tmp_path / "q.csv", raters=True, escaped=escape)
        assert content(found) == content(sheet)

    round_trip()


@pytest.mark.req("W11", "W16")
@pytest.mark.parametrize("escape", [False, True])
def test_ratings_come_back_with_reasons_and_failures(tmp_path, escape):
    """A reason would vanish, or a judgement that failed would be read as a grade."""

    @relaxed
    @given(sheets(keys=Keys.ID, several=True), st.data())
    def round_trip(sheet, data):
        judgements = tuple(
            replace(one, reason=data.draw(texts | st.just(""))) for one in sheet.judgements
        )
        asked = {query: data.draw(texts) for query in sheet.queries}
        sheet = replace(sheet, judgements=judgements, texts=asked, needs=asked)
        write_ratings(sheet, tmp_path / "r.csv", escape=escape)
        assert content(read_ratings(tmp_path / "r.csv", escaped=escape)) == content(sheet)

    round_trip()


@pytest.mark.req("W04")
@pytest.mark.parametrize("shape", RreShape)
def test_rre_ratings_come_back_in_either_shape(tmp_path, shape):
    """A document would get another grade, or a query without documents would vanish."""

    @relaxed
    @given(sheets())
    def round_trip(sheet):
        write_rre(sheet, tmp_path / "r.json", shape)
        assert content(read_rre(tmp_path / "r.json"), "open") == content(sheet, "open")

    round_trip()


@pytest.mark.req("W07")
def test_an_opensearch_list_comes_back(tmp_path):
    """A judgement list would lose fractions, or take 3 and "3.000" for two grades."""

    @relaxed
    @given(sheets(plain=True))
    def round_trip(sheet):
        write_opensearch(sheet, tmp_path / "j.json")
        assert content(read_opensearch(tmp_path / "j.json")) == content(sheet)

    round_trip()


@pytest.mark.parametrize("rater", ["", "ada"])
@pytest.mark.parametrize("failed", [0, 1, 3])
def test_a_book_in_which_nobody_has_rated_yet_comes_back(tmp_path, rater, failed):
    """A rater of failures alone had a column for each of them, and the file could not be read; one
    with pairs that wait, and with no rater, had none, and lost them all.
    """
    failures = tuple(
        Failure(query="red", document=f"d{n}", rater=rater, why="unrateable") for n in range(failed)
    )
    sheet = Sheet(
        keys=Keys.TEXT,
        queries=("red", "blue"),
        judgements=(),
        open=(("red", "waits"),),
        failures=failures,
    )
    write_quepid(sheet, tmp_path / "q.csv", raters=True)
    found = read_quepid(tmp_path / "q.csv", raters=True)
    assert (found.queries, found.open) == (sheet.queries, sheet.open)
    assert found.failures == failures
