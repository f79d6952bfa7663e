"""Measures by name: equal to trec_eval where it is exact, to hand-worked tables elsewhere."""

import random
from math import log2

import ir_measures
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eval.measures import NeverRan, UnknownMeasure, evaluate, measure

REFERENCE = (
    "nDCG@10",
    "nDCG@5",
    "nDCG",
    "RR",
    "RR(rel=2)",
    "AP",
    "AP(rel=2)",
    "AP@20",
    "P@5",
    "P(rel=2)@5",
    "R@50",
    "R@7",
    "Rprec",
    "Success@5",
    "Bpref",
    "Bpref(rel=2)",
    "Judged@10",
)


@pytest.mark.req("W28", "W30")
@settings(max_examples=200, deadline=None)
@given(seed=st.integers(0, 10**9), size=st.integers(0, 200))
def test_equal_to_trec_eval(seed, size):
    """A figure would differ from the one every paper and every other tool gives."""
    r = random.Random(seed)
    pool = [f"d{n}" for n in range(250)]
    marks = {d: r.choice([0, 0, 0, 1, 2, 3]) for d in r.sample(pool, r.randint(1, 90))}
    marks["d0"] = 2
    ids = r.sample(pool, size)
    run = [ir_measures.ScoredDoc("q", d, float(len(ids) - i)) for i, d in enumerate(ids)]
    qrels = [ir_measures.Qrel("q", d, grade) for d, grade in marks.items()]
    names = [ir_measures.parse_measure(name) for name in REFERENCE]
    wanted = {str(m): v for m, v in ir_measures.calc_aggregate(names, qrels, run).items()}
    for name in REFERENCE:
        one = measure(name)
        if not ids and name.startswith("Judged"):
            assert one(ids, marks) == 1.0  # nothing shown is nothing unjudged; ours says so
            continue
        assert one(ids, marks) == pytest.approx(wanted[one.name], abs=1e-9), name


@pytest.mark.req("W28")
@pytest.mark.parametrize(
    ("name", "grades", "expected"),
    [
        # (2^3 - 1) / 2^4 = 7/16 of readers stop at a grade of 3
        ("ERR@10", [3], 7 / 16),
        ("ERR@10", [0, 3], 7 / 16 / 2),
        ("ERR@10", [4, 4], 15 / 16 + 1 / 16 * 15 / 16 / 2),
        ("ERR@1", [0, 4], 0.0),
        ("ERR", [None, None, 1], 1 / 16 / 3),
        ("RBP(p=0.5, rel=1)", [1, 0, 1], 0.5 * (1 + 0.25)),
        ("RBP(p=0.5, rel=2)", [1, 2], 0.5 * 0.5),
        ("RBP(p=0.5)", [4, None, 2], 0.5 * (1 + 0.5 * 0.25)),
        ("RBP", [4], 0.2),
        ("nDCG(dcg='exp-log2')@10", [1, 3], (1 + 7 / log2(3)) / (7 + 1 / log2(3))),
    ],
)
def test_hand_worked(name, grades, expected):
    """A measure whose reference rounds or has another scale would be wrong and nobody would see."""
    ids = [f"d{n}" for n in range(len(grades))]
    marks = {id: grade for id, grade in zip(ids, grades, strict=True) if grade is not None}
    assert measure(name)(ids, marks) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", ["nDGC@10", "P", "nDCG@0", "nDCG@x", "", "P(rel=", "ERR(p=1)@3"])
def test_a_name_that_is_none_says_which_there_are(name):
    """A typing error in a report's measures would be a traceback, or another measure."""
    with pytest.raises(UnknownMeasure, match=r"there are|cutoff"):
        measure(name)


LISTS = {"1": ["a", "b"], "2": [], "4": ["x"], "5": [], "9": ["z"]}
MARKS = {"1": {"a": 1}, "2": {"a": 1}, "3": {}, "4": {"y": 0}, "5": {"y": 0}, "6": {"q": 2}}


@pytest.mark.req("W29")
def test_no_query_is_left_out_in_silence():
    """A mean would be over fewer queries than the reader thinks: 1, 2 and 6 are measured."""
    found = evaluate(LISTS, MARKS, [measure("nDCG@10"), measure("RR")])
    assert found.queries == ("1", "2", "6")
    assert found.mean("nDCG@10") == found.mean("RR") == pytest.approx(1 / 3)
    assert found.empty == ("2", "6")
    assert found.no_judgements == ("3", "9")
    assert found.no_relevant == ("4", "5")
    assert found.nothing_shown == ("5",)


@pytest.mark.parametrize("where", [0, 1, 2, 3])
def test_an_empty_query_counts_nothing_wherever_it_stands(where):
    """One query without results would move the mean from .75 to .5 by its place in the file."""
    order = ["a", "b", "c"]
    order.insert(where, "empty")
    marks = {query: {"d": 1} for query in order}
    lists = {query: ["d"] for query in order if query != "empty"}
    found = evaluate(lists, marks, [measure("RR")])
    assert found.mean("RR") == 0.75
    assert found.empty == ("empty",)


def test_shuffled_rows_change_nothing():
    """The order of the lines in a file would show in a mean."""
    r = random.Random(1)
    marks = {f"q{n}": {f"d{r.randint(0, 9)}": r.randint(1, 3) for _ in range(4)} for n in range(99)}
    lists = {query: r.sample([f"d{n}" for n in range(10)], 7) for query in marks}
    names = [measure(name) for name in REFERENCE]
    first = evaluate(lists, marks, names)
    queries = list(marks)
    r.shuffle(queries)
    mixed = {q: dict(r.sample(sorted(marks[q].items()), len(marks[q]))) for q in queries}
    second = evaluate({q: lists[q] for q in reversed(queries)}, mixed, names)
    for one in names:
        assert first.mean(one.name) == second.mean(one.name)


def test_measuring_twice_gives_the_same():
    """A measure would remember its last evaluation and return zeros in the next."""
    one = measure("nDCG@10")
    assert one(["a"], {"a": 1}) == one(["a"], {"a": 1}) == 1.0


@pytest.mark.req("W42")
def test_a_run_that_never_ran_has_no_figure():
    """An arm that crashed at once would be reported as a bad one."""
    with pytest.raises(NeverRan):
        evaluate({"other": ["a"]}, {"1": {"a": 1}}, [measure("RR")])


@settings(max_examples=100)
@given(
    ids=st.lists(st.integers(0, 30).map(str), unique=True, max_size=30),
    marks=st.dictionaries(st.integers(0, 30).map(str), st.integers(0, 3), min_size=1),
)
def test_no_measure_leaves_zero_to_one(ids, marks):
    """An nDCG of 1.31 would be believed: the ideal list would miss a judged document."""
    if max(marks.values()) < 1:
        return
    for name in (*REFERENCE, "ERR@10", "RBP"):
        if "rel=2" not in name:
            assert 0.0 <= measure(name)(ids, marks) <= 1.0 + 1e-12


@pytest.mark.parametrize("name", ["ERR@10", "ERR", "RBP", "RBP(p=0.5)"])
def test_a_grade_above_the_scale_is_refused(name):
    """Two perfect results would have an ERR of .09: more readers stop than there are."""
    marks = {"a": 6, "b": 5, "c": 0}
    with pytest.raises(ValueError, match=r"a grade is 6.* ends at 4: --scale"):
        measure(name)(["a", "b"], marks)
    assert 0 < measure(name, scale=6)(["a", "b"], marks) <= 1
    assert measure("RBP(rel=5)")(["a"], marks) == pytest.approx(0.2)


@pytest.mark.parametrize("p", ["1.0", "1.5"])
def test_a_persistence_that_is_no_chance_is_refused(p):
    """RBP would be nothing, or less than nothing, for every list there is."""
    with pytest.raises(UnknownMeasure, match="lies between 0 and 1"):
        measure(f"RBP(p={p})")


@pytest.mark.parametrize(
    ("name", "grade"), [("nDCG(dcg='exp-log2')@10", 999_999_999), ("ERR@10", 1_001)]
)
def test_a_grade_beyond_every_power_is_refused_in_words(name, grade):
    """A mistyped grade would end a report in a traceback, or fill it with what is no number."""
    one = measure(name, scale=5_000)
    with pytest.raises(ValueError, match="counted up to 2\\^1,000"):
        one(["a", "b"], {"a": grade, "b": 1})
    most = measure("nDCG(dcg='exp-log2')@10")
    assert most(["a", "b"], dict.fromkeys("ab", 1_000)) == pytest.approx(1.0)
