"""What may be searched: sources, their mappings in business names, and the limits on them.

``Relation`` is the only record that knows physical names. It goes to a provider's renderer and
nowhere else: no brief, response, warning or audit record has a field that could hold one.
"""

from dataclasses import dataclass, field
from enum import StrEnum

from esra.domain.resilience import BreakerRules, Retries


class Family(StrEnum):
    RELATION = "relation"
    TOPICS = "topics"
    CONNECTORS = "connectors"


class Operator(StrEnum):
    EQ = "eq"
    NE = "ne"
    LT = "lt"
    LTE = "lte"
    GT = "gt"
    GTE = "gte"
    IN = "in"


class FieldType(StrEnum):
    TEXT = "text"
    NUMBER = "number"
    BOOLEAN = "boolean"
    TIMESTAMP = "timestamp"


class Masking(StrEnum):
    """How a returned value is masked before it leaves."""

    NONE = "none"
    LAST4 = "last4"
    ALL = "all"


class Rank(StrEnum):
    """How a PostgreSQL source scores a match; chosen per source by labelled quality."""

    COVERAGE = "coverage"  # ts_rank(..., 1)
    DENSITY = "density"  # ts_rank_cd(..., 1)
    RARITY = "rarity"  # BM25: rare words count more, long records less


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A field under its business name; ``column`` is its physical one."""

    name: str
    column: str
    type: FieldType = FieldType.TEXT
    searchable: bool = False
    filterable: bool = False
    operators: frozenset[Operator] = frozenset()
    returnable: bool = False
    restricted: bool = False
    masking: Masking = Masking.NONE


@dataclass(frozen=True, slots=True, kw_only=True)
class RowRule:
    """A row passes where ``column`` equals one of the values, and a row without one never does.

    The values are the caller's under ``claim``, or the fixed ``value``. ``operator`` EQ wants the
    caller to have exactly one value; IN takes any of them. A column holds text, numbers or
    booleans.
    """

    column: str
    claim: str = ""
    value: str = ""
    type: FieldType = FieldType.TEXT
    operator: Operator = Operator.IN


# Every group must let a row pass, and one rule of a group is enough.
RecordFilter = tuple[tuple[RowRule, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """Where a mapping's rows live, in the engine's own names (each 1 to 63 bytes)."""

    schema: str
    table: str
    key: str
    title: str
    text: str
    vector: str
    timestamp: str | None = None
    language: str = "english"
    rank: Rank = Rank.COVERAGE


@dataclass(frozen=True, slots=True, kw_only=True)
class Mapping:
    """A searchable relation of a source, in business names."""

    id: str
    name: str
    description: str
    relation: Relation
    fields: tuple[Field, ...] = ()
    record_filter: RecordFilter = ()

    def field(self, name: str) -> Field | None:
        return next((field for field in self.fields if field.name == name), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Upper bounds; the effective ones are the tightest of every level.

    ``rows`` a query, ``queries`` a source, ``results`` a response, ``size`` bytes of a response's
    results as JSON, ``fragment`` characters of one result's text, ``seconds`` a command,
    ``parallel`` commands of an invocation at a time.
    """

    rows: int = 50
    queries: int = 20
    results: int = 50
    fragment: int = 2_000
    size: int = 200_000
    seconds: float = 5.0
    parallel: int = 8


def tightest(*levels: Limits) -> Limits:
    """The smallest of each kind of limit over the levels."""
    return Limits(
        rows=min(level.rows for level in levels),
        queries=min(level.queries for level in levels),
        results=min(level.results for level in levels),
        fragment=min(level.fragment for level in levels),
        size=min(level.size for level in levels),
        seconds=min(level.seconds for level in levels),
        parallel=min(level.parallel for level in levels),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """A source's own words: each entry's other words, and what each acronym stands for."""

    synonyms: tuple[tuple[str, tuple[str, ...]], ...] = ()
    acronyms: tuple[tuple[str, tuple[str, ...]], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What a caller may search. The business metadata is all a selecting model ever reads.

    ``snapshot``: all queries of one invocation must see one state of the data.
    """

    id: str
    name: str
    provider: str
    mappings: tuple[Mapping, ...]
    family: Family = Family.RELATION
    description: str = ""
    usage: str = ""
    exclusions: str = ""
    tags: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    freshness: str = ""
    vocabulary: Vocabulary = Vocabulary()
    enabled: bool = True
    healthy: bool = True
    tenants: frozenset[str] | None = None
    modes: frozenset[str] = frozenset({"brief", "full", "explain"})
    limits: Limits = Limits()
    retries: Retries = field(default_factory=Retries)
    breaker: BreakerRules = field(default_factory=BreakerRules)
    snapshot: bool = False

    @property
    def hides_rows(self) -> bool:
        """Whether some caller may not see all of its rows."""
        return any(mapping.record_filter for mapping in self.mappings)

    def mapping(self, id: str) -> Mapping | None:
        return next((mapping for mapping in self.mappings if mapping.id == id), None)
