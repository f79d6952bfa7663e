"""The first catalog, under a name of somebody's choice. Pure but for the file it is kept in."""

from pathlib import Path

_SLUG = "{slug}"


def first_catalog(slug: str) -> str:
    """TOML that runs against the sample. ``slug`` holds a-z, 0-9 and _ and nothing else."""
    text = (Path(__file__).parent / "catalog.toml").read_text("utf-8")
    return text.replace(_SLUG, slug)
