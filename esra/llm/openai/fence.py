"""Fences what other people wrote, so that no text can end its own fence.

A brief becomes one JSON object between two marks. Angle brackets and whatever cannot be seen are
written as JSON escapes, so neither mark can stand inside, whatever the text; nothing is lost, and
nothing is left to chance. Source: *spotlighting* by delimiting and encoding, Hines et al., 2024.
"""

import json
from dataclasses import asdict

from esra.briefs import PlanBrief, RerankBrief, SelectBrief

OPEN, CLOSE = "<data>", "</data>"


def fenced(brief: SelectBrief | PlanBrief | RerankBrief) -> str:
    """The brief as one line of JSON between the marks; the question stands last in it."""
    values = asdict(brief)
    # What repeats from call to call comes first: endpoints keep work done on a common beginning.
    values["prompt"] = values.pop("prompt")
    return f"{OPEN}\n{json.dumps(values, ensure_ascii=False).translate(_ESCAPES)}\n{CLOSE}"


def unfenced(text: str) -> object:
    """What ``fenced`` was given, as plain JSON values."""
    return json.loads(text.removeprefix(OPEN).removesuffix(CLOSE))


class _Escapes(dict[int, str]):
    """A character -> how it is written in a JSON string; made as characters turn up."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        if character in "<>&":
            written = f"\\u{code:04x}"
        elif character.isprintable():
            written = character
        else:
            # Controls, invisible and direction marks, private use, lone surrogates.
            written = json.dumps(character)[1:-1]
        self[code] = written
        return written


_ESCAPES = _Escapes()
