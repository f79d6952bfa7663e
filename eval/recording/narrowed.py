"""A catalog of a few records: what one source holds under given keys, and nothing else of it.

The record filter of a mapping gets one rule more, that its key is one of those the caller brings,
so that everything else is asked as it always is. Pure; the catalog's file stays as it is.

The row cap is set aside, up to the widest that a catalog may allow: what it would leave out is the
question. Of a text no more is fetched than an engine has to give.
"""

import json
from collections.abc import Iterable
from dataclasses import replace

from esra.briefs import PlanBrief
from esra.domain.capability import Catalog, Forms, PlanForm, RerankForm, SelectForm
from esra.domain.invocation import Caller
from esra.domain.plan import Strategy
from esra.domain.source import Field, Limits, Mapping, Masking, Operator, RowRule, Source
from esra.ports import Planner, Reply
from esra.reply import read_rows
from eval.recording.as_of import WIDEST, asking

CLAIM = "the keys of this question"
KEY = "key"
LISTING = PlanForm.MODEL  # the form under which a plan of ours comes in
NARROWED = "of asked keys"
LIFTED = "without record filter"


def bringing(caller: Caller, keys: Iterable[str]) -> Caller:
    """The caller with these keys and none that he brought, and without a row cap of his own."""
    others = (pair for pair in caller.claims if pair[0] != CLAIM)
    return replace(asking(caller), claims=(*others, (CLAIM, tuple(sorted(keys)))))


def of_one(
    catalog: Catalog, slug: str, source: Source, mappings: tuple[Mapping, ...], plan: PlanForm
) -> Catalog:
    """The catalog with nothing but these mappings of a source, and of them nothing but our keys."""
    exposure = catalog.exposure(slug)
    capability = catalog.capability(exposure.capability) if exposure else None
    if exposure is None or capability is None:
        raise LookupError(f"the catalog has no exposure {slug!r}")
    own = replace(
        capability,
        bindings=tuple(one for one in capability.bindings if one.source == source.id),
        forms=Forms(select=SelectForm.ALL, plan=plan, rerank=RerankForm.NONE),
        limits=_wide(capability.limits),
    )
    kept = tuple(
        replace(one, record_filter=(*one.record_filter, (_key_rule(one),))) for one in mappings
    )
    return replace(
        catalog,
        version=f"{catalog.version} {NARROWED}",
        sources=(replace(source, mappings=kept, limits=_wide(source.limits)),),
        capabilities=(own,),
        exposures=(replace(exposure, limits=_wide(exposure.limits)),),
    )


def _wide(limits: Limits) -> Limits:
    return replace(limits, rows=WIDEST, fragment=1)


def lifted(catalog: Catalog) -> Catalog:
    """The catalog whose record filters let every asked key pass; its name says so in the audit."""
    kept = tuple(
        replace(one, mappings=tuple(_keys_alone(mapping) for mapping in one.mappings))
        for one in catalog.sources
    )
    return replace(catalog, version=f"{catalog.version} {LIFTED}", sources=kept)


def _keys_alone(mapping: Mapping) -> Mapping:
    return replace(mapping, record_filter=((_key_rule(mapping),),))


def _key_rule(mapping: Mapping) -> RowRule:
    return RowRule(column=mapping.relation.key, claim=CLAIM)


def listed(mapping: Mapping) -> Mapping:
    """With its key as a field: a search for no word has to be narrowed by something."""
    key = Field(
        name=KEY,
        column=mapping.relation.key,
        filterable=True,
        operators=frozenset({Operator.NE}),
    )
    return replace(mapping, fields=(key,))


class Listing:
    """Plans for every record that the record filter lets pass, whatever its words."""

    identity = "listing"

    async def plan(self, brief: PlanBrief) -> Reply:
        every = {"field": KEY, "operator": Operator.NE.value, "value": ""}
        queries = [
            {"mapping": one.id, "strategy": Strategy.RECENT.value, "filters": [every]}
            for one in brief.mappings
        ]
        return Reply(text=json.dumps({"queries": queries}))


class Unbounded:
    """A planner whose queries bring no limit of their own: they end where the strip does.

    One that named more than ``cap`` was rejected when it was recorded, and is again.
    """

    def __init__(self, planner: Planner, cap: int) -> None:
        self.identity, self._planner, self._cap = planner.identity, planner, cap

    async def plan(self, brief: PlanBrief) -> Reply:
        reply = await self._planner.plan(brief)
        queries = [self._freed(query) for query in read_rows(reply.text, "queries")]
        return replace(reply, text=json.dumps({"queries": queries}))

    def _freed(self, query: object) -> object:
        if not isinstance(query, dict) or type(limit := query.get("limit")) is not int or limit < 1:
            return query
        return {**query, "limit": None if limit <= self._cap else WIDEST + 1}


def shows_masked_alone(mapping: Mapping) -> bool:
    """Whether it returns fields, and each of them masked."""
    shown = [one for one in mapping.fields if one.returnable and not one.restricted]
    return bool(shown) and all(one.masking is not Masking.NONE for one in shown)
