"""Strings that have broken search boxes: the shared lists where they are, and generated ones."""

import json
import random
from pathlib import Path

KNOWN = (
    "'; DROP TABLE docs; --",
    "' OR '1'='1",
    "$1 %s %(rows)s {} {0} %% %",
    "\\'; SELECT pg_sleep(9)--",
    "/* */ -- # ;",
    "a & b | !c <-> d:*",
    "'unclosed",
    '"unclosed phrase',
    "- " * 40,
    "-" * 33,
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "poseidon-1234 timeout -1 --error-on-warnings",
    "don\u2019t café e\u0301 ﬁ",
    "a\0b",
    "lone \ud800 surrogate",
    "\u202eevil\u202c \u200bzero\u200dwidth\ufeff",
    "今月の売上 👩‍💻",
    "to be or not to be",
    "",
    " ",
    "\n\t\r",
    "E'\\x41' U&'\\0061' $$x$$ $tag$y$tag$",
    "::regconfig ::tsquery ::text[]",
    "{\"a\": [1]} {x,y} ARRAY['a'] NULL",
    "a" * 64,
)
_PIECES = [
    *"'\"\\;-/*%${}()[]<>|&!:,.=#@~^`?+ \t\n\0_",
    *("--", "/*", "*/", "$1", "%s", "%(x)s", "'='", " or ", " union select ", "pg_sleep(1)", "::"),
    *(
        "a",
        "zz",
        "é",
        "ß",
        "漢",
        "😀",
        "\u0301",
        "\u200b",
        "\u202e",
        "\ud800",
        "\uff11",
        "\uff19",
        "Ⅷ",
    ),
]


def generated(count: int, seed: int = 7) -> list[str]:
    """``count`` strings of pieces that mean something to some parser."""
    dice = random.Random(seed)
    return ["".join(dice.choices(_PIECES, k=dice.randint(1, 24))) for _ in range(count)]


def listed(shared: Path | None) -> list[str]:
    """The shared lists' texts; nothing where they are absent."""
    if shared is None or not (shared / "data" / "hostile").is_dir():
        return []
    return [
        json.loads(line)["text"]
        for file in sorted((shared / "data" / "hostile").glob("*.jsonl"))
        for line in file.read_text("utf-8").splitlines()
    ]
