"""Whether a trace that was read from a file holds what a trace holds.

What stands in a file can be damaged, or changed by hand. What is not of its kind is found here, so
that whoever reads traces may take every value for what it is.
"""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, Strict, ValidationError

from esra.domain.codes import FailureCode
from esra.domain.plan import PlanOrigin, Strategy

Lax = Strict(False)  # JSON has lists and texts where a trace has tuples and names
Count = Annotated[int, Field(ge=0)]
Id = Annotated[tuple[str, str, str], Lax]  # source, relation, key
Semantic = float | Literal["omitted", "not asked"]
Place = Annotated[tuple[str, str, str, Semantic, float], Lax]  # id, semantic, final
Row = Annotated[tuple[str, str, float | None, float | None, bool, list[float]], Lax]


class _Part(BaseModel):
    model_config = ConfigDict(strict=True, allow_inf_nan=False)


class _Exact(_Part):
    model_config = ConfigDict(extra="forbid")


class _Source(_Exact):
    priority: float
    half_life: float | None
    native_floor: float | None
    ceiling: int = 1


class _Numbers(_Exact):
    semantic_weight: float
    lexical_weight: float
    match_bonus: float
    bonus_cap: float
    freshness_floor: float
    stale_weight: float
    evidence_floor: float
    shortlist: Count
    sources: dict[str, _Source]


class _Forms(_Part):
    select: str
    plan: str
    rerank: str


class _Plan(_Part):
    source: str
    origin: Annotated[PlanOrigin, Lax]
    strategies: list[str]


class _Answer(_Part):
    source: str
    query: Count
    strategy: Annotated[Strategy, Lax]
    capped: bool
    seconds: float = 0.0
    failed: Annotated[FailureCode, Lax] | None = None
    rows: list[Row] = []


class _Usage(_Part):
    calls: Count
    tokens_in: Count
    tokens_out: Count
    seconds: float
    cost: float | None


class _Call(_Part):
    step: Literal["select", "plan", "rerank"]
    identity: str
    source: str | None
    usage: _Usage | None


class _Said(_Part):
    code: str
    count: int | None = None


class _Trace(_Part):
    capability: str
    now: float
    prompt: str | None
    forms: _Forms
    scoring: _Numbers
    scope: list[str]
    chosen: list[str]
    plans: list[_Plan]
    answers: list[_Answer]
    evidence: dict[str, float] = {}
    asked: list[Id]
    ordered_by: str
    ranking: list[Place]
    lengths: list[Count] | None = None
    shown: Count
    calls: list[_Call]
    warnings: list[_Said]
    notices: list[_Said]


def sound(trace: Mapping[str, object]) -> bool:
    """Whether every value of the trace is there and of its kind.

    ``evidence`` and ``lengths`` may be missing: a trace has not always held them.
    """
    try:
        own = _Trace.model_validate(trace)
    except ValidationError:
        return False
    found = len(own.ranking)
    return own.shown <= found and (own.lengths is None or len(own.lengths) == found)
