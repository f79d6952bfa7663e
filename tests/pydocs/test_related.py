"""A "See Also" name leads to the object it means, or is counted as dropped."""

from __future__ import annotations

import pytest

from eval.pydocs.entries import read
from eval.pydocs.related import Met, resolve
from eval.pydocs.walk import Item, Kind


def test_the_handmade_package(items: dict[str, Item]) -> None:
    """Else related labels would point at other objects than the authors named."""
    found = resolve(read(items.values()))
    assert found.targets == {
        "handmade.grid.Grid": ("handmade.grid.total",),
        "handmade.grid.Grid.fill": (
            "handmade.grid.Grid.clear_all",
            "handmade.grid.total",
            "handmade.grid.Grid",
        ),
        "handmade.grid.Grid.clear_all": (),
        "handmade.grid.total": (),
    }
    # total and Grid by module, clear_all by class, handmade.total by its dotted name.
    assert found.met == {Met.MODULE: 2, Met.CLASS: 1, Met.DOTTED: 1, Met.NOT_A_NAME: 1}


def _item(name: str, kind: Kind, doc: str) -> Item:
    return Item(name=name, names=(name,), origin=f"p._{name}", package="p", kind=kind, doc=doc)


PLACES = [
    _item("p.m.Box", Kind.CLASS, "A box."),
    _item("p.m.Box.open", Kind.METHOD, "Open it in its class."),
    _item("p.m.open", Kind.FUNCTION, "Open it in its module."),
    _item("p.open", Kind.FUNCTION, "Open it at the top."),
    _item("open.open", Kind.FUNCTION, "Open it elsewhere."),
    _item("p.top", Kind.FUNCTION, "Stand at the top."),
]


@pytest.mark.parametrize(
    ("written", "how", "target"),
    [
        ("open", Met.CLASS, "p.m.Box.open"),
        (".open", Met.CLASS, "p.m.Box.open"),
        ("Box.open", Met.MODULE, "p.m.Box.open"),
        ("open.open", Met.DOTTED, "open.open"),
        ("m.open", Met.TOP, "p.m.open"),
        ("top", Met.TOP, "p.top"),
        # The private module it is defined in.
        ("_p.m.open", Met.TOP, "p.m.open"),
        ("close", Met.UNKNOWN, ""),
        ("shut", Met.ITSELF, ""),
        ("see-the-guide", Met.NOT_A_NAME, ""),
    ],
)
def test_the_nearest_object_of_a_name_is_meant(written: str, how: Met, target: str) -> None:
    """Else DataFrame.sum's "mean" would be taken for numpy's."""
    doc = f"Shut it.\n\nSee Also\n--------\n{written} : words"
    found = resolve(read([*PLACES, _item("p.m.Box.shut", Kind.METHOD, doc)]))
    assert found.targets["p.m.Box.shut"] == ((target,) if target else ())
    assert found.met == {how: 1}
