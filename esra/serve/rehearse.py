"""Tries newly tuned numbers on questions of the catalog's own before a caller meets them.

A rehearsal asks the same engines and models as a call, and stands in the audit like one; its
results leave nowhere, and no cache, trace or metric learns of it.
"""

import asyncio
import math
from dataclasses import replace
from itertools import chain, islice, zip_longest

from esra.domain.capability import Capability, Catalog, Exposure
from esra.domain.invocation import Caller, Identity, Request
from esra.domain.outcome import Refused
from esra.domain.response import Response
from esra.governance.admission import admit
from esra.pipeline import retrieve
from esra.ports import House, unwatched

MOST = 20  # questions
MOST_PAID = 3  # where a language model is asked, which somebody pays for
SECONDS = 10.0  # of one question
GRACE = 5.0  # seconds after which a question that did not end is given up
LIMIT = 10
SLUG = "rehearsal"
CALLER = Caller(tenant="local", subject="esra.reload", identity=Identity.LOCAL)


async def rehearse(house: House, fresh: Catalog, id: str) -> str:
    """Why ``fresh`` must not order the capability; "" where every question went well.

    What goes wrong under the house's own numbers too says nothing of the fresh ones.
    """
    capability = fresh.capability(id)
    assert capability is not None
    now, then = _staged(house, house.catalog, id), _staged(house, fresh, id)
    for question in questions(fresh, capability):
        complaints = await _complaints(then, question)
        if complaints:
            complaints -= await _complaints(now, question)
        if complaints:
            return ", ".join(sorted(complaints))
    return ""


def questions(catalog: Catalog, capability: Capability) -> list[str]:
    """The examples of its sources in turn; where there are none, the sources' names."""
    sources = [source for b in capability.bindings if (source := catalog.source(b.source))]
    turns = zip_longest(*(source.examples for source in sources))
    asked = [text for text in chain.from_iterable(turns) if text and text.strip()]
    forms = capability.forms
    paid = "model" in (forms.select, forms.plan, forms.rerank)
    unique = dict.fromkeys(asked or [source.name or source.id for source in sources])
    return list(islice(unique, MOST_PAID if paid else MOST))


def _staged(house: House, catalog: Catalog, id: str) -> House:
    """The house with one face of the capability, seen by nobody else."""
    alone = replace(catalog, exposures=(Exposure(slug=SLUG, capability=id),))
    return replace(house, catalog=alone, traces=None, selections=None, watch=unwatched)


async def _complaints(house: House, question: str) -> set[str]:
    request = Request(exposure=SLUG, prompt=question, caller=CALLER, limit=LIMIT, seconds=SECONDS)
    try:
        async with asyncio.timeout(SECONDS + GRACE):
            response = await retrieve(admit(request, house), house)
    except Refused as refused:
        return {refused.code.value}
    except Exception as trouble:
        # Whatever it is, it must not meet a caller.
        return {type(trouble).__name__}
    return _faults(response)


def _faults(response: Response) -> set[str]:
    found = {f"{warning.code} {warning.source or ''}".strip() for warning in response.warnings}
    if len(response.results) > LIMIT:
        found.add(f"more than {LIMIT} results")
    if not all(math.isfinite(result.score) for result in response.results):
        found.add("a score that is no number")
    return found
