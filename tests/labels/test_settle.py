"""Several raters become one grade by a named rule; their agreement is a number to be trusted."""

from __future__ import annotations

import random

import pytest
from sklearn.metrics import cohen_kappa_score

from eval.formats.sheet import Judgement
from eval.labels.agreement import agreements, kappa
from eval.labels.settle import Rule, Settling, disputes, settle


def given(*grades, query="q", document="d"):
    return [
        Judgement(query=query, document=document, grade=grade, rater=rater)
        for rater, grade in zip("abcdefg", grades, strict=False)
    ]


@pytest.mark.req("W10")
@pytest.mark.parametrize(
    ("rule", "grades", "exact", "whole"),
    [
        (Rule.OPTIMISTIC, (0, 3, 1), 3, 3),
        (Rule.PESSIMISTIC, (2, 3, 1), 1, 1),
        (Rule.MEAN, (1, 2), 1.5, 2),
        (Rule.MEAN, (0, 1), 0.5, 1),
        (Rule.MEAN, (0, 0, 1), 1 / 3, 0),
        (Rule.MEAN, (-1, -2), -1.5, -1),
        (Rule.MEAN, (3,), 3, 3),
        (Rule.MAJORITY, (0, 3, 3), 3, 3),
        (Rule.MAJORITY, (3, 0, 3, 0, 1), 0, 0),
        (Rule.MAJORITY, (1, 2, 3), 1, 1),
    ],
)
def test_each_rule_gives_the_grade_worked_by_hand(rule, grades, exact, whole):
    """A set would be graded by a rule nobody named."""
    settling = Settling(rule=rule)
    assert settling.exact(grades) == exact
    assert settle(given(*grades), settling) == {"q": {"d": whole}}
    shuffled = random.Random(2).sample(given(*grades), len(grades))
    assert settle(shuffled, settling) == {"q": {"d": whole}}


@pytest.mark.req("W19")
@pytest.mark.parametrize(
    ("value", "grade"), [(0, 0), (0.49, 0), (0.5, 1), (0.99, 1), (1, 2), (1.99, 2), (2, 3), (9, 3)]
)
def test_cuts_make_grades_of_values(value, grade):
    """Clicks would be graded by rounding, and 0.9 of the expected ones be as good as 1.4."""
    assert Settling(cuts=(0.5, 1.0, 2.0)).whole(value) == grade


@pytest.mark.parametrize("cuts", [(1.0, 0.5), (1.0, 1.0), (float("nan"),), (float("inf"),)])
def test_cuts_that_do_not_rise_are_refused(cuts):
    """A grade would be given that no value can reach."""
    with pytest.raises(ValueError, match="do not rise"):
        Settling(cuts=cuts)


@pytest.mark.req("W10")
def test_disputed_pairs_are_listed_widest_first():
    """The pairs that need a second look would be hidden in an average."""
    rows = given(1, 1) + given(0, 3, document="e") + given(2, 1, document="f") + given(5, query="r")
    found = disputes(rows)
    assert [(one.document, one.spread) for one in found] == [("e", 3), ("f", 1)]
    assert found[0].grades == (("a", 0), ("b", 3))


# Cohen 1960, table 1: 200 cases, three categories; kappa = .492 as printed there.
COHEN = {(1, 1): 88, (1, 2): 14, (1, 3): 18, (2, 1): 10, (2, 2): 40, (2, 3): 10}
COHEN |= {(3, 1): 2, (3, 2): 6, (3, 3): 12}


def cases(table):
    return [pair for pair, count in table.items() for _ in range(count)]


@pytest.mark.req("W10")
def test_kappa_is_that_of_its_paper_and_of_another_tool():
    """Raters who agree by chance would be called reliable."""
    pairs = cases(COHEN)
    assert kappa(pairs, lambda a, b: float(a != b)) == pytest.approx(0.492, abs=5e-4)
    dice = random.Random(7)
    for _ in range(20):
        pairs = [(dice.randint(0, 3), dice.randint(0, 3)) for _ in range(30)]
        rows = [one for n, (a, b) in enumerate(pairs) for one in given(a, b, document=str(n))]
        (found,) = agreements(rows)
        first, second = zip(*pairs, strict=True)
        for weights, ours in (
            (None, found.kappa),
            ("linear", found.linear),
            ("quadratic", found.quadratic),
        ):
            # The tool counts steps between labels, so it is told of every grade.
            theirs = cohen_kappa_score(first, second, labels=[0, 1, 2, 3], weights=weights)
            assert ours == pytest.approx(theirs, abs=1e-12)


def test_kappa_of_one_grade_throughout_is_no_number():
    """Two raters who never had a choice would be called in perfect agreement, or NaN be written."""
    (found,) = agreements(given(1, 1) + given(1, 1, document="e"))
    assert (found.pairs, found.same) == (2, 1.0)
    assert (found.kappa, found.linear, found.quadratic) == (None, None, None)


def test_raters_are_compared_on_what_both_graded():
    """A pair one of them never saw would count as disagreement."""
    rows = given(1, 2, 2) + given(0, document="e")
    found = agreements(rows)
    assert [(one.raters, one.pairs) for one in found] == [
        (("a", "b"), 1),
        (("a", "c"), 1),
        (("b", "c"), 1),
    ]
