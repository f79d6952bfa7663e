"""Runs the sealed queries in parallel, bounded, and returns every answer or its failure.

The order of the answers is that of the queries, whatever finishes first (stage 5).
"""

import asyncio
from collections.abc import Mapping

from esra.domain.codes import AuditEvent, FailureCode, NoticeCode, WarningCode
from esra.domain.hit import Answer, Hits
from esra.domain.outcome import Fact, Failed, Note, Outcome, Warn
from esra.domain.resilience import BreakerChange
from esra.domain.scope import ScopedSource
from esra.domain.source import Limits
from esra.ports import Clock, Gates, Provider, Resilience
from esra.sealed import ValidatedQuery


async def execute(
    queries: tuple[ValidatedQuery, ...],
    chosen: tuple[ScopedSource, ...],
    providers: Mapping[str, Provider],
    gates: Gates,
    resilience: Resilience,
    limits: Limits,
    clock: Clock,
    seconds: float,
) -> Outcome[tuple[Answer, ...]]:
    """One answer a query; one that has none within ``seconds`` is a TIMEOUT."""
    sources = {scoped.source.id: scoped.source for scoped in chosen}
    own = asyncio.Semaphore(limits.parallel)

    async def one(query: ValidatedQuery) -> Answer:
        started = clock.monotonic()
        result: Hits | Failed
        source = sources[query.source]
        provider = providers[source.provider]
        try:
            async with asyncio.timeout(seconds) as waiting, own, gates.hold(source):
                waiting.reschedule(None)  # the time that is left goes along with the query
                left = started + seconds - clock.monotonic()
                result = await resilience.run(source, lambda: provider.run(query), left)
        except TimeoutError:
            result = Failed(code=FailureCode.TIMEOUT)
        return Answer(
            source=query.source,
            query=query.query,
            strategy=query.strategy,
            result=result,
            capped=not isinstance(result, Failed) and result.capped,
            seconds=clock.monotonic() - started,
        )

    answers = tuple(await asyncio.gather(*(one(query) for query in queries)))
    return Outcome(
        value=answers,
        warnings=_warnings(answers),
        notices=_notices(answers),
        facts=(*_facts(answers), *map(_breaker_fact, resilience.changes())),
    )


def _failures(answers: tuple[Answer, ...]) -> list[tuple[str, FailureCode]]:
    """Each source's distinct failures, in the order of the queries."""
    return list(
        dict.fromkeys((a.source, a.result.code) for a in answers if isinstance(a.result, Failed))
    )


def _warnings(answers: tuple[Answer, ...]) -> tuple[Warn, ...]:
    return tuple(
        Warn(code=WarningCode.SOURCE_FAILED, source=source, detail=code.value)
        for source, code in _failures(answers)
    )


def _notices(answers: tuple[Answer, ...]) -> tuple[Note, ...]:
    capped = dict.fromkeys(answer.source for answer in answers if answer.capped)
    return tuple(Note(code=NoticeCode.ROW_CAP_REACHED, source=source) for source in capped)


def _facts(answers: tuple[Answer, ...]) -> tuple[Fact, ...]:
    return tuple(
        Fact(event=AuditEvent.SOURCE_FAILED, values=(("source", source), ("code", code.value)))
        for source, code in _failures(answers)
    )


def _breaker_fact(change: BreakerChange) -> Fact:
    """A change may be another invocation's doing; it is written where it was noticed first."""
    values = (
        ("source", change.source),
        ("before", change.before.value),
        ("after", change.after.value),
        ("cause", change.cause.value),
        ("at", change.time),
    )
    return Fact(event=AuditEvent.BREAKER_STATE, values=values)
