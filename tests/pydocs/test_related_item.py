"""In the related-item track a query's own item is away and its "See Also" is what is right."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from eval.pydocs.entries import Entry
from eval.pydocs.labels import Labels, groups_of
from eval.pydocs.order import fixed_hash
from eval.pydocs.related import resolve
from eval.pydocs.related_item import collapse, related_item

Texts = Callable[[dict[str, str]], list[Entry]]

BODY = "One two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen."
TEXTS = {
    "p.sort": (
        f"Sort the rows of a table.\n\n{BODY}\n\nSee Also\n--------\n"
        "rank : Rank the rows.\norder\nplace\nsort_rows\nbare\ngone"
    ),
    "p.sort_rows": f"Sort the rows of a table.\n\n{BODY} In another way.",
    "p.rank": f"Rank every row there is.\n\n{BODY} To sort the rows of a table is another thing.",
    "p.order": f"Bring rows into order.\n\n{BODY}",
    "p.place": f"Bring rows into order.\n\n{BODY}",
    "p.bare": "Stand bare.",
}


def _labels(made: list[Entry]) -> Labels:
    relations = resolve(made)
    return related_item(made, relations, groups_of(made, relations))


@pytest.fixture
def labels(entries: Texts) -> Labels:
    """The track of the texts above."""
    return _labels(entries(TEXTS))


def test_right_is_what_see_also_names(labels: Labels) -> None:
    """Else twins would count twice and an item of the same summary as related to itself."""
    right = {query.entry.name: query.right for query in labels.queries}
    assert right == {"p.sort": ("p.order", "p.rank")}


def test_the_items_of_the_query_are_away_and_see_also_is_cut(labels: Labels) -> None:
    """Else the first hit would be the query's own item, which is not what is asked for."""
    assert {name: document.text for name, document in labels.documents.items()} == {
        "p.rank": f"Rank every row there is\n\n{BODY} To is another thing.",
        "p.order": f"Bring rows into order\n\n{BODY}",
    }


def test_what_is_left_out_is_counted(labels: Labels) -> None:
    """Else the card could not say what the labels leave out."""
    assert labels.dropped == {
        "items with too little text": 1,
        "exact twins collapsed": 1,
        "summaries shared by too many documents": 0,
        "summaries too short or too long": 0,
        "questions that are another one's target": 0,
        "questions without a target": 2,
        "questions without a document left": 0,
    }


def test_a_target_is_never_asked(entries: Texts) -> None:
    """Else one question would take another one's right document out of the collection."""
    # In the order of the hash: b, c, a. So b is asked, c is its target, and a asks for b.
    assert sorted(("p.a", "p.b", "p.c"), key=fixed_hash) == ["p.b", "p.c", "p.a"]
    ring = {
        f"p.{one}": f"Turn the {one} side of things.\n\n{BODY}\n\nSee Also\n--------\n{other}"
        for one, other in ("bc", "ca", "ab")
    }
    found = _labels(entries(ring))
    assert [(query.entry.name, query.right) for query in found.queries] == [("p.b", ("p.c",))]
    assert set(found.documents) == {"p.a", "p.c"}
    assert found.dropped["questions that are another one's target"] == 1
    assert found.dropped["questions without a target"] == 1


def test_exact_twins_have_one_stand_in(entries: Texts) -> None:
    """Else equal documents would fill the first ranks."""
    assert collapse(entries(TEXTS)) == {
        "p.bare": "p.bare",
        "p.order": "p.order",
        "p.place": "p.order",
        "p.rank": "p.rank",
        "p.sort": "p.sort",
        "p.sort_rows": "p.sort_rows",
    }
