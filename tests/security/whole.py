"""The whole pipeline over one relation of a real engine, or over lists in memory."""

import asyncio
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace

from esra.domain.capability import Forms, PlanForm
from esra.domain.response import Response
from esra.domain.source import Relation, Vocabulary
from esra.governance.admission import admit
from esra.governance.clock import SystemClock
from esra.llm.planner import LocalPlanner
from esra.pipeline import retrieve
from esra.ports import House
from tests.house import catalog, house, request, source

VOCABULARY = Vocabulary(
    synonyms=(("error", ("fault", "it's broken")),),
    acronyms=(("SQL", ("structured query language",)),),
)


def whole(provider, relation: Relation, plan: PlanForm = PlanForm.TEMPLATE) -> House:
    """A house of one source with one mapping over ``relation``; it warns of nothing by itself."""
    plain = source(vocabulary=VOCABULARY)
    (mapping,) = plain.mappings
    known = catalog(
        replace(plain, mappings=(replace(mapping, relation=relation),)), forms=Forms(plan=plan)
    )
    return house(known, engine=provider, clock=SystemClock(), planners={"local": LocalPlanner()})


def asked(own: House, prompts: Iterable[str], **more) -> list[tuple[Response, float]]:
    """Each prompt's response and the seconds it took, one after the other on one event loop."""

    async def every():
        answers = []
        for prompt in prompts:
            started = time.perf_counter()
            response = await retrieve(admit(request(prompt, **more), own), own)
            answers.append((response, time.perf_counter() - started))
        await own.providers["fake"].close()
        return answers

    return asyncio.run(every())


def titles(response: Response) -> Sequence[str]:
    return [result.title for result in response.results]
