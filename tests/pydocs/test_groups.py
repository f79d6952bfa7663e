"""Groups are connected components, the large ones split, with names that stay."""

from __future__ import annotations

from eval.pydocs.groups import WHOLE, components, name_groups
from eval.pydocs.order import fixed_hash, in_turns


def test_what_is_tied_is_one_component() -> None:
    """Else a question's neighbours would stand on both sides of the seal."""
    ties = [("a", "b"), ("d", "c"), ("b", "e"), ("e", "a")]
    assert components("abcdef", ties) == [["a", "b", "e"], ["c", "d"], ["f"]]


def test_only_a_large_component_is_split_by_its_holders() -> None:
    """Else one component of half the collection would be one group."""
    large = [f"p.m{number % 2}.f{number}" for number in range(WHOLE + 1)]
    names = [*large, "p.m0.x", "p.m1.y"]
    ties = [(large[0], other) for other in large[1:]] + [("p.m0.x", "p.m1.y")]
    found = name_groups({name: name.rpartition(".")[0] for name in names}, ties)
    assert {found[name] for name in large} == {"p.m0.*", "p.m1.*"}
    assert found["p.m1.f1"] == "p.m1.*"
    assert found["p.m0.x"] == found["p.m1.y"] == min(("p.m0.x", "p.m1.y"), key=fixed_hash)


def test_a_new_member_seldom_renames_a_group() -> None:
    """Else a new package version would move groups across the seal."""
    old = [f"p.f{number}" for number in range(20)]
    first = name_groups(dict.fromkeys(old, "p"), [(old[0], other) for other in old])
    renamed = 0
    for number in range(100):
        new = [*old, f"p.new{number}"]
        again = name_groups(dict.fromkeys(new, "p"), [(old[0], other) for other in new])
        renamed += again[old[0]] != first[old[0]]
    # One of 21 members has the smallest hash: about 5 of 100 new ones.
    assert renamed <= 15


def test_packages_take_turns_in_the_order_of_the_hash() -> None:
    """Else a prefix would hold one package only, or depend on the order of the input."""
    names = ["p.a", "p.b", "p.c", "q.a"]
    in_hash = sorted(names[:3], key=fixed_hash)
    expected = [in_hash[0], "q.a", in_hash[1], in_hash[2]]
    assert in_turns(names, str) == in_turns(names[::-1], str) == expected


def test_the_hash_is_sha256() -> None:
    """Else every group could move with the next version of Python."""
    assert fixed_hash("abc").startswith("ba7816bf8f01cfea414140de5dae2223")
