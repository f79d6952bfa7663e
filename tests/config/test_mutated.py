"""A damaged catalog is refused in one line, or is one that stays within its bounds."""

from __future__ import annotations

import os
import random

import pytest

from esra.config.bounds import CAPABILITY, SOURCE
from esra.config.catalog import load_catalog
from esra.config.strict import ConfigError
from tests.config.first import blocks, switched_on

WHOLE = switched_on(*blocks())
ROUNDS = 20_000 if os.environ.get("ESRA_LONG") else 300
PIECES = [
    "[", "]", "[[", "]]", "{", "}", "=", ".", ",", "\n", '"', "'", '"""', "#", "\\", "\\u0000",
    "\x00", "\ufeff", "\u2028", "nan", "inf", "-1", "9" * 400, "true", "1979-05-27", "[[[[" * 60,
    "a.b.c = 1", "[sources]", "[[sources]]", "[providers.main]", "__class__", "\ud7ff",
]  # fmt: skip


def mutated(dice: random.Random) -> bytes:
    """One to three changes of letters, pieces, lines or bytes."""
    text = WHOLE
    for _ in range(dice.randint(1, 3)):
        at, lines = dice.randrange(len(text)), text.splitlines(keepends=True)
        match dice.randrange(6):
            case 0:
                text = text[:at] + text[at + dice.randint(1, 5) :]
            case 1:
                text = text[:at] + dice.choice(PIECES) + text[at:]
            case 2:
                dice.shuffle(lines)
                text = "".join(lines[: len(lines) // 2])
            case 3:
                del lines[dice.randrange(len(lines))]
                text = "".join(lines)
            case 4:
                lines.insert(dice.randrange(len(lines)), dice.choice(lines))
                text = "".join(lines)
            case 5:
                text = text[:at] + chr(dice.randrange(1, 0xD7FF)) + text[at + 1 :]
    raw = text.encode()
    at = dice.randrange(len(raw))
    return raw[:at] + bytes([dice.randrange(256)]) + raw[at:] if dice.random() < 0.1 else raw


def within_bounds(path) -> None:
    for capability in load_catalog(path).catalog.capabilities:
        numbers = capability.scoring
        assert all(bound.hold(getattr(numbers, key)) for key, bound in CAPABILITY.items())
        for _, own in numbers.sources:
            values = [(getattr(own, key), bound) for key, bound in SOURCE.items()]
            assert all(value is None or bound.hold(value) for value, bound in values)


@pytest.mark.timeout(900)
def test_a_damaged_catalog_is_refused_or_stays_within_its_bounds(tmp_path):
    """A torn file would end in a traceback, or order by numbers out of bounds."""
    dice, path = random.Random(20_250_101), tmp_path / "c.toml"
    said = []
    for _ in range(ROUNDS):
        path.write_bytes(mutated(dice))
        try:
            within_bounds(path)
        except ConfigError as error:
            said.append(str(error))
    assert all(line.startswith(str(path)) and "\n" not in line for line in said)
    assert ROUNDS / 2 < len(said) < ROUNDS
