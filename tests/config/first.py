"""The first catalog taken apart: its blocks that are off, and its keys with their lines."""

from __future__ import annotations

import re

from esra.sample.first import first_catalog

TEXT = first_catalog("guide")
OFF = re.compile(r"#[^ :\n]")


def blocks() -> list[range]:
    """Line numbers, from 0, of each run of lines that are settings switched off."""
    found: list[range] = []
    for number, line in enumerate(TEXT.splitlines()):
        if not OFF.match(line):
            continue
        if found and found[-1].stop == number:
            found[-1] = range(found[-1].start, number + 1)
        else:
            found.append(range(number, number + 1))
    return found


def switched_on(*on: range) -> str:
    """The catalog with those blocks on."""
    numbers = {number for block in on for number in block}
    lines = TEXT.splitlines()
    return "\n".join(line[1:] if number in numbers else line for number, line in enumerate(lines))
