"""Clicks become judgements by tables worked by hand."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from eval.formats.clicks import coec, read_clicks
from eval.formats.events import Shown
from eval.formats.findings import FormatError

GOLDEN = Path(__file__).parent / "golden"

# clicks.csv, by hand. CTR(1) = (4+1) / (6+4) = .5, CTR(2) = (1+1) / (4+6) = .2, CTR(3) = 0 / 4.
# a: 5 clicks over 6 x .5 + 4 x .2 = 3.8; b: 2 over 4 x .5 + 6 x .2 = 3.2; c: none over 4 x 0.
BY_HAND = {("shoes", "a"): 5 / 3.8, ("shoes", "b"): 2 / 3.2}


def told(sheet):
    return {(one.query, one.document): one.grade for one in sheet.judgements}


@pytest.mark.req("W19")
def test_clicks_over_expected_clicks_are_those_of_the_table():
    """Expected clicks would be averaged over places, and a good document low on a page seem bad."""
    found = read_clicks(GOLDEN / "clicks.csv")
    assert told(found) == pytest.approx(BY_HAND, abs=1e-12)
    assert {one.rater for one in found.judgements} == {"clicks"}
    assert found.open == (("shoes", "c"),)
    assert "nobody ever clicked, not judged: 1" in found.findings[0].message


@pytest.mark.req("W19")
def test_what_the_place_explains_is_one():
    """A document would be called good for standing on top."""
    rows = [
        Shown(query=query, document="d", place=place, impressions=100, clicks=clicks)
        for query in "xy"
        for place, clicks in ((1, 40), (2, 10))
    ]
    assert coec(rows) == pytest.approx({("x", "d"): 1.0, ("y", "d"): 1.0})


def event(search, document, place, action="impression", **more):
    about = {"object": {"object_id": document}, "position": {"ordinal": place}}
    return {"action_name": action, "query_id": search, "event_attributes": about, **more}


def events_of_the_table():
    """The searches behind clicks.csv: each shows one document at one place."""
    rows = [("a", 1, 6, 4), ("a", 2, 4, 1), ("b", 1, 4, 1), ("b", 2, 6, 1), ("c", 3, 4, 0)]
    lines = []
    for document, place, impressions, clicks in rows:
        for n in range(impressions):
            search = f"{document}{place}-{n}"
            lines.append({"query_id": search, "user_query": "shoes", "hits": ["x"]})
            lines.append(event(search, document, place))
            if n < clicks:
                # A click event that says nothing of its place counts where it was shown.
                lines.append(event(search, document, None, "click"))
    return lines


@pytest.mark.req("W19")
def test_events_give_the_table_of_their_counts(tmp_path):
    """A search reported twice, or a click without its place, would change every judgement."""
    lines = events_of_the_table()
    lines += [line for line in lines if line.get("action_name")][:9]  # sent twice
    lines += [event("a1-0", "z", 1, "click"), event("a1-0", "a", 1, "add_to_cart")]
    random.Random(5).shuffle(lines)
    wrapped = [{"_source": line} if n % 2 else line for n, line in enumerate(lines)]
    path = tmp_path / "events.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in wrapped))
    found = read_clicks(path)
    assert told(found) == told(read_clicks(GOLDEN / "clicks.csv"))
    said = " ".join(one.message for one in found.findings)
    assert "of one search, not counted" in said
    assert "click without an impression, left out: 1" in said
    assert "event of another action, left out: 1" in said


@pytest.mark.req("W19")
def test_a_table_of_events_is_read(tmp_path):
    """Who exports events from a warehouse would have to write JSON first."""
    path = tmp_path / "events.csv"
    path.write_text(
        "action_name,query_id,user_query,object_id,position\n"
        "impression,s1,shoes,0001,1\nimpression,s2,shoes,0001,1\nclick,s1,shoes,0001,1\n"
        "impression,s1,shoes,0002,2\n"
    )
    assert told(read_clicks(path)) == {("shoes", "0001"): 1}
    assert told(read_clicks(path, deepest=1)) == {("shoes", "0001"): 1}
    assert read_clicks(path, deepest=1).open == ()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ({**event("s", "d", 1), "user_query": None}, "the search 's' has no user_query"),
        (event("", "d", 1, user_query="x"), "has no query_id"),
        (event("s", None, 1, user_query="x"), "names no object_id"),
        (event("s", "d", "top", user_query="x"), "has the position 'top'"),
        (event("s", "d", -1, user_query="x"), "has the position -1"),
        (event("s", "d", 1.5, user_query="x"), "has the position 1.5"),
        (["s"], "not a JSON object"),
    ],
)
def test_an_event_that_says_nothing_certain_is_refused(tmp_path, line, said):
    """A missing field would be read as null and scored."""
    path = tmp_path / "events.jsonl"
    path.write_text(json.dumps(event("k", "d", 1, user_query="q")) + f"\n{json.dumps(line)}\n")
    with pytest.raises(FormatError) as caught:
        read_clicks(path)
    assert (caught.value.findings[0].line, said in str(caught.value)) == (2, True)


@pytest.mark.parametrize("row", ["shoes,a,1,4,5", "shoes,a,1,,0", "shoes,a,x,4,1", ",a,1,4,1"])
def test_counts_that_cannot_be_are_refused(tmp_path, row):
    """More clicks than impressions would make everything at that place seem bad."""
    path = tmp_path / "counts.csv"
    path.write_text(f"query,docid,position,impressions,clicks\n{row}\n")
    with pytest.raises(FormatError, match=r"counts\.csv:2: "):
        read_clicks(path)


@pytest.mark.req("W19")
def test_the_order_of_rows_changes_no_judgement(tmp_path):
    """Sums of floats depend on their order: a sorted file would have another grade at a cut."""
    r = random.Random(6)
    rows = [
        f"{query},d{n},{r.randint(1, 9)},{r.randint(50, 99)},{r.randint(0, 49)}"
        for query in ("shoes", "boots")
        for n in range(12)
        for _ in range(9)
    ]
    found = []
    for _ in range(4):
        r.shuffle(rows)
        head = "query,docid,position,impressions,clicks"
        (tmp_path / "clicks.csv").write_text("\n".join([head, *rows]) + "\n")
        found.append(read_clicks(tmp_path / "clicks.csv"))
    assert [told(one) for one in found] == [told(found[0])] * 4
