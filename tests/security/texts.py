"""Hostile strings from a seed: what others have collected, what parsers stumble over, and mixtures.

The same seed gives the same strings. Each has at most 64 KiB.
"""

import random
from collections.abc import Iterator
from pathlib import Path

from tests.providers.hostile import KNOWN, generated, listed

LARGEST = 64 * 1024

# (before, after): a text that carries one of these stands in a quotation, a comment, a cast.
WRAPS = (
    ("'", "'"), ('"', '"'), ("''", "--"), ("$$", "$$"), ("$x$", "$x$"), ("E'", "\\'"),
    ("/*", "*/"), ("-- ", "\n"), ("'; ", "; --"), ("') ", " --"), ("%(", ")s"), ("{", "}"),
    ("$1", "$2"), ("%s", "%%"), ("%b", "%t"), ("!(", ")"), ("(", ":*"), ("a <-> ", " & b"),
    ("'a' | ", " <2> b:A"), ("\0", "\0"), ("\ud800", "\udfff"), ("\u202e", "\u202c"),
    ("\u200f", "\u2066"), ("\ufeff", "\u200b"), ("\uff07", "\uff1b\uff0d\uff0d"), ("\r\n", "\x1b["),
    ("\u02bc", "\u2019"), ("::", "::text"), ("COMMIT; ", ""), ("SET TRANSACTION READ WRITE; ", ""),
)  # fmt: skip
# What is made long: a word, a border, a quotation, a letter outside the first plane, an operator.
LONG = ("a", "- ", "'", "😀", "& ", "e\u0301", "%s", "\ud800", "$1 ", "漢", "; ", "(")


class Texts:
    """An endless supply of them; one in ``rare`` is 64 KiB long."""

    def __init__(self, seed: str, shared: Path | None, *, rare: int = 500) -> None:
        self._dice = random.Random(seed)
        self._known = (*KNOWN, *listed(shared))
        self._rare = rare

    def __iter__(self) -> Iterator[str]:
        while True:
            yield self.one()

    def one(self) -> str:
        dice = self._dice
        if dice.randrange(self._rare) == 0:
            return _long(dice.choice(LONG))
        match dice.randrange(4):
            case 0:
                return dice.choice(self._known)
            case 1:
                return generated(1, seed=dice.getrandbits(48))[0]
            case 2:
                before, after = dice.choice(WRAPS)
                return before + dice.choice(self._known) + after
        return "".join(chr(_point(dice)) for _ in range(dice.randint(1, 12)))

    def some(self) -> tuple[str, ...]:
        """None to three, as many as a list of terms may have."""
        return tuple(self.one() for _ in range(self._dice.randrange(4)))


def _long(piece: str) -> str:
    return piece * (LARGEST // len(piece.encode("utf-8", "surrogatepass")))


def _point(dice: random.Random) -> int:
    """Any code point at all, the first 256 and those of control more often than the rest."""
    match dice.randrange(4):
        case 0:
            return dice.randrange(0x110000)
        case 1:
            return dice.randrange(0x2000, 0x2070)
        case 2:
            return dice.randrange(0xD800, 0xE000) if dice.randrange(8) == 0 else dice.randrange(256)
    return dice.randrange(128)
