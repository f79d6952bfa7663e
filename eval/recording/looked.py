"""What the engines say, after a recording, of the right documents that no trace tells of."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from esra.domain.invocation import Caller
from esra.ports import House
from eval import record
from eval.misses import Known, known
from eval.misses.table import Judged, right_of
from eval.record import CALLER, Question
from eval.recording.answers import Answers
from eval.recording.asking import PAID
from eval.recording.engines import Engines, FromKept
from eval.runfolder import TRACES


async def looked(
    house: House,
    exposure: str,
    questions: Sequence[Question],
    folder: Path,
    judgements: Judged,
    answers: Answers | None = None,
    *,
    as_of: bool = False,
    caller: Caller = CALLER,
    parallel: int = 2,
    progress: Callable[[int, int], None] = lambda done, all: None,
) -> Known:
    """Of the questions that ``folder`` holds a trace of; no model is asked. What an engine cannot
    say now, and has said before of these traces, stays as it was.

    answers: what a model that plans has answered before; None where nothing is kept
    """
    engines = Engines(
        house=house,
        exposure=exposure,
        planners={
            form: FromKept(planner.identity, answers) if form == PAID else planner
            for form, planner in house.planners.items()
        },
        as_of=as_of,
        caller=caller,
        gate=asyncio.Semaphore(parallel),
    )
    asked = {one.id for one in questions}
    traces = {query: trace for query, trace in record.lines(folder / TRACES) if query in asked}
    found = await engines.look(questions, traces, judgements, progress)
    wanted = {one for own in right_of(traces, judgements).values() for one in own}
    return known.renewed(found, _former(folder), wanted, same=_looked_into(folder))


def _former(folder: Path) -> Known:
    try:
        return known.said(folder)
    except known.KnownUnusable:
        return Known()


def _looked_into(folder: Path) -> bool:
    """Whether nothing was recorded since the engines were asked before."""
    file = folder / known.FILE
    return file.exists() and (folder / TRACES).stat().st_mtime_ns < file.stat().st_mtime_ns
