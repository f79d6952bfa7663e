"""The table that every decision starts from, and which of its groups are sealed."""

import random
from fractions import Fraction

import numpy as np
import pytest

from eval.evidence import Scores, UnfitScores, normal_form, sealed, split
from eval.evidence.split import seal_mark
from tests.evidence.tables import table


def test_one_need_in_two_spellings_is_one_group():
    """A paraphrase that differs in case, width or spaces would count as a second witness."""
    assert normal_form("  Cafe\u0301  \uff2c\uff29\uff33\uff34\n") == "café list"
    assert table([[0, 1], [0, 1]], groups=["How to JOIN", "how  to join"]).group_count == 1


def test_sums_and_sizes_by_hand():
    """Values would be added to the wrong need."""
    scores = table([[1, 2], [3, 4], [5, 7]], groups=["b", "a", "b"])
    assert scores.group_keys == ("a", "b")
    assert scores.group_sums().tolist() == [[3, 4], [6, 9]]
    assert scores.sizes.tolist() == [1, 2]


def test_a_part_keeps_rows_together():
    """The sealed part would score one query under another's need."""
    scores = table([[1, 2], [3, 4], [5, 7]], groups=["b", "a", "c"], strata=("x", "y", "z"))
    part = scores.part(np.array([True, False, True]))
    assert part.values.tolist() == [[1, 2], [5, 7]]
    assert (part.groups, part.strata) == (("b", "c"), ("x", "z"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"values": [[0, np.nan]]}, "query 0 .'need'. has no nDCG@10 at setting 1/10"),
        ({"values": [[0, np.inf]]}, "list it and leave it out"),
        ({"values": [[0, 1, 2]]}, "1 queries x 2 settings"),
        ({"groups": (" ",)}, "query 0 has a blank group"),
        ({"groups": (), "values": np.empty((0, 2))}, "no query is scored"),
        ({"today": 2}, "add it to the 2 settings"),
        ({"today": -1}, "add it to the 2 settings"),
        ({"settings": (Fraction(1, 10), 0)}, "rise strictly"),
        ({"settings": (0, 0)}, "rise strictly"),
        ({"strata": ("a", "b")}, "2 strata stand beside 1 queries"),
    ],
)
def test_an_unfit_table_is_refused(change, message):
    """A missing score would silently become a zero, or a mean over other queries."""
    whole = {
        "measure": "nDCG@10",
        "settings": (0, Fraction(1, 10)),
        "values": [[0, 1]],
        "groups": ("need",),
        "today": 0,
    }
    with pytest.raises(UnfitScores, match=message):
        Scores(**(whole | change))


@pytest.mark.req("W46")
def test_the_seal_of_a_group_depends_on_its_own_key_only():
    """Adding or re-ordering queries would move others across the split: a seed to retry."""
    keys = [f"how do I join table {i}" for i in range(500)]
    before = dict(zip(keys, sealed(keys), strict=True))
    more = [*keys, *(f"a new need {i}" for i in range(300))]
    random.Random(1).shuffle(more)
    after = dict(zip(more, sealed(more), strict=True))
    assert all(after[key] == side for key, side in before.items())


def test_the_seal_is_this_one_for_ever():
    """A changed hash would unseal groups whose verdicts are in people's ledgers."""
    # printf 'esra sealed 1\0merge' | sha256sum: 218381c529db0d1c... / 2^64 = .1309; the others
    # e243... = .8838, d452... = .8294, 8e60... = .5562
    assert sealed(["How to  JOIN", "merge", "a", "b"]).tolist() == [False, True, False, False]
    # printf 'esra lineage 1\0how to join' | sha256sum
    assert seal_mark("How to  JOIN") == "03421706b7779e94"


def test_four_tenths_are_sealed_and_a_larger_share_only_adds():
    """The stated share would not be the share, or a changed share would unseal opened groups."""
    keys = [str(i) for i in range(20_000)]
    small, large = sealed(keys), sealed(keys, 0.6)
    # Three standard deviations of a binomial share: sqrt(.4 x .6 / 20000) = .0035.
    assert abs(small.mean() - 0.4) < 0.0105
    assert not (small & ~large).any()


def test_under_sixty_groups_nothing_is_sealed():
    """A set too small to prove anything would lose two fifths of its queries for nothing."""
    few, enough = (split(table(np.zeros((n, 2)))) for n in (59, 60))
    assert (few.sealed_groups, few.development.group_count) == (0, 59)
    assert enough.sealed_groups > 0
    assert enough.sealed_groups + enough.development.group_count == 60
