"""The JSON objects of a ``.jsonl`` file, strictly: one a line, no key twice, finite numbers.

Whatever a database could not hold (NUL, a lone surrogate) is refused here, written raw or escaped.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from eval.formats.findings import Findings, quoted
from eval.formats.lines import numbered_lines


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonLine:
    """One object, its line, and its canonical form: equal content, equal bytes."""

    line: int
    fields: dict[str, object]
    canonical: bytes


class _Unusable(ValueError):
    """JSON that parses and still says nothing certain."""


def json_lines(path: Path, findings: Findings) -> Iterator[JsonLine]:
    """Every line that holds one usable object; the others go to ``findings``."""
    for line, text in numbered_lines(path, findings):
        try:
            value = json.loads(text, object_pairs_hook=_unique, parse_constant=_constant)
            canonical = _canonical(value, text)
        except json.JSONDecodeError as trouble:
            findings.refuse(path, line, f"is broken JSON: {trouble.msg} (column {trouble.colno})")
        except RecursionError:
            findings.refuse(path, line, "is nested too deeply: flatten it")
        except UnicodeEncodeError:
            findings.refuse(path, line, "holds a lone surrogate (\\ud800..\\udfff): take it out")
        except ValueError as trouble:
            findings.refuse(path, line, f"is no usable JSON: {trouble}")
        else:
            if isinstance(value, dict):
                yield JsonLine(line=line, fields=value, canonical=canonical)
            else:
                findings.refuse(path, line, "is not a JSON object: write one object a line")


def _canonical(value: object, text: str) -> bytes:
    if "\\u0000" in text and _holds_nul(value):
        raise _Unusable("it holds a NUL (\\u0000), which no database keeps: take it out")
    written = json.dumps(
        value, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")
    )
    return written.encode("utf-8")


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise _Unusable(f"the key {quoted(twice)} stands twice in one object: keep one")
    return fields


def _constant(name: str) -> object:
    raise _Unusable(f"{name} is not a JSON number: write a finite one, or null")


def _holds_nul(value: object) -> bool:
    if isinstance(value, dict):
        return any(_holds_nul(part) for pair in value.items() for part in pair)
    if isinstance(value, list):
        return any(map(_holds_nul, value))
    return isinstance(value, str) and "\0" in value
