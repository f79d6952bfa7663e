"""The one gate: what passes here is stamped, and only what is stamped can reach a provider.

Deterministic; there is no flag, setting or constructor that turns it off (stage 4). Each rule
answers with one reason of a closed set. With the stamp comes the record filter of the mapping,
bound to the caller's claims: no plan names it, and none can leave it out.
"""

import math
import unicodedata
from collections import Counter
from collections.abc import Mapping as Keyed
from dataclasses import replace

from esra._stamp import stamp
from esra.domain.codes import AuditEvent, RejectReason, WarningCode
from esra.domain.invocation import Call, Mode
from esra.domain.outcome import Fact, Outcome, Rejected, Warn
from esra.domain.plan import Filter, PlannedQuery, SourcePlan, Strategy
from esra.domain.scope import Scope, ScopedSource
from esra.domain.source import Field, FieldType, Limits, Mapping, Operator, Source, tightest
from esra.ports import Capabilities, Provider
from esra.sealed import BoundFilter, QueryContent, ValidatedQuery
from esra.sources.left_out import left_out
from esra.sources.relation import MOST_TERMS, MOST_TEXT, within_bounds, words
from esra.sources.visibility import storable, unused_claims, visible_rows

SEPARATORS = (";", "--", "/*", "*/")
BRIEF_FRAGMENT = 400


def validate_plans(
    call: Call,
    plans: tuple[SourcePlan, ...],
    chosen: tuple[ScopedSource, ...],
    scope: Scope,
    providers: Keyed[str, Provider],
) -> Outcome[tuple[ValidatedQuery, ...]]:
    """The queries that survived, stamped; every drop is a warning and an audit fact."""
    selected = {scoped.source.id: scoped.source for scoped in chosen}
    passed: list[QueryContent] = []
    rejected: list[Rejected] = []
    for plan in plans:
        for number, query in enumerate(plan.queries):
            source = selected.get(plan.source)
            reason = _verdict(query, number, source, scope, providers)
            if reason is not None or source is None:
                reason = reason or RejectReason.SOURCE_NOT_SELECTED
                rejected.append(Rejected(source=plan.source, query=number, reason=reason))
            else:
                passed.append(_content(call, query, number, source, scope))
    return Outcome(
        value=tuple(stamp(content) for content in _counted(passed, selected)),
        warnings=tuple(
            Warn(code=WarningCode.PLAN_REJECTED, source=r.source, detail=r.reason.value)
            for r in rejected
        ),
        facts=(
            *(
                Fact(
                    event=AuditEvent.QUERY_REJECTED,
                    values=(("source", r.source), ("query", r.query), ("reason", r.reason.value)),
                )
                for r in rejected
            ),
            *_unused(call, passed, selected),
        ),
    )


def _counted(contents: list[QueryContent], selected: Keyed[str, Source]) -> list[QueryContent]:
    """Each content of a source that asks for one snapshot knows how many share it."""
    sharing = Counter(c.source for c in contents if selected[c.source].snapshot)
    return [replace(content, snapshot=sharing[content.source]) for content in contents]


def _unused(call: Call, passed: list[QueryContent], selected: Keyed[str, Source]) -> list[Fact]:
    """Which claims of the caller a record filter could not use: names and reasons, no values."""
    searched = dict.fromkeys((content.source, content.mapping) for content in passed)
    return [
        Fact(
            event=AuditEvent.CLAIM_UNUSED,
            values=(
                ("source", source),
                ("mapping", mapping.id),
                ("claim", unused.claim),
                ("reason", unused.reason.value),
            ),
        )
        for source, id in searched
        if (mapping := selected[source].mapping(id)) is not None
        for unused in unused_claims(mapping, call.caller)
    ]


def _verdict(
    query: PlannedQuery,
    number: int,
    source: Source | None,
    scope: Scope,
    providers: Keyed[str, Provider],
) -> RejectReason | None:
    """Why this query must not run, or None."""
    if source is None:
        return RejectReason.SOURCE_NOT_SELECTED
    mapping = source.mapping(query.mapping)
    if mapping is None:
        return RejectReason.MAPPING_NOT_IN_SOURCE
    provider = providers.get(source.provider)
    if provider is None or query.strategy not in provider.capabilities.strategies:
        return RejectReason.STRATEGY_NOT_SUPPORTED
    limits = _limits(scope, source)
    if number >= limits.queries:
        return RejectReason.OVER_QUERY_CEILING
    if query.limit is not None and not 1 <= query.limit <= limits.rows:
        return RejectReason.LIMIT_OVER_POLICY
    return (
        _projection_verdict(query, mapping)
        or next((r for f in query.filters if (r := _filter_verdict(f, mapping))), None)
        or _text_verdict(query)
        or _words_verdict(query, mapping.relation.language, provider.capabilities)
    )


def _limits(scope: Scope, source: Source) -> Limits:
    return tightest(scope.limits, source.limits)


def _projection_verdict(query: PlannedQuery, mapping: Mapping) -> RejectReason | None:
    for name in query.projection or ():
        field = mapping.field(name)
        if field is None:
            return RejectReason.FIELD_UNKNOWN
        if field.restricted:
            return RejectReason.FIELD_RESTRICTED
        if not field.returnable:
            return RejectReason.FIELD_NOT_RETURNABLE
    return None


def _filter_verdict(filter: Filter, mapping: Mapping) -> RejectReason | None:
    field = mapping.field(filter.field)
    if field is None:
        return RejectReason.FIELD_UNKNOWN
    if not field.filterable:
        return RejectReason.FIELD_NOT_FILTERABLE
    if filter.operator not in field.operators:
        return RejectReason.OPERATOR_NOT_PERMITTED
    if filter.operator is not Operator.IN and len(filter.values) != 1:
        return RejectReason.FILTER_VALUE_INVALID
    if not 1 <= len(filter.values) <= MOST_TERMS:
        return RejectReason.FILTER_VALUE_INVALID
    if not all(_fits(value, field) for value in filter.values):
        return RejectReason.FILTER_VALUE_INVALID
    if any(isinstance(value, str) and separated(value) for value in filter.values):
        return RejectReason.SEPARATOR_OR_COMMENT
    return None


def _fits(value: object, field: Field) -> bool:
    match field.type:
        case FieldType.TEXT:
            return isinstance(value, str) and storable(value) and len(value.encode()) <= MOST_TEXT
        case FieldType.BOOLEAN:
            return isinstance(value, bool)
        case FieldType.NUMBER | FieldType.TIMESTAMP:
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                return False
            # Every engine takes a double; a larger integer would overflow in some of them.
            return abs(value) < 2**53 and math.isfinite(value)


def _text_verdict(query: PlannedQuery) -> RejectReason | None:
    terms = (*query.required, *query.optional, *query.excluded)
    texts = (*terms, *query.phrases)
    if any(not storable(text) or separated(text) for text in texts):
        return RejectReason.SEPARATOR_OR_COMMENT
    if not within_bounds(terms, query.phrases):
        return RejectReason.TOO_MUCH_TEXT
    return None


def _words_verdict(query: PlannedQuery, language: str, engine: Capabilities) -> RejectReason | None:
    """Whether there is a word to look for that the engine's index can hold."""
    positive = (*query.required, *query.optional, *query.phrases)
    recent = query.strategy is Strategy.RECENT
    if not positive and recent and query.filters:
        return None
    if not positive and (recent or query.excluded):
        return RejectReason.NO_POSITIVE_TERM
    asked = [word for text in positive for word in words(text)]
    if not asked or (engine.leaves_out and left_out(asked, language)):
        return RejectReason.NO_SEARCHABLE_TERM
    return None


def separated(text: str) -> bool:
    """Whether the text, in NFKC form too, holds a statement separator or comment sequence."""
    folded = unicodedata.normalize("NFKC", text)
    return any(mark in text or mark in folded for mark in SEPARATORS)


def _content(
    call: Call, query: PlannedQuery, number: int, source: Source, scope: Scope
) -> QueryContent:
    mapping = source.mapping(query.mapping)
    if mapping is None:
        raise LookupError("validated queries name a mapping of their source")
    limits = _limits(scope, source)
    fragment = limits.fragment
    if call.mode is Mode.BRIEF:
        fragment = min(fragment, BRIEF_FRAGMENT)
    return QueryContent(
        invocation=call.id,
        configuration=scope.version,
        source=source.id,
        mapping=mapping.id,
        query=number,
        relation=mapping.relation,
        strategy=query.strategy,
        required=query.required,
        optional=query.optional,
        excluded=query.excluded,
        phrases=query.phrases,
        visible=visible_rows(mapping, call.caller),
        filters=tuple(_bound(filter, mapping) for filter in query.filters),
        projection=_projection(query, mapping),
        rows=query.limit or limits.rows,
        fragment=fragment,
        seconds=limits.seconds,
        snapshot=0,
    )


def _bound(filter: Filter, mapping: Mapping) -> BoundFilter:
    field = mapping.field(filter.field)
    if field is None:
        raise LookupError("validated filters name a field of their mapping")
    return BoundFilter(
        column=field.column, type=field.type.value, operator=filter.operator, values=filter.values
    )


def _projection(query: PlannedQuery, mapping: Mapping) -> tuple[Field, ...]:
    """The mapping's own returnable fields, or those of them a hand-built plan names."""
    allowed = tuple(f for f in mapping.fields if f.returnable and not f.restricted)
    if query.projection is None:
        return allowed
    return tuple(field for field in allowed if field.name in query.projection)
