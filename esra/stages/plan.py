"""Plans the searches of each chosen source: one call a source, concurrently, none knows another.

The template is the fallback of every planner and a planner of its own: it cleans its text, so
that nothing an ordinary prompt carries is lost or rejected (stage 3, RULINGS 13 and 14).
"""

import asyncio
from collections.abc import Mapping as Keyed
from dataclasses import dataclass, replace

from esra.briefs import FieldBrief, MappingBrief, PlanBrief
from esra.domain.capability import PlanForm
from esra.domain.codes import AuditEvent, WarningCode
from esra.domain.invocation import Call
from esra.domain.outcome import Fact, Outcome, Warn
from esra.domain.plan import Filter, PlannedQuery, PlanOrigin, SourcePlan, Strategy
from esra.domain.scope import Scope, ScopedSource
from esra.domain.source import Mapping, Operator, Source
from esra.domain.usage import Asked
from esra.ports import Planner, Provider, Trouble, spent, within
from esra.reply import Unusable, read_rows
from esra.sources.question import content_words, phrase_words


async def plan_searches(
    call: Call,
    scope: Scope,
    chosen: tuple[ScopedSource, ...],
    planners: Keyed[str, Planner],
    providers: Keyed[str, Provider],
    seconds: float,
) -> Outcome[tuple[SourcePlan, ...]]:
    """A plan for each chosen source, in their order."""
    planner = planners.get(scope.forms.plan.value)
    plans = await asyncio.gather(
        *(_plan(call, scope, scoped.source, planner, providers, seconds) for scoped in chosen)
    )
    warnings = tuple(
        Warn(code=WarningCode.PLANNING_FALLBACK, source=one.plan.source)
        for one in plans
        if one.fell_back
    )
    return Outcome(
        value=tuple(one.plan for one in plans),
        warnings=warnings,
        facts=tuple(_fact(one) for one in plans),
        asked=tuple(one.asked for one in plans if one.asked is not None),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Planned:
    """One source's plan, whether it is a fallback, and what asking for it cost."""

    plan: SourcePlan
    fell_back: bool = False
    asked: Asked | None = None


def _fact(one: _Planned) -> Fact:
    return Fact(
        event=AuditEvent.SEARCHES_PLAN,
        values=(
            ("source", one.plan.source),
            ("origin", one.plan.origin.value),
            ("queries", len(one.plan.queries)),
            ("fallback", one.fell_back),
        ),
    )


async def _plan(
    call: Call,
    scope: Scope,
    source: Source,
    planner: Planner | None,
    providers: Keyed[str, Provider],
    seconds: float,
) -> _Planned:
    ceiling = min(scope.scoring.of(source.id).ceiling, scope.limits.queries, source.limits.queries)
    template = template_plan(call.prompt, source, ceiling)
    if scope.forms.plan is PlanForm.TEMPLATE:
        return _Planned(plan=template)
    if planner is None:
        return _Planned(plan=template, fell_back=True)
    provider = providers.get(source.provider)
    supported = provider.capabilities.strategies if provider else frozenset[Strategy]()
    asked = Asked(step="plan", identity=planner.identity, source=source.id)
    try:
        brief = brief_plan(call, source, supported, ceiling)
        reply = await within(seconds, planner.plan(brief))
        asked = replace(asked, usage=reply.usage)
        queries = admit_plan(reply.text, ceiling)
    except (Trouble, Unusable) as trouble:
        asked = replace(asked, usage=asked.usage or spent(trouble))
        return _Planned(plan=template, fell_back=True, asked=asked)
    origin = PlanOrigin(scope.forms.plan.value)
    plan = SourcePlan(source=source.id, origin=origin, queries=queries)
    return _Planned(plan=plan, asked=asked)


def template_plan(prompt: str, source: Source, ceiling: int) -> SourcePlan:
    """Keyword queries of all mappings in configured order, then phrases, until the ceiling."""
    keywords = [_keyword(prompt, mapping) for mapping in source.mappings]
    phrases = [_phrase(prompt, mapping) for mapping in source.mappings]
    queries = tuple([*keywords, *phrases][:ceiling])
    return SourcePlan(source=source.id, origin=PlanOrigin.TEMPLATE, queries=queries)


def _keyword(prompt: str, mapping: Mapping) -> PlannedQuery:
    return PlannedQuery(
        mapping=mapping.id, strategy=Strategy.KEYWORD, optional=content_words(prompt)
    )


def _phrase(prompt: str, mapping: Mapping) -> PlannedQuery:
    phrase = " ".join(phrase_words(prompt))
    return PlannedQuery(
        mapping=mapping.id, strategy=Strategy.PHRASE, phrases=(phrase,) if phrase else ()
    )


def brief_plan(
    call: Call, source: Source, supported: frozenset[Strategy], ceiling: int
) -> PlanBrief:
    """One source's business schema and what its engine supports."""
    return PlanBrief(
        prompt=call.prompt,
        description=source.description,
        mappings=tuple(_brief_mapping(mapping) for mapping in source.mappings),
        strategies=tuple(s for s in Strategy if s in supported),
        unsupported=tuple(s for s in Strategy if s not in supported),
        vocabulary=source.vocabulary,
        ceiling=ceiling,
    )


def _brief_mapping(mapping: Mapping) -> MappingBrief:
    fields = tuple(
        FieldBrief(
            fieldName=field.name,
            isSearchable=field.searchable,
            isFilterable=field.filterable,
            allowedOperators=tuple(sorted(field.operators)),
        )
        for field in mapping.fields
        if not field.restricted
    )
    return MappingBrief(
        id=mapping.id, name=mapping.name, description=mapping.description, fields=fields
    )


def admit_plan(text: str, ceiling: int) -> tuple[PlannedQuery, ...]:
    """The queries in ``{"queries": [...]}``, cut to the ceiling; Unusable where there is none."""
    rows = read_rows(text, "queries")
    if not rows:
        raise Unusable("a plan is a list of at least one query")
    return tuple(_admit_query(row) for row in rows[:ceiling])


def _admit_query(row: object) -> PlannedQuery:
    if not isinstance(row, dict) or not isinstance(row.get("mapping"), str):
        raise Unusable("a query names its mapping")
    try:
        strategy = Strategy(str(row.get("strategy")))
    except ValueError as error:
        raise Unusable("a query names one of the six strategies") from error
    filters = row.get("filters") or []
    if not isinstance(filters, list):
        raise Unusable("filters are a list")
    limit = row.get("limit")
    if limit is not None and (type(limit) is not int or limit < 1):
        raise Unusable("a limit is a positive number")
    return PlannedQuery(
        mapping=row["mapping"],
        strategy=strategy,
        required=_strings(row, "required"),
        optional=_strings(row, "optional"),
        excluded=_strings(row, "excluded"),
        phrases=_strings(row, "phrases"),
        filters=tuple(_admit_filter(item) for item in filters),
        limit=limit,
    )


def _strings(row: dict[str, object], key: str) -> tuple[str, ...]:
    values = row.get(key) or []
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise Unusable(f"{key} is a list of texts")
    return tuple(value for value in values if value.strip())


def _admit_filter(item: object) -> Filter:
    if not isinstance(item, dict) or not isinstance(item.get("field"), str):
        raise Unusable("a filter names its field")
    try:
        operator = Operator(str(item.get("operator")))
    except ValueError as error:
        raise Unusable("a filter names a known operator") from error
    value = item.get("value")
    values = tuple(value) if isinstance(value, list) else (value,)
    if not values or not all(type(v) in (str, int, float, bool) for v in values):
        raise Unusable("a filter's value is a plain value or a list of them")
    return Filter(field=item["field"], operator=operator, values=values)
