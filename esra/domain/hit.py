"""A found record on its way: native hit, scored, candidate, ranked. The type tells the past."""

from collections.abc import Iterable
from dataclasses import dataclass

from esra.domain.outcome import Failed
from esra.domain.plan import Strategy


@dataclass(frozen=True, slots=True, order=True)
class RecordId:
    """Identity of a record (RULINGS 4). Equal text under two identities is never merged."""

    source: str
    relation: str
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NativeHit:
    """A row as its engine returned it.

    ``native`` is the engine's own score, None where it gave none; ``timestamp`` the record's own
    time in seconds since the epoch; ``tie`` the source's own tie fields, smaller first.
    """

    id: RecordId
    native: float | None
    title: str
    fragment: str
    timestamp: float | None = None
    stale: bool = False
    tie: tuple[float, ...] = ()
    fields: tuple[tuple[str, object], ...] = ()


class Hits(tuple[NativeHit, ...]):
    """One query's rows in their order; ``capped`` when the engine had more than the cap let out."""

    capped: bool = False

    @classmethod
    def of(cls, hits: Iterable[NativeHit], *, capped: bool) -> "Hits":
        made = cls(hits)
        made.capped = capped
        return made


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What one query of one source brought, or how it failed. ``query`` counts from 0."""

    source: str
    query: int
    strategy: Strategy
    result: tuple[NativeHit, ...] | Failed
    capped: bool = False
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """How one query scored one record: every factor of ``weighted``."""

    source: str
    query: int
    strategy: Strategy
    native: float
    low: float
    high: float
    normalised: float
    priority: float
    freshness: float
    evidence: float
    weighted: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    hit: NativeHit
    match: Match


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A record once, with every match that found it; ``weighted`` holds the bonus already."""

    hit: NativeHit
    matches: tuple[Match, ...]
    bonus: float
    weighted: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """The reranker scored it, 0..1."""

    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Omitted:
    """The reranker was asked and left it out, or answered unusably."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotAsked:
    """Cut before the reranker saw it, or nobody was asked."""


Semantic = Given | Omitted | NotAsked


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """A candidate in its place. ``final`` is the score that ordered it inside its group."""

    candidate: Candidate
    semantic: Semantic
    final: float
