"""Every missed document has one cause, and the first stage that lost it is the one."""

import time
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eval.misses import Cause, Known, as_json, as_text, cause, misses
from eval.misses.table import notes
from tests.replay.random_traces import random_plain_trace

HERE = ("news", "right")


def trace(**changes):
    """A source that answered with one other record, which was shown."""
    return {
        "scope": ["news", "wiki"],
        "chosen": ["news"],
        "plans": [{"source": "news", "strategies": ["keyword"]}],
        "answers": [{"source": "news", "capped": False, "rows": [row("other")]}],
        "ordered_by": "final",
        "ranking": [ranked("other")],
        "shown": 1,
        "notices": [],
        **changes,
    }


def row(key):
    return ["docs", key, 1.0, None, False, []]


def ranked(key, semantic=0.5):
    return ["news", "docs", key, semantic, 0.4]


CAPPED = [{"source": "news", "capped": True, "rows": []}]
FOUND = [{"source": "news", "capped": False, "rows": [row("right")]}]
BEHIND = [*(ranked(f"d{n}") for n in range(10)), ranked("right")]
CASES = [
    (Cause.NOT_IN_SCOPE, {"scope": ["wiki"]}),
    (Cause.NOT_SELECTED, {"chosen": ["wiki"]}),
    (Cause.NOT_PLANNED, {"plans": [{"source": "news", "strategies": []}], "answers": []}),
    (Cause.REJECTED, {"answers": []}),
    (Cause.PAST_DEADLINE, {"answers": [{"source": "news", "capped": False, "failed": "TIMEOUT"}]}),
    (Cause.FAILED, {"answers": [{"source": "news", "capped": False, "failed": "AUTH_FAILED"}]}),
    (Cause.NOT_KNOWN, {}),
    (
        Cause.FAILED,
        {
            "answers": [
                {"source": "news", "capped": False, "failed": "TIMEOUT"},
                {"source": "news", "capped": False, "failed": "UNKNOWN"},
            ]
        },
    ),
    (
        # What the failed one would have found nobody knows, however little the other found.
        Cause.FAILED,
        {
            "answers": [
                {"source": "news", "capped": False, "rows": []},
                {"source": "news", "capped": False, "failed": "UNKNOWN"},
            ]
        },
    ),
    (Cause.NOT_KNOWN, {"answers": CAPPED}),
    (Cause.MERGED_AWAY, {"answers": FOUND}),
    (Cause.NOT_ASKED, {"ranking": [*BEHIND[:-1], ranked("right", "not asked")], "shown": 10}),
    (Cause.OMITTED, {"ranking": [*BEHIND[:-1], ranked("right", "omitted")], "shown": 10}),
    (Cause.BELOW_K, {"ranking": BEHIND, "shown": 10}),
    (
        Cause.BELOW_K,
        {
            "ranking": [*BEHIND[:-1], ranked("right", "not asked")],
            "shown": 10,
            "ordered_by": "weighted",
        },
    ),
    (
        Cause.CUT_BY_SIZE,
        {
            "ranking": [ranked("other"), ranked("right")],
            "notices": [{"code": "RESPONSE_TRUNCATED", "count": 1}],
        },
    ),
    (Cause.CUT_BY_LIMIT, {"ranking": [ranked("other"), ranked("right", "not asked")]}),
    (
        # The limit let two through, of which the size cap cut one.
        Cause.CUT_BY_LIMIT,
        {
            "ranking": [ranked("other"), ranked("second"), ranked("right")],
            "notices": [
                {"code": "RESPONSE_TRUNCATED", "count": 1},
                {"code": "HAS_MORE", "count": 0},
            ],
        },
    ),
    (
        Cause.CUT_BY_SIZE,
        {
            "ranking": [ranked("other"), ranked("right"), ranked("third")],
            "notices": [
                {"code": "RESPONSE_TRUNCATED", "count": 1},
                {"code": "HAS_MORE", "count": 0},
            ],
        },
    ),
    (None, {"ranking": [ranked("right")]}),
]


@pytest.mark.req("W57")
@pytest.mark.parametrize(("expected", "changes"), CASES, ids=lambda value: str(value)[:24])
def test_each_cause(expected, changes):
    """An engineer would mend a stage that lost nothing."""
    assert cause(trace(**changes), "q", HERE, 10, Known()) is expected


@pytest.mark.req("W57")
def test_what_only_others_know():
    """A hidden document would read as a bad ranking, an unmatched one as too small a cap."""
    capped, here = trace(answers=CAPPED), frozenset({HERE})
    there = Known(sought=here)
    for expected, one, known in (
        (Cause.HIDDEN, trace(), Known(hidden=here)),
        (Cause.ABSENT, trace(chosen=[]), Known(absent=here)),
        (Cause.NO_TERM_MATCHED, capped, replace(there, unmatched={"q": here})),
        # Not found over its key alone: it may as well be hidden.
        (Cause.NOT_KNOWN, capped, Known(unmatched={"q": here})),
        (Cause.NOT_KNOWN, capped, there),
        (Cause.NO_TERM_MATCHED, trace(), there),
        (Cause.BELOW_ROW_CAP, capped, Known(matched={"q": here})),
        (Cause.NOT_KNOWN, capped, Known(matched={"another": here})),
        (
            Cause.MASKED,
            trace(ranking=[ranked("right")]),
            Known(masked=frozenset({("news", "docs")})),
        ),
        (None, trace(ranking=[ranked("right")]), Known(masked=frozenset({("news", "pages")}))),
    ):
        assert cause(one, "q", HERE, 10, known) is expected


def test_the_price_by_hand():
    """The stage that costs most would not be the one at the top of the list.

    Two queries, one right document each: one shown first (nDCG 1), one never selected (0 to 1).
    """
    traces = {"a": trace(ranking=[ranked("right")]), "b": trace(chosen=[])}
    found = misses(traces, {"a": {HERE: 1}, "b": {HERE: 2}})
    assert (found.right, found.shown) == (2, 1)
    (only,) = found.rows
    assert (only.cause, only.lost, only.queries, only.price) == (Cause.NOT_SELECTED, 1, 1, 0.5)
    assert "+0.5000" in as_text(found)
    assert as_json(found)["causes"][0]["first"] == [["b", ["news", "right"]]]


def test_a_lost_document_goes_where_it_gains_most():
    """The price would be too low: in front of four better ones a weak document costs."""
    better = [("news", f"d{n}") for n in range(4)]
    one = trace(ranking=[ranked("x"), *(ranked(key) for _, key in better)], shown=5)
    marks = {**dict.fromkeys(better, 3), ("wiki", "weak"): 1}
    (row,) = misses({"q": one}, {"q": marks}).rows
    # at rank 6 it adds 1/log2(7) = .3562 over the ideal 3(1 + .6309 + .5 + .4307) + .3869
    assert row.price == pytest.approx(0.356207 / (3 * 2.561607 + 0.386853), abs=1e-5)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), k=st.integers(1, 12))
def test_every_miss_has_exactly_one_cause(seed, k):
    """Documents would vanish from the table, or be counted twice."""
    one = random_plain_trace(seed)
    keys = [(s, f"k{n}") for s in ("a", "b", "c", "elsewhere") for n in range(14)]
    found = misses({"q": one}, {"q": dict.fromkeys(keys, 1)}, k)
    shown = {(r[0], r[2]) for r in one["ranking"][: min(k, one["shown"])]}
    assert found.shown == len(shown & set(keys))
    assert found.shown + sum(row.lost for row in found.rows) == found.right == len(keys)
    assert all(row.price >= 0 for row in found.rows)


def test_two_relations_of_a_source_may_hold_one_key():
    """One record found in two tables would cost the whole report."""
    twice = [["news", "docs", "other", 0.5, 0.4], ["news", "pages", "other", 0.5, 0.3]]
    one = trace(ranking=twice, shown=2)
    (row,) = misses({"q": one}, {"q": {HERE: 1, ("news", "other"): 1}}).rows
    # From 1 / (1 + 1/log2(3)) to 1.
    assert row.price == pytest.approx(1 - 1 / 1.6309297535714575, abs=1e-12)


def test_a_record_counts_once_for_its_place():
    """A right document at rank 10 of the list would be told as ranked below 10."""
    nine = [ranked(f"d{n}") for n in range(9)]
    again = ["news", "pages", "d0", 0.5, 0.4]
    one = trace(ranking=[*nine[:1], again, *nine[1:], ranked("right")], shown=11)
    assert cause(one, "q", HERE, 10, Known()) is None


def test_the_better_row_of_a_record_is_what_is_read():
    """A record that is shown in full would count as masked, for a second row of it behind."""
    again = ["news", "pages", "right", 0.5, 0.3]
    one = trace(ranking=[ranked("right"), again], shown=2)
    for mapping, expected in (("pages", None), ("docs", Cause.MASKED)):
        known = Known(masked=frozenset({("news", mapping)}))
        assert cause(one, "q", HERE, 10, known) is expected


def test_a_label_that_came_after_the_look_is_told_of():
    """A document that was deleted since would pass for one whose words are wrong."""
    gone, new = ("news", "gone"), ("news", "new")
    known = Known(absent=frozenset({gone}), sought=frozenset({gone}))
    found = misses({"q": trace()}, {"q": {gone: 1, new: 1}}, known=known)
    assert {row.cause: row.lost for row in found.rows} == {
        Cause.ABSENT: 1,
        Cause.NOT_KNOWN: 1,
    }
    assert found.unsought == 1
    assert notes(found, known) == (
        "not known: no engine was asked, or none could say; recording it again asks, and records "
        "no question twice",
        "of 1 no engine was asked, or it could not say: hidden and gone ones are not told apart "
        "there; recording it again asks, and records no question twice",
    )
    asked = Known(absent=frozenset({gone}), sought=frozenset({gone, new}))
    assert notes(misses({"q": trace()}, {"q": {gone: 1, new: 1}}, known=asked), asked) == ()


@pytest.mark.req("W57")
def test_a_large_set_takes_seconds():
    """A report over 10,000 queries with 37 ratings each would take minutes: each query would be
    searched for among what all of them lost."""
    marks = {("news", f"k{n}"): 1 for n in range(37)}
    queries = [f"q{n}" for n in range(10_000)]
    began = time.process_time()
    found = misses(dict.fromkeys(queries, trace()), dict.fromkeys(queries, marks))
    assert time.process_time() - began < 15
    (row,) = found.rows
    assert (row.lost, row.queries, found.unsought) == (370_000, 10_000, 370_000)


def test_a_source_that_may_not_be_asked_leaves_nothing_to_ask():
    """Recording again would be advised for ever, and would ask nothing."""
    found = misses({"q": trace(scope=["wiki"])}, {"q": {HERE: 1}})
    assert (found.rows[0].cause, found.unsought) == (Cause.NOT_IN_SCOPE, 0)
