"""What this caller may search right now, and the numbers that hold for it."""

from dataclasses import dataclass

from esra.domain.capability import Forms, Presence, Revision, Scoring
from esra.domain.invocation import Mode
from esra.domain.source import Limits, Source


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopedSource:
    source: Source
    presence: Presence


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The effective set, in the catalog's order; ``version`` names the configuration."""

    capability: str
    sources: tuple[ScopedSource, ...]
    limits: Limits
    mode: Mode
    forms: Forms
    scoring: Scoring
    revision: Revision
    version: str
