"""The walk lists public objects, each once, under all its names."""

from __future__ import annotations

from eval.pydocs.walk import Item, Kind


def test_every_documented_public_object_once(items: dict[str, Item]) -> None:
    """Else private, foreign, undocumented or inherited Python texts would become documents."""
    assert {name: item.kind for name, item in items.items()} == {
        "handmade.grid.Grid": Kind.CLASS,
        "handmade.grid.Grid.fill": Kind.METHOD,
        "handmade.grid.Grid.clear_all": Kind.METHOD,
        "handmade.grid.total": Kind.FUNCTION,
    }


def test_two_names_of_one_object_are_one_item(items: dict[str, Item]) -> None:
    """Else an alias would be a wrong answer beside the right one."""
    assert items["handmade.grid.total"].names == (
        "handmade.add_up",
        "handmade.grid.total",
        "handmade.total",
    )


def test_a_method_is_held_by_its_class(items: dict[str, Item]) -> None:
    """Else a large component could not be split by module and class."""
    assert items["handmade.grid.Grid.fill"].holder == "handmade.grid.Grid"
    assert items["handmade.grid.total"].holder == "handmade.grid"
