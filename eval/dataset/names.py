"""Names of sources, made from the names of folders: safe, unique, the same every time."""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

# A table and an index are named after a source, and PostgreSQL's names end at 63 bytes.
LONGEST_NAME = 40


def source_names(paths: Sequence[Path]) -> list[str]:
    """``a-z0-9_`` names, in order; folders of one name take their parents' names in front."""
    parts = [Path(os.path.abspath(path)).parts[1:] or ("root",) for path in paths]
    depth = [1] * len(paths)
    while True:
        names = [_slug(own[-used:]) for own, used in zip(parts, depth, strict=True)]
        often = Counter(names)
        short = [
            at for at, name in enumerate(names) if often[name] > 1 and depth[at] < len(parts[at])
        ]
        if not short:
            return _numbered(names)
        for at in short:
            depth[at] += 1


def _slug(parts: Sequence[str]) -> str:
    plain = unicodedata.normalize("NFKD", "_".join(parts)).casefold()
    kept = "".join(char for char in plain if not unicodedata.combining(char))
    slug = re.sub(r"[^a-z0-9]+", "_", kept).strip("_")
    if len(slug) > LONGEST_NAME or not slug:
        # Cut or empty, a name no longer tells folders apart: the hash of the whole one does.
        mark = hashlib.sha256("/".join(parts).encode("utf-8", "surrogateescape")).hexdigest()[:8]
        slug = f"{slug[: LONGEST_NAME - 9].strip('_') or 'source'}_{mark}"
    return slug if slug[0].isalpha() else f"s_{slug}"


def _numbered(names: Sequence[str]) -> list[str]:
    taken: list[str] = []
    for name in names:
        tries = (name, *(f"{name}_{number}" for number in range(2, len(names) + 1)))
        taken.append(next(fresh for fresh in tries if fresh not in taken))
    return taken
