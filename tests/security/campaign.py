"""Renders hostile contents cell by cell and says what is wrong with an engine's renderer.

A cell is a strategy with the operator of its first filter. For each content the text has to equal,
byte for byte, the text of the benign content of its shape, and the parameters to carry what was
asked. ``distinct`` keeps each text once for the parser.
"""

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeVar

from esra.domain.plan import Strategy
from esra.domain.source import Operator
from esra.sealed import QueryContent
from tests.security.shapes import CELLS, Shape, shapes
from tests.security.texts import Texts

Command = TypeVar("Command")


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine(Generic[Command]):
    """A renderer, its command's text, and what is wrong with its command's parameters.

    ``form`` is the part of a shape that the text depends on.
    """

    name: str
    render: Callable[[QueryContent], Command]
    text: Callable[[Command], bytes]
    wrong: Callable[[Command, QueryContent], list[str]]
    form: Callable[[Shape], object]


@dataclass(slots=True, kw_only=True)
class Report:
    """How often each cell was rendered, the text of each form, and the faults found."""

    cells: Counter[tuple[Strategy, Operator]] = field(default_factory=Counter)
    distinct: dict[object, bytes] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    def table(self, name: str) -> str:
        """Renders by strategy (rows) and operator (columns), and the least of them."""
        head = f"{name:10}" + "".join(f"{sign.value:>7}" for sign in Operator)
        rows = [
            f"{way.value:10}" + "".join(f"{self.cells[way, sign]:>7}" for sign in Operator)
            for way in Strategy
        ]
        least = min(self.cells[cell] for cell in CELLS)
        total = f"{self.cells.total()} renders, least a cell {least}, {len(self.distinct)} texts"
        return "\n".join([head, *rows, total])


def campaign(
    engine: Engine, shared: Path | None, *, renders: int, forms: int, seed: str = "esra"
) -> Report:
    """``renders`` contents over all cells, equally many each; ``forms`` shapes a cell."""
    report = Report()
    for cell in CELLS:
        dice = random.Random(f"{seed} {engine.name} {cell}")
        texts = Texts(f"{seed} {engine.name} {cell} texts", shared)
        every = list(shapes(*cell))
        chosen = dice.sample(every, min(forms, len(every)))
        for number in range(-(-renders // len(CELLS))):
            _try(engine, chosen[number % len(chosen)], dice, texts, report)
            report.cells[cell] += 1
    return report


def _try(engine: Engine, shape: Shape, dice: random.Random, texts: Texts, report: Report) -> None:
    form = engine.form(shape)
    if form not in report.distinct:
        report.distinct[form] = engine.text(engine.render(shape.benign()))
    asked = shape.hostile(dice, texts)
    try:
        command = engine.render(asked)
        varies = engine.text(command) != report.distinct[form]
    except Exception as trouble:  # whatever it is, a renderer is total over what a content holds
        report.faults.append(f"{engine.name}: {type(trouble).__name__} at {_shown(asked)}")
        return
    if varies:
        report.faults.append(f"{engine.name}: the text varies with {_shown(asked)}")
    wrong = engine.wrong(command, asked)
    if wrong:
        report.faults.append(f"{engine.name}: {', '.join(wrong)} of {_shown(asked)}")


def _shown(asked: QueryContent) -> str:
    return f"{asked.strategy.value} {ascii(asked.required)[:80]} {ascii(asked.filters)[:200]}"
