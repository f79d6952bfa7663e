"""In the known-item track no query finds its own summary, and all its equals are right."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from eval.pydocs.entries import Entry
from eval.pydocs.known_item import known_item
from eval.pydocs.labels import Labels, groups_of
from eval.pydocs.related import resolve
from eval.pydocs.words import Cutter

Texts = Callable[[dict[str, str]], list[Entry]]
Repeats = Callable[[Iterable[str], Iterable[str]], list[str]]

BODY = "One two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen."
LARGEST = f"Find the largest element of a list.\n\n{BODY}"
TEXTS = {
    "p.largest": f"{LARGEST} This finds largest element of list.",
    "p.biggest": f"{LARGEST} This finds largest element of list.",
    "q.largest": f"Find the largest element of a list.\n\nAnother text. {BODY}",
    "p.Lists": (
        f"All that is done with lists.\n\n{BODY}\n\n- Find the largest element of a list\n- more"
    ),
    "p.verb": (
        f"Return the product of all values.\n\n{BODY}\n\n"
        "Returns\n-------\nThe product of all values."
    ),
    "p.noun": f"Make the mean of all values.\n\n{BODY} Gives the mean of all values.",
    "p.brief": f"Sum it up.\n\n{BODY}",
    "p.bare": "Do a thing that nobody explains.",
    "p.long": f"{'Very ' * 30}long.\n\n{BODY}",
    **{f"p.set{n}": f"Set what everybody sets here.\n\n{BODY} {n}" for n in range(6)},
}


def _labels(made: list[Entry]) -> Labels:
    return known_item(made, groups_of(made, resolve(made)))


@pytest.fixture
def labels(entries: Texts) -> Labels:
    """The track of the texts above."""
    return _labels(entries(TEXTS))


def test_all_that_one_summary_describes_is_right(labels: Labels) -> None:
    """Else a search that finds an exact twin would be marked down for it."""
    right = {query.entry.name: query.right for query in labels.queries}
    assert right == {
        "p.biggest": ("p.biggest", "p.largest", "q.largest"),
        "p.Lists": ("p.Lists",),
        "p.verb": ("p.verb",),
        "p.noun": ("p.noun",),
    }


def test_no_text_holds_a_summary(labels: Labels) -> None:
    """Else the task would be to find a sentence by itself."""
    assert {name: document.text for name, document in labels.documents.items()} == {
        "p.largest": f"{BODY} This",
        "p.biggest": f"{BODY} This",
        "q.largest": f"Another text. {BODY}",
        # Not a right document, but the sentence stood here too.
        "p.Lists": f"{BODY}\n\n- \n- more",
        # Under Returns the heading stands for the verb.
        "p.verb": BODY,
        # Without its verb it is the same sentence.
        "p.noun": f"{BODY} Gives the",
        # Never asked for; a target must not be known by its missing summary.
        "p.brief": BODY,
        "p.long": BODY,
    }


def test_the_guard_against_repeats_sees_one(
    entries: Texts,
    repeats: Repeats,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Else the look for repeated summaries would be silent because it is blind."""

    def look() -> list[str]:
        found = _labels(entries(TEXTS))
        asked = [query.entry.doc.summary for query in found.queries]
        return repeats(asked, [document.text for document in found.documents.values()])

    assert look() == []
    monkeypatch.setattr(Cutter, "cut", lambda cutter, text: text)
    assert look() == ["Find the largest element of a list"]


def test_what_is_left_out_is_counted(labels: Labels) -> None:
    """Else the card could not say what the labels leave out."""
    assert labels.dropped == {
        "items with too little below the summary": 1,
        "summaries shared by too many documents": 1,
        "summaries too short or too long": 2,
        "questions without a document left": 0,
    }


def test_a_document_that_the_cut_empties_is_none(entries: Texts) -> None:
    """Else a query's only right document could be blank."""
    twice = "Count to thirteen with one two three four five six seven eight nine ten"
    found = _labels(entries({"p.f": f"{twice}.\n\n{twice}. The end.", "p.g": LARGEST}))
    assert [query.entry.name for query in found.queries] == ["p.g"]
    assert set(found.documents) == {"p.g"}
    assert found.dropped["questions without a document left"] == 1


def test_one_summary_is_one_group(entries: Texts) -> None:
    """Else equal questions could stand on both sides of the seal."""
    made = entries(TEXTS)
    groups = groups_of(made, resolve(made))
    assert groups["p.largest"] == groups["p.biggest"] == groups["q.largest"]
    assert len({groups[f"p.set{number}"] for number in range(6)}) == 6
