"""Lets a model choose among the Optional sources, and accepts nothing it was not offered.

Mandatory and policy-forced sources are taken without asking and never enter the brief (stage 2).
"""

import json
from collections.abc import Mapping

from esra.briefs import SelectBrief, SourceBrief
from esra.domain.capability import Presence, SelectForm
from esra.domain.codes import AuditEvent, WarningCode
from esra.domain.invocation import Call
from esra.domain.outcome import Fact, Outcome, Warn
from esra.domain.scope import Scope, ScopedSource
from esra.domain.usage import Asked, Usage
from esra.ports import Reply, Selector, Trouble, spent, within
from esra.reply import Unusable, read_rows


async def select_sources(
    call: Call, scope: Scope, selectors: Mapping[str, Selector], seconds: float
) -> Outcome[tuple[ScopedSource, ...]]:
    """The sources to search, in the scope's order."""
    optional = tuple(s for s in scope.sources if s.presence is Presence.OPTIONAL)
    if not optional or scope.forms.select is SelectForm.ALL:
        return _outcome(scope.sources, scope, origin="all")
    selector = selectors.get(scope.forms.select.value)
    if selector is None:
        return _fallback(scope, "no selector")
    brief = brief_selection(call, optional)
    reply: Reply | None = None
    try:
        reply = await within(seconds, selector.select(brief))
        picked, unknown = admit_selection(reply.text, brief)
    except (Trouble, Unusable) as trouble:
        asked = _asked(selector, spent(trouble, reply))
        return _fallback(scope, type(trouble).__name__, (asked,))
    chosen = tuple(
        s for s in scope.sources if s.presence is not Presence.OPTIONAL or s.source.id in picked
    )
    return _outcome(
        chosen,
        scope,
        origin=scope.forms.select.value,
        unknown=unknown,
        asked=(_asked(selector, reply.usage),),
    )


def _asked(selector: Selector, usage: Usage | None) -> Asked:
    return Asked(step="select", identity=selector.identity, usage=usage)


def brief_selection(call: Call, optional: tuple[ScopedSource, ...]) -> SelectBrief:
    """Business metadata only."""
    return SelectBrief(
        prompt=call.prompt,
        candidates=tuple(
            SourceBrief(
                id=scoped.source.id,
                description=scoped.source.description,
                usage=scoped.source.usage,
                exclusions=scoped.source.exclusions,
                tags=scoped.source.tags,
                languages=scoped.source.languages,
                examples=scoped.source.examples,
                freshness=scoped.source.freshness,
            )
            for scoped in optional
        ),
    )


def admit_selection(text: str, brief: SelectBrief) -> tuple[frozenset[str], tuple[str, ...]]:
    """(ids that were offered, ids that were not), from ``{"sources": [id, ...]}``; else Unusable.

    An empty list is a valid answer.
    """
    rows = read_rows(text, "sources")
    ids = [id for id in rows if isinstance(id, str)]
    if len(ids) != len(rows):
        raise Unusable("a selection is a list of source ids")
    offered = {candidate.id for candidate in brief.candidates}
    unknown = dict.fromkeys(id for id in ids if id not in offered)
    return frozenset(id for id in ids if id in offered), tuple(unknown)


def _fallback(
    scope: Scope, reason: str, asked: tuple[Asked, ...] = ()
) -> Outcome[tuple[ScopedSource, ...]]:
    chosen = tuple(s for s in scope.sources if s.presence is not Presence.OPTIONAL)
    warning = Warn(code=WarningCode.SELECTION_FALLBACK)
    return _outcome(
        chosen, scope, origin="fallback", warnings=(warning,), reason=reason, asked=asked
    )


def _outcome(
    chosen: tuple[ScopedSource, ...],
    scope: Scope,
    *,
    origin: str,
    unknown: tuple[str, ...] = (),
    warnings: tuple[Warn, ...] = (),
    reason: str = "",
    asked: tuple[Asked, ...] = (),
) -> Outcome[tuple[ScopedSource, ...]]:
    values: list[tuple[str, object]] = [
        ("origin", origin),
        ("chosen", [scoped.source.id for scoped in chosen]),
        ("offered", [scoped.source.id for scoped in scope.sources]),
    ]
    if reason:
        values.append(("reason", reason))
    values += [("calls", one.usage.calls) for one in asked if one.usage is not None]
    rejected = tuple(
        # Model text is data: JSON keeps a hostile id on one line of the log, and bounded.
        Fact(event=AuditEvent.UNKNOWN_SOURCE_REJECTED, values=(("id", json.dumps(id[:200])),))
        for id in unknown
    )
    selected = Fact(event=AuditEvent.SOURCES_SELECT, values=tuple(values))
    return Outcome(value=chosen, warnings=warnings, facts=(selected, *rejected), asked=asked)
