"""The JSON objects of a ``.jsonl`` file, strictly: one a line, no key twice, finite numbers.

Whatever a database could not hold (NUL, a lone surrogate) is refused here, written raw or escaped.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from eval.formats.findings import Findings
from eval.formats.lines import numbered_lines
from eval.formats.strict import Unusable, parsed


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonLine:
    """One object, its line, and its canonical form: equal content, equal bytes."""

    line: int
    fields: dict[str, object]
    canonical: bytes


def json_lines(path: Path, findings: Findings) -> Iterator[JsonLine]:
    """Every line that holds one usable object; the others go to ``findings``."""
    for line, text in numbered_lines(path, findings):
        try:
            value, canonical = parsed(text)
        except Unusable as trouble:
            findings.refuse(path, line, str(trouble))
            continue
        if isinstance(value, dict):
            yield JsonLine(line=line, fields=value, canonical=canonical)
        else:
            findings.refuse(path, line, "is not a JSON object: write one object a line")
