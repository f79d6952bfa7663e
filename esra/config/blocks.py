"""The blocks of a catalog file, as strict models: what may stand there, and within what bounds."""

from typing import Annotated, Literal

from pydantic import AfterValidator
from pydantic import Field as Bound

from esra.config.hosts import Host
from esra.config.reference import Address, Reference
from esra.config.resilience import BreakerBlock, RetriesBlock
from esra.config.strict import Strict
from esra.config.trust import GovernanceBlock


def _identifier(name: str) -> str:
    # The server cuts longer names silently, so that two of them may become one; NUL ends a name.
    if not 1 <= len(name.encode()) <= 63 or any(ord(char) < 32 for char in name):
        raise ValueError("a name in the database has 1 to 63 bytes and no control characters")
    return name


Physical = Annotated[str, AfterValidator(_identifier)]


class LimitsBlock(Strict):
    rows: int = Bound(default=50, ge=1, le=1_000)
    queries: int = Bound(default=20, ge=1, le=20)
    results: int = Bound(default=50, ge=1, le=1_000)
    fragment: int = Bound(default=2_000, ge=1, le=100_000)
    size: int = Bound(default=200_000, ge=1_000, le=10_000_000)
    seconds: float = Bound(default=5.0, gt=0, le=300)
    parallel: int = Bound(default=8, ge=1, le=64)


class FieldBlock(Strict):
    name: str = Bound(min_length=1)
    column: Physical
    type: Literal["text", "number", "boolean", "timestamp"] = "text"
    searchable: bool = False
    filterable: bool = False
    operators: list[Literal["eq", "ne", "lt", "lte", "gt", "gte", "in"]] = []
    returnable: bool = False
    restricted: bool = False
    masking: Literal["none", "last4", "all"] = "none"


class RowRuleBlock(Strict):
    """Rows pass whose ``column`` holds what the caller has under ``claim``, or the fixed ``value``.

    ``tenant``, ``subject`` and ``groups`` are the caller's own. Rules of one mapping must all let a
    row pass; of those that share a name under ``either``, one is enough.
    """

    column: Physical
    claim: str | None = Bound(default=None, min_length=1)
    value: str | None = Bound(default=None, min_length=1)
    type: Literal["text", "number", "boolean"] = "text"
    operator: Literal["eq", "in"] = "in"
    either: str | None = Bound(default=None, min_length=1)


class MappingBlock(Strict):
    id: str = Bound(min_length=1)
    name: str = Bound(min_length=1)
    description: str = ""
    schema_: Physical = Bound(alias="schema")
    table: Physical
    key: Physical
    title: Physical
    text: Physical
    vector: Physical
    timestamp: Physical | None = None
    language: str = "english"
    rank: Literal["coverage", "density", "rarity"] = "coverage"
    fields: list[FieldBlock] = []
    record_filter: list[RowRuleBlock] = []


class VocabularyBlock(Strict):
    """Words of the business: ``synonyms.car = ["automobile"]``, ``acronyms.ndcg = ["..."]``."""

    synonyms: dict[str, list[str]] = {}
    acronyms: dict[str, list[str]] = {}


class SourceBlock(Strict):
    id: str = Bound(min_length=1)
    name: str = Bound(min_length=1)
    provider: str = Bound(min_length=1)
    family: Literal["relation"] = "relation"
    description: str = ""
    usage: str = ""
    exclusions: str = ""
    tags: list[str] = []
    languages: list[str] = []
    examples: list[str] = []
    freshness: str = ""
    vocabulary: VocabularyBlock = VocabularyBlock()
    enabled: bool = True
    snapshot: bool = False
    tenants: list[str] | None = None
    modes: list[Literal["brief", "full", "explain"]] = ["brief", "full", "explain"]
    limits: LimitsBlock = LimitsBlock()
    retries: RetriesBlock = RetriesBlock()
    breaker: BreakerBlock = BreakerBlock()
    mappings: list[MappingBlock] = Bound(min_length=1)


class OwnScoringBlock(Strict):
    priority: float = 1.0
    half_life: float | None = None
    native_floor: float | None = None
    ceiling: int = 3


class ScoringBlock(Strict):
    semantic_weight: float = Bound(default=0.7, ge=0)
    lexical_weight: float = Bound(default=0.3, ge=0)
    match_bonus: float = 0.02
    bonus_cap: float = 0.1
    freshness_floor: float = 0.0
    stale_weight: float = 0.5
    evidence_floor: float = 1.0
    shortlist: int = 30
    sources: dict[str, OwnScoringBlock] = {}


class BindingBlock(Strict):
    source: str = Bound(min_length=1)
    presence: Literal["mandatory", "forced", "optional"] = "optional"


class CapabilityBlock(Strict):
    id: str = Bound(min_length=1)
    name: str = Bound(min_length=1)
    description: str = ""
    select: Literal["all", "local", "model", "statistics"] = "all"
    plan: Literal["template", "local", "model"] = "template"
    rerank: Literal["none", "local", "model"] = "none"
    modes: list[Literal["brief", "full", "explain"]] = ["brief", "full", "explain"]
    limits: LimitsBlock = LimitsBlock()
    scoring: ScoringBlock = ScoringBlock()
    data: str = ""
    bindings: list[BindingBlock] = Bound(min_length=1)


class ConditionBlock(Strict):
    claim: str = Bound(min_length=1)
    any: list[str] = Bound(min_length=1)


class AllowBlock(Strict):
    """Admits whose ``claim`` has one of the values ``any``, and who meets all of ``also``."""

    claim: str = Bound(min_length=1)
    any: list[str] = Bound(min_length=1)
    also: list[ConditionBlock] = []
    sources: list[str] | None = None
    modes: list[Literal["brief", "full", "explain"]] = ["brief", "full"]
    limits: LimitsBlock = LimitsBlock()


class ExposureBlock(Strict):
    """Without ``allow`` and ``allow_authenticated`` no token is admitted, only a local caller."""

    slug: str
    capability: str
    sources: list[str] | None = None
    published: bool = True
    tenants: list[str] | None = None
    modes: list[Literal["brief", "full", "explain"]] = ["brief", "full"]
    limits: LimitsBlock = LimitsBlock()
    allow: list[AllowBlock] = []
    allow_authenticated: bool = False


class ProviderBlock(Strict):
    """``url`` is a reference (``embedded``, ``env:NAME``, ``file:PATH``), never a URL itself.

    ``hosts`` lists what it may lead to: names, addresses, networks, folders of Unix sockets.
    Without it the hosts in the URL are taken as meant.
    """

    engine: Literal["postgres"]
    parallel: int = Bound(default=8, ge=1, le=256)
    url: Address
    hosts: list[Host] | None = Bound(default=None, min_length=1)


class ModelBlock(Strict):
    """An OpenAI-compatible endpoint. ``key`` is a reference, never a key itself."""

    base_url: str = Bound(min_length=1)
    model: str = Bound(min_length=1)
    key: Reference | None = None
    timeout: float = Bound(default=20.0, gt=0, le=600)
    concurrency: int = Bound(default=8, ge=1, le=256)
    seed: int | None = 0
    price: list[float] | None = Bound(default=None, min_length=2, max_length=2)
    max_tokens: int = Bound(default=8192, ge=1)
    prompts: str | None = None


class CatalogFile(Strict):
    parallel: int = Bound(default=32, ge=1, le=1_024)
    governance: GovernanceBlock = GovernanceBlock()
    model: ModelBlock | None = None
    providers: dict[str, ProviderBlock]
    sources: list[SourceBlock]
    capabilities: list[CapabilityBlock]
    exposures: list[ExposureBlock]
