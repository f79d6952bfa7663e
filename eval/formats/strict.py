"""JSON, strictly: no key twice, finite numbers, nothing a database could not hold.

The standard parser takes the last of two equal keys, reads ``NaN`` and turns 1e400 into infinity,
each without a word. Here each is refused, and so are nesting and numbers without end.
"""

from __future__ import annotations

import json
from pathlib import Path

from eval.formats.findings import Findings, quoted
from eval.formats.lines import leading_bytes

# A document is parsed as a whole, at some ten times its size in memory.
LARGEST_DOCUMENT = 64 * 1024 * 1024
_MARK = b"\xef\xbb\xbf"


class Unusable(ValueError):
    """Text that is not JSON, or JSON that says nothing certain; reads on from the file's name."""


class _Uncertain(ValueError):
    """JSON that parses and still says nothing certain."""


def parsed(text: str) -> tuple[object, bytes]:
    """The value, and its canonical form: equal content, equal bytes. Raises Unusable."""
    try:
        value = json.loads(text, object_pairs_hook=_unique, parse_constant=_constant)
        return value, _canonical(value, text)
    except json.JSONDecodeError as trouble:
        place = f"line {trouble.lineno}, " if trouble.lineno > 1 else ""
        raise Unusable(f"is broken JSON: {trouble.msg} ({place}column {trouble.colno})") from None
    except RecursionError:
        raise Unusable("is nested too deeply: flatten it") from None
    except UnicodeEncodeError:
        raise Unusable("holds a lone surrogate (\\ud800..\\udfff): take it out") from None
    except ValueError as trouble:
        raise Unusable(f"is no usable JSON: {trouble}") from None


def document(path: Path, findings: Findings) -> object | None:
    """The one value of a file, plain or gzip; None where it has none, and ``findings`` says why."""
    raw = leading_bytes(path, LARGEST_DOCUMENT + 1, findings)
    if raw is None:
        return None
    if len(raw) > LARGEST_DOCUMENT:
        findings.refuse(path, 0, f"is larger than {LARGEST_DOCUMENT} bytes: split it")
        return None
    try:
        return parsed(raw.removeprefix(_MARK).decode("utf-8"))[0]
    except UnicodeDecodeError as trouble:
        findings.refuse(path, 0, f"is not UTF-8 (byte {trouble.start + 1}): save it as UTF-8")
    except Unusable as trouble:
        findings.refuse(path, 0, str(trouble))
    return None


def _canonical(value: object, text: str) -> bytes:
    if "\0" in text or ("\\u0000" in text and _holds_nul(value)):
        raise _Uncertain("it holds a NUL (\\u0000), which no database keeps: take it out")
    written = json.dumps(
        value, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")
    )
    return written.encode("utf-8")


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise _Uncertain(f"the key {quoted(twice)} stands twice in one object: keep one")
    return fields


def _constant(name: str) -> object:
    raise _Uncertain(f"{name} is not a JSON number: write a finite one, or null")


def _holds_nul(value: object) -> bool:
    if isinstance(value, dict):
        return any(_holds_nul(part) for pair in value.items() for part in pair)
    if isinstance(value, list):
        return any(map(_holds_nul, value))
    return isinstance(value, str) and "\0" in value
