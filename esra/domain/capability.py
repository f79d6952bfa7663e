"""What ``esra_{name}`` offers, to whom, and the numbers that order its results."""

from dataclasses import dataclass
from enum import StrEnum

from esra.domain.codes import NoticeCode
from esra.domain.policy import Access
from esra.domain.source import Limits, Source


class Presence(StrEnum):
    """How a source takes part: always, because a policy says so, or by choice."""

    MANDATORY = "mandatory"
    FORCED = "forced"
    OPTIONAL = "optional"


class SelectForm(StrEnum):
    ALL = "all"
    LOCAL = "local"
    MODEL = "model"
    STATISTICS = "statistics"


class PlanForm(StrEnum):
    TEMPLATE = "template"
    LOCAL = "local"
    MODEL = "model"


class RerankForm(StrEnum):
    NONE = "none"
    LOCAL = "local"
    MODEL = "model"


@dataclass(frozen=True, slots=True, kw_only=True)
class Forms:
    """How each model stage of a capability works. A configured deterministic form warns nothing."""

    select: SelectForm = SelectForm.ALL
    plan: PlanForm = PlanForm.TEMPLATE
    rerank: RerankForm = RerankForm.NONE


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceScoring:
    """One source's own tunables. ``half_life`` in days, None: freshness off."""

    priority: float = 1.0
    half_life: float | None = None
    native_floor: float | None = None
    ceiling: int = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoring:
    """Every number that orders results (the tunables of RULINGS, with their defaults)."""

    semantic_weight: float = 0.7
    lexical_weight: float = 0.3
    match_bonus: float = 0.02
    bonus_cap: float = 0.1
    freshness_floor: float = 0.0
    stale_weight: float = 0.5
    evidence_floor: float = 1.0  # 1: source evidence is off (RULINGS 47)
    shortlist: int = 30
    sources: tuple[tuple[str, SourceScoring], ...] = ()

    def of(self, source: str) -> SourceScoring:
        return dict(self.sources).get(source, SourceScoring())


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """A source's part in a capability."""

    source: str
    presence: Presence = Presence.OPTIONAL


@dataclass(frozen=True, slots=True, kw_only=True)
class Capability:
    id: str
    name: str
    bindings: tuple[Binding, ...]
    description: str = ""
    forms: Forms = Forms()
    scoring: Scoring = Scoring()
    modes: frozenset[str] = frozenset({"brief", "full", "explain"})
    limits: Limits = Limits()
    data: str = ""  # fingerprint of the labelled data it was loaded from, where there is one

    def binding(self, source: str) -> Binding | None:
        return next((binding for binding in self.bindings if binding.source == source), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Exposure:
    """A published face of a capability; ``slug`` names its tool. ``sources`` None: all of them."""

    slug: str
    capability: str
    sources: frozenset[str] | None = None
    published: bool = True
    tenants: frozenset[str] | None = None
    modes: frozenset[str] = frozenset({"brief", "full"})
    limits: Limits = Limits()
    access: Access = Access()


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """Which numbers ordered a response: the catalog's own, or a tuned file's.

    ``notices`` is what there is to say about how it was chosen, in every response it orders.
    """

    tuned: bool = False
    revision: int = 0
    hash: str = ""
    signed: bool = False
    notices: tuple[NoticeCode, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalog:
    """Everything configured, by id. ``version`` is a hash of the content."""

    sources: tuple[Source, ...]
    capabilities: tuple[Capability, ...]
    exposures: tuple[Exposure, ...]
    version: str
    revisions: tuple[tuple[str, Revision], ...] = ()

    def source(self, id: str) -> Source | None:
        return next((source for source in self.sources if source.id == id), None)

    def capability(self, id: str) -> Capability | None:
        return next((capability for capability in self.capabilities if capability.id == id), None)

    def exposure(self, slug: str) -> Exposure | None:
        return next((exposure for exposure in self.exposures if exposure.slug == slug), None)

    def revision(self, capability: str) -> Revision:
        return dict(self.revisions).get(capability, Revision())
