"""What a planner may ask of a source: queries in business names, not yet trusted."""

from dataclasses import dataclass
from enum import StrEnum

from esra.domain.source import Operator

Value = str | int | float | bool


class Strategy(StrEnum):
    PHRASE = "phrase"
    KEYWORD = "keyword"
    SYNONYM = "synonym"
    ACRONYM = "acronym"
    ENTITY = "entity"
    RECENT = "recent"


class PlanOrigin(StrEnum):
    TEMPLATE = "template"
    LOCAL = "local"
    MODEL = "model"


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """``field`` is a business name; one value, except for ``in``."""

    field: str
    operator: Operator
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedQuery:
    """One search. ``projection`` None: the mapping's own (a plan cannot name one, RULINGS 15)."""

    mapping: str
    strategy: Strategy
    required: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    filters: tuple[Filter, ...] = ()
    limit: int | None = None
    projection: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcePlan:
    source: str
    origin: PlanOrigin
    queries: tuple[PlannedQuery, ...]
