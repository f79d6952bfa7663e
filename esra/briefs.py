"""The briefs: records that bound what a model may see, since none has a field for more.

No schema, host, key or score is in any of them, and no prompt has to forbid what cannot be there.
"""

from dataclasses import dataclass

from esra.domain.plan import Strategy
from esra.domain.source import Vocabulary


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceBrief:
    """Business metadata of an Optional source: all that a selector sees of it."""

    id: str
    description: str
    usage: str
    exclusions: str
    tags: tuple[str, ...]
    languages: tuple[str, ...]
    examples: tuple[str, ...]
    freshness: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectBrief:
    prompt: str
    candidates: tuple[SourceBrief, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldBrief:
    """Exactly the four facts a planner may know of a field."""

    fieldName: str
    isSearchable: bool
    isFilterable: bool
    allowedOperators: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MappingBrief:
    id: str
    name: str
    description: str
    fields: tuple[FieldBrief, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanBrief:
    """One source's business schema; no word of another source."""

    prompt: str
    description: str
    mappings: tuple[MappingBrief, ...]
    strategies: tuple[Strategy, ...]
    unsupported: tuple[Strategy, ...]
    vocabulary: Vocabulary
    ceiling: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateBrief:
    """A candidate under an opaque id that is fresh for each invocation."""

    resultId: str
    source: str
    title: str
    fragments: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankBrief:
    prompt: str
    candidates: tuple[CandidateBrief, ...]
