"""Who may import whom: the floors of the house, held without the linter's help."""

from __future__ import annotations

import pytest

from tests.guard.house import House, finds, floors, read_house, room, within

# Who starts the embedded server: programs and the wiring. Every other room gets a URL.
STARTERS = ("cli", "__main__", "serve", "wiring", "ingest")


def wrong_floors(house: House) -> list[str]:
    """Imports that go up, sideways or into a room that chose no floor."""
    level = {name: depth for depth, rooms in enumerate(floors()) for name in rooms}
    found = []
    for module in house.values():
        here = room(module.name)
        if here and here not in level and here != "embedded":
            found.append(f"{module.name}: esra.{here} has no floor in pyproject.toml")
        for target in _rooms(module.imports, house) - {here}:
            if here in ("", "embedded"):
                found.append(
                    f"{module.name} imports esra.{target}, and should import nothing of esra"
                )
            elif target == "embedded":
                if here not in STARTERS:
                    found.append(f"{module.name} starts the embedded server")
            elif level.get(target, -1) <= level.get(here, -1):
                found.append(f"{module.name} imports esra.{target}, which does not lie below it")
    return found


def _rooms(imports: tuple[str, ...], house: House) -> set[str]:
    named = {room(name) for name in imports if within(name, "esra")}
    return {name for name in named if f"esra.{name}" in house}


def meeting_stages(house: House) -> list[str]:
    """Stages that import another stage."""
    stages = {_stage(name) for name in house} - {""}
    return [
        f"{module.name} imports the stage {other}"
        for module in house.values()
        for other in sorted({_stage(name) for name in module.imports} & stages)
        if _stage(module.name) not in ("", other)
    ]


def _stage(name: str) -> str:
    return name.split(".")[2] if name.startswith("esra.stages.") else ""


def test_every_room_imports_only_what_lies_below_it():
    """A cycle between rooms lets a decision reach a driver, and no part can be read alone."""
    assert wrong_floors(read_house()) == []


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("esra.attic", "x = 1"),
        ("esra.scoring", "from esra.ports import House"),
        ("esra.domain.hit", "from esra import scoring"),
        ("esra.domain.hit", "from ..stages import plan"),
        ("esra.stages.plan", "def late():\n    from esra.llm.local import LocalSelector"),
        ("esra.providers.base", "import esra.governance.audit"),
        ("esra.embedded.wire", "from esra.domain import codes"),
        ("esra.stages.execute", "from esra import embedded"),
        ("esra", "from esra import pipeline"),
    ],
)
def test_a_planted_import_that_goes_up_or_sideways_is_found(name: str, source: str):
    """If the guard were blind to one of these, the floors would be a drawing and no wall."""
    assert len(finds(wrong_floors, name, source)) == 1


def test_the_floors_stand_in_the_order_of_the_design():
    """Were the table itself turned round, every import would pass."""
    depth = {name: at for at, rooms in enumerate(floors()) for name in rooms}
    spine = ["cli", "wiring", "pipeline", "stages", "sources", "ports", "sealed", "domain"]
    depths = [depth[name] for name in spine]
    assert depths == sorted(set(depths))


def test_stages_never_import_each_other():
    """A stage that calls the next one takes the order out of the pipeline's page."""
    assert meeting_stages(read_house()) == []


@pytest.mark.parametrize(
    "source",
    [
        "from esra.stages.select import select_sources",
        "from esra.stages import select",
        "from . import select",
        "from .select import select_sources",
        "import esra.stages.select as s",
    ],
)
def test_a_planted_call_between_stages_is_found(source: str):
    """Each way of writing the import must be seen."""
    assert finds(meeting_stages, "esra.stages.plan", source)
