"""The sample's documents, read from ``pages.md``."""

import re
from dataclasses import dataclass
from pathlib import Path

_SECTION = re.compile(
    r"^## (?P<title>[^\n]+) \[(?P<audience>\w+)\]\n(?P<text>.+?)\s*(?=^## |\Z)", re.M | re.S
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """``audience`` is who it is for, so that there is something to filter by."""

    key: str
    title: str
    text: str
    audience: str


def pages() -> tuple[Page, ...]:
    """In the file's order; keys are made of titles."""
    written = (Path(__file__).parent / "pages.md").read_text("utf-8")
    return tuple(
        Page(
            key=_key(found["title"]),
            title=found["title"],
            text=found["text"],
            audience=found["audience"],
        )
        for found in _SECTION.finditer(written)
    )


def _key(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
