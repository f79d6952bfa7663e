"""Names and texts as a database administrator would type them. For people; nothing here is run."""

from collections.abc import Sequence

from esra.domain.source import Relation


def name(*parts: str) -> str:
    """``"schema"."table"``: quoted always, so that no reserved word or capital surprises."""
    return ".".join('"' + part.replace('"', '""') + '"' for part in parts)


def relation(given: Relation) -> str:
    return name(given.schema, given.table)


def text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def listed(words: Sequence[str]) -> str:
    return ", ".join(words)
