"""Asks a live house what it must not answer: the governance checks that a recording cannot show.

Every question runs through the whole pipeline, as the workbench's own caller. Three things are
looked at: what leaves the house, whether a model that names sources it was not offered reaches one,
and whether a caller without claims sees anything of a source whose rows belong to somebody.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import Any

from esra.briefs import SelectBrief
from esra.config.strict import ConfigError
from esra.domain.capability import Capability, Catalog, Forms, SelectForm
from esra.domain.codes import AuditEvent, ErrorCode
from esra.domain.invocation import Caller, Identity, Mode, Request
from esra.domain.outcome import Refused
from esra.domain.response import Response
from esra.domain.source import Source
from esra.governance.admission import admit
from esra.governance.audit import ListAudit
from esra.llm.scripted import Scripted
from esra.pipeline import retrieve
from esra.ports import House
from eval.gate.canaries import Canaries
from eval.gate.check import Check, Status, Suite, verdict
from eval.gate.governance import LISTED, canary_check, strangers
from eval.record import CALLER, PASSING, SECONDS, OneTrace

NOWHERE = "gate-no-such-source"
# Whom no row belongs to.
NOBODY = Caller(tenant="gate-nobody", subject="gate-nobody", identity=Identity.LOCAL)
NOTHING = frozenset({ErrorCode.NO_SOURCES_AVAILABLE, ErrorCode.FORBIDDEN})
Asked = tuple[Response | None, Mapping[str, Any] | None]


class Away(RuntimeError):
    """A source or a model failed, so that what the house would have shown is not known.

    check: the name of the check that cannot be told
    """

    def __init__(self, check: str, lost: Sequence[str]) -> None:
        counted = ", ".join(f"{name} ({count})" for name, count in sorted(Counter(lost).items()))
        super().__init__(
            f"what the live house shows cannot be told, for something failed: {counted}"
        )
        self.check = check


async def probe(
    house: House, exposure: str, prompts: Sequence[str], canaries: Canaries
) -> list[Check]:
    """The three checks over ``prompts``.

    ConfigError where there is no such exposure, Refused where it may not be asked, Away where
    no check finds anything and something failed: what was not searched leaks nothing.
    """
    capability = _capability(house.catalog, exposure)
    checks: list[Check] = []
    away: list[Away] = []
    for look in (
        partial(_responses, house, exposure, [*prompts, *canaries.texts], canaries),
        partial(_unknown_sources, house, exposure, prompts, capability),
        partial(_filters, house, exposure, prompts, capability),
    ):
        try:
            checks.append(await look())
        except Away as error:
            away.append(error)
            checks.append(left_open(error))
    if away and all(one.status is not Status.FAILED for one in checks):
        raise away[0]
    return checks


def _capability(catalog: Catalog, exposure: str) -> Capability:
    found = catalog.exposure(exposure)
    own = catalog.capability(found.capability) if found else None
    if own is None:
        raise ConfigError(f"the catalog has no exposure {exposure!r}")
    return own


def left_open(error: Away) -> Check:
    """The check that cannot be told, beside others that found something."""
    return _check(error.check, Status.SKIPPED, str(error))


async def _responses(
    house: House, exposure: str, prompts: Sequence[str], canaries: Canaries
) -> Check:
    found: list[str] = []
    lost: list[str] = []
    asked = 0
    for number, prompt in enumerate(prompts, 1):
        for mode in Mode:
            response, trace = await _ask(house, exposure, prompt, mode)
            if response is None or trace is None:
                continue
            asked += 1
            where = f"question {number}, {mode}"
            leaks = canaries.in_value(_plain(response))
            found += [f"{where}: canary {leak}" for leak in leaks]
            records = canaries.in_trace(trace)
            found += [f"{where}: record {key} of source {source}" for source, key in records]
            found += [f"{where}: field {name}" for name in _undeclared(response, house.catalog)]
            lost += _failed(trace)
    if lost and not found:
        raise Away("what leaves the house", lost)
    if not asked:
        return _check("what leaves the house", Status.SKIPPED, "the house refused every question")
    check = canary_check("what leaves the house", found, asked, canaries)
    if check.status is Status.SKIPPED:
        told = (
            "fields left that no source gives out" if found else "no field that no source gives out"
        )
        return replace(check, status=verdict(not found), said=f"{told}, in {asked} answers")
    return check


def _undeclared(response: Response, catalog: Catalog) -> list[str]:
    """Fields in the results that no mapping of their source gives out."""
    found = set()
    for result in response.results:
        source = catalog.source(result.source)
        given = {
            field.name
            for mapping in (source.mappings if source else ())
            for field in mapping.fields
            if field.returnable and not field.restricted
        }
        found |= {f"{result.source}.{name}" for name, _ in result.fields if name not in given}
    return sorted(found)


async def _unknown_sources(
    house: House, exposure: str, prompts: Sequence[str], capability: Capability
) -> Check:
    """A model that names every source of the catalog, and one that there is not."""
    named = [*(source.id for source in house.catalog.sources), NOWHERE]
    liar = Scripted(lambda brief: json.dumps({"sources": named}), identity="gate")
    audit = ListAudit()
    forms = replace(capability.forms, select=SelectForm.MODEL)
    own = replace(
        house,
        catalog=_with_forms(house.catalog, capability, forms),
        selectors={**house.selectors, SelectForm.MODEL.value: liar},
        selections=None,
        audit=audit,
    )
    bound = frozenset(binding.source for binding in capability.bindings)
    traces = [(await _ask(own, exposure, prompt))[1] for prompt in prompts]
    found = [line for trace in traces if trace is not None for line in strangers(trace, bound)]
    if not any(isinstance(brief, SelectBrief) for brief in liar.seen):
        return _check("unknown sources", Status.SKIPPED, "no question asks which source to search")
    told = any(
        record.get("event") == AuditEvent.UNKNOWN_SOURCE_REJECTED for record in audit.records
    )
    if not told:
        found.append("the audit does not tell that a model named a source there is not")
    said = "a model's unknown source was searched or not told" if found else "rejected, and told"
    return _check("unknown sources", verdict(not found), said, found)


def _with_forms(catalog: Catalog, capability: Capability, forms: Forms) -> Catalog:
    others = [one for one in catalog.capabilities if one.id != capability.id]
    return replace(catalog, capabilities=(*others, replace(capability, forms=forms)))


async def _filters(
    house: House, exposure: str, prompts: Sequence[str], capability: Capability
) -> Check:
    """Whether a caller of no tenant, without a claim, meets a row that belongs to somebody."""
    bound = {binding.source for binding in capability.bindings}
    owned = {s.id for s in house.catalog.sources if s.id in bound and _belongs(s)}
    if not owned:
        return _check("record filters", Status.SKIPPED, "no source filters its rows by a claim")
    found: dict[str, int] = {}
    lost: list[str] = []
    for prompt in prompts:
        _, trace = await _ask(house, exposure, prompt, caller=NOBODY)
        lost += _failed(trace) if trace else []
        for answer in trace["answers"] if trace else ():
            if answer["source"] in owned and answer.get("rows"):
                found[answer["source"]] = found.get(answer["source"], 0) + len(answer["rows"])
    lines = [f"source {id}: {count} rows" for id, count in sorted(found.items())]
    if lost and not found:
        raise Away("record filters", lost)
    said = "rows were found for a caller without a claim" if found else "no row without its claim"
    return _check("record filters", verdict(not found), f"{said} ({len(owned)} sources)", lines)


def _failed(trace: Mapping[str, Any]) -> list[str]:
    """What failed in one answer, each with the source where it was one."""
    own = [one for one in trace["warnings"] if one["code"] in PASSING]
    return [f"{one['code']} {one.get('source') or ''}".strip() for one in own]


def _belongs(source: Source) -> bool:
    """Whether every row of the source needs some claim of whoever asks."""
    return bool(source.mappings) and all(
        any(all(rule.claim for rule in group) for group in mapping.record_filter)
        for mapping in source.mappings
    )


def _check(name: str, status: Status, said: str, details: Sequence[str] = ()) -> Check:
    return Check(
        suite=Suite.GOVERNANCE, name=name, status=status, said=said, details=tuple(details[:LISTED])
    )


async def _ask(
    house: House, exposure: str, prompt: str, mode: Mode = Mode.BRIEF, caller: Caller = CALLER
) -> Asked:
    """What left, and the trace of it; nothing where the house refused to answer."""
    sink = OneTrace()
    own = replace(house, traces=sink)
    request = Request(exposure=exposure, prompt=prompt, caller=caller, mode=mode, seconds=SECONDS)
    try:
        response = await retrieve(admit(request, own), own)
    except Refused as refused:
        if refused.code not in NOTHING:
            raise
        return None, None
    return response, sink.trace


def _plain(response: Response) -> dict[str, object]:
    return asdict(response)
