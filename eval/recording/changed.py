"""A catalog as one recording wants it: other forms, a wider shortlist. The file stays as it is."""

from dataclasses import dataclass, replace

from esra.config.bounds import CAPABILITY
from esra.config.strict import ConfigError
from esra.domain.capability import Capability, Catalog, Forms, PlanForm, RerankForm, SelectForm
from esra.ports import House


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """None: as the catalog has it."""

    select: str | None = None
    plan: str | None = None
    rerank: str | None = None
    shortlist: int | None = None

    def told(self) -> tuple[str, ...]:
        """What differs from the catalog, for the recording's key and name."""
        named = ("select", "plan", "rerank", "shortlist")
        return tuple(f"{name}={getattr(self, name)}" for name in named if getattr(self, name))

    def made(self, catalog: Catalog, capability: str) -> Catalog:
        """The catalog with this capability changed."""
        own = (self._one(c) if c.id == capability else c for c in catalog.capabilities)
        return replace(catalog, capabilities=tuple(own))

    def _one(self, known: Capability) -> Capability:
        forms = Forms(
            select=SelectForm(self.select or known.forms.select),
            plan=PlanForm(self.plan or known.forms.plan),
            rerank=RerankForm(self.rerank or known.forms.rerank),
        )
        scoring = replace(known.scoring, shortlist=self.shortlist or known.scoring.shortlist)
        return replace(known, forms=forms, scoring=scoring)

    def check(self) -> None:
        """Raises ``ConfigError`` for a shortlist out of bounds."""
        bounds = CAPABILITY["shortlist"]
        if self.shortlist is not None and not bounds.low <= self.shortlist <= bounds.high:
            raise ConfigError(f"--shortlist lies between {bounds.low:g} and {bounds.high:g}")


def refuse_missing_models(house: House, capability: Capability) -> None:
    """``ConfigError`` where a form asks a model that the catalog does not name.

    The pipeline would fall back, question after question, and the recording would be of that.
    """
    forms = capability.forms
    for step, form, models, plain in (
        ("select", forms.select, house.selectors, (SelectForm.ALL,)),
        ("plan", forms.plan, house.planners, (PlanForm.TEMPLATE,)),
        ("rerank", forms.rerank, house.rerankers, (RerankForm.NONE,)),
    ):
        if form not in plain and form.value not in models:
            raise ConfigError(
                f'{step} = "{form.value}": the catalog names no language model; add a [model] block'
            )
