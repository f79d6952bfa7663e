"""Writes TOML 1.0 that reads back to the letter, whatever the strings hold. Pure.

What is not printable is written as an escape, in comments too: a name in a database must neither
end a line, nor turn the reading direction, nor hide in what somebody reviews.
"""

from collections.abc import Iterable

# TOML 1.0 has names for these; the rest is written by number.
_NAMED = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def string(value: str) -> str:
    """A basic string, quotes included. ``value`` holds no lone surrogate."""
    return '"' + "".join(_NAMED.get(c) or _visible(c) for c in value) + '"'


def strings(values: Iterable[str]) -> str:
    return "[" + ", ".join(map(string, values)) + "]"


def comment(text: str) -> str:
    """One comment line of ``text``."""
    return ("# " + "".join(map(_visible, text))).rstrip()


def comments(*texts: str) -> list[str]:
    return [comment(text) for text in texts]


def _visible(char: str) -> str:
    if char.isprintable():
        return char
    number = ord(char)
    return f"\\u{number:04X}" if number < 0x10000 else f"\\U{number:08X}"
