"""Decides which sources may be searched. Reads nothing, calls nobody.

Effective set = source policy, capability binding, exposure subset and runtime authorization, all
four; health applied; each limit the tightest of the levels (stage 1).
"""

from esra.domain.capability import Binding, Capability, Catalog, Exposure
from esra.domain.codes import AuditEvent, ErrorCode, NoticeCode
from esra.domain.invocation import Call, Mode
from esra.domain.outcome import Fact, Note, Outcome, Refused
from esra.domain.scope import Scope, ScopedSource
from esra.domain.source import Source, tightest


def resolve_scope(call: Call, catalog: Catalog) -> Outcome[Scope]:
    """The scope of this call; ``Refused`` when nothing is left to search."""
    exposure, capability = _published(call, catalog)
    levels = _levels(call, catalog, capability, exposure)
    effective = [b for b in capability.bindings if all(b.source in ids for ids in levels.values())]
    sources = tuple(
        ScopedSource(source=source, presence=binding.presence)
        for binding in effective
        if (source := catalog.source(binding.source)) is not None and source.healthy
    )
    fact = _fact(levels, effective, sources, catalog)
    if not sources:
        raise Refused(
            ErrorCode.NO_SOURCES_AVAILABLE, "no source is available to this caller", (fact,)
        )
    mode, notices = _mode(call, capability, exposure, sources)
    revision = catalog.revision(capability.id)
    scope = Scope(
        capability=capability.id,
        sources=sources,
        limits=tightest(capability.limits, exposure.limits, call.caller.limits),
        mode=mode,
        forms=capability.forms,
        scoring=capability.scoring,
        revision=revision,
        version=catalog.version,
    )
    told = tuple(Note(code=code) for code in revision.notices)
    return Outcome(value=scope, notices=(*notices, *told), facts=(fact,))


def _published(call: Call, catalog: Catalog) -> tuple[Exposure, Capability]:
    exposure = catalog.exposure(call.exposure)
    capability = catalog.capability(exposure.capability) if exposure else None
    if exposure is None or capability is None or not exposure.published:
        raise Refused(ErrorCode.INVALID_REQUEST, "there is no such tool")
    if exposure.tenants is not None and call.caller.tenant not in exposure.tenants:
        raise Refused(ErrorCode.FORBIDDEN, "this caller may not use this tool")
    return exposure, capability


def _levels(
    call: Call, catalog: Catalog, capability: Capability, exposure: Exposure
) -> dict[str, frozenset[str]]:
    """Which source ids each of the four levels lets through."""
    known = frozenset(source.id for source in catalog.sources)
    return {
        "policy": frozenset(s.id for s in catalog.sources if _permits(s, call)),
        "binding": frozenset(binding.source for binding in capability.bindings),
        "exposure": known if exposure.sources is None else exposure.sources,
        "authorization": known if call.caller.sources is None else call.caller.sources,
    }


def _permits(source: Source, call: Call) -> bool:
    return source.enabled and (source.tenants is None or call.caller.tenant in source.tenants)


def _fact(
    levels: dict[str, frozenset[str]],
    effective: list[Binding],
    sources: tuple[ScopedSource, ...],
    catalog: Catalog,
) -> Fact:
    healthy = [scoped.source.id for scoped in sources]
    unhealthy = [b.source for b in effective if b.source not in healthy]
    return Fact(
        event=AuditEvent.SOURCES_RESOLVE,
        values=(
            *((level, sorted(ids)) for level, ids in levels.items()),
            ("unhealthy", unhealthy),
            ("effective", healthy),
            ("configuration", catalog.version),
        ),
    )


def _mode(
    call: Call, capability: Capability, exposure: Exposure, sources: tuple[ScopedSource, ...]
) -> tuple[Mode, tuple[Note, ...]]:
    allowed = capability.modes & exposure.modes
    if call.caller.modes is not None:
        allowed = allowed & call.caller.modes
    for scoped in sources:
        allowed = allowed & scoped.source.modes
    if call.mode is Mode.BRIEF or call.mode.value in allowed:
        return call.mode, ()
    return Mode.BRIEF, (Note(code=NoticeCode.SETTING_CLAMPED, detail=f"mode:{call.mode}"),)
