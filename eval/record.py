"""Runs the real pipeline over a query set and keeps a trace of every invocation.

One line a query, appended as it is finished, so that a recording that was cut off goes on where
it stopped and pays for nothing twice.
"""

import asyncio
import fcntl
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from esra.domain.codes import WarningCode
from esra.domain.invocation import Caller, Identity, Request
from esra.governance.admission import admit
from esra.pipeline import retrieve
from esra.ports import House
from esra.trace import PIPELINE, SCHEMA
from eval.replay import Recorded, recorded
from eval.sound import sound
from eval.whole import naming

CALLER = Caller(tenant="workbench", subject="workbench", identity=Identity.LOCAL)
PASSING = frozenset(
    {
        WarningCode.SOURCE_FAILED,
        WarningCode.SELECTION_FALLBACK,
        WarningCode.PLANNING_FALLBACK,
        WarningCode.RERANK_FALLBACK,
    }
)
SECONDS = 300.0  # a recording waits for a cold model; the runtime's own callers do not


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One labelled query as the recorder sees it; ``now`` its own date, where it has one."""

    id: str
    text: str
    now: float | None = None


class Enough(Exception):
    """Raised behind a port where no further asking is wanted: the recording ends cleanly."""


class OneTrace:
    """A sink for one invocation."""

    def __init__(self) -> None:
        self.trace: Mapping[str, object] | None = None

    def write(self, trace: Mapping[str, object]) -> None:
        self.trace = trace


async def record(
    questions: Sequence[Question],
    exposure: str,
    house: House,
    path: Path,
    *,
    parallel: int = 2,
    delay: float = 0.0,
    around: Callable[[House, Question], House] = lambda house, question: house,
    caller: Caller = CALLER,
    progress: Callable[[int, int], None] = lambda done, all: None,
) -> None:
    """Records every question that ``path`` does not hold whole. ``Refused`` ends it; what is done
    stays. A trace in which a source or a model failed is recorded again by the next run.

    A second command on the same path waits for the first, and then finds its work done.

    delay: seconds between the beginnings of two questions; around: the house of one question
    Raises ``Enough`` where a port said so: no further question is begun, those under way are ended.
    """
    with _appending(path) as append:
        whole = {query for query, trace in lines(path) if not failures(trace)}
        waiting = [question for question in questions if question.id not in whole]
        gate, pace = asyncio.Semaphore(parallel), Pace(delay)
        finished = len(questions) - len(waiting)
        stopped: list[Enough] = []
        progress(finished, len(questions))

        async def one(question: Question) -> None:
            nonlocal finished
            async with gate:
                await pace.turn()
                if stopped:
                    return
                try:
                    trace = await answer(question, exposure, around(house, question), caller)
                except Enough as enough:
                    stopped.append(enough)
                    return
                append({"query": question.id, "trace": trace})
            finished += 1
            progress(finished, len(questions))

        try:
            async with asyncio.TaskGroup() as group:
                for question in waiting:
                    group.create_task(one(question))
        except ExceptionGroup as errors:
            raise errors.exceptions[0] from errors
        if stopped:
            raise stopped[0]


class Pace:
    """Turns that begin at least ``delay`` seconds apart."""

    def __init__(self, delay: float) -> None:
        self._delay, self._next = delay, 0.0

    async def turn(self) -> None:
        now = asyncio.get_running_loop().time()
        at, self._next = max(now, self._next), max(now, self._next) + self._delay
        if at > now:
            await asyncio.sleep(at - now)


def failures(trace: Mapping[str, object]) -> list[str]:
    """The warnings of a trace that another try may not have."""
    return [w["code"] for w in trace["warnings"] if w["code"] in PASSING]


async def answer(
    question: Question, exposure: str, house: House, caller: Caller = CALLER
) -> Mapping[str, object]:
    """The trace of one question; ``Refused`` where it may not be asked."""
    sink = OneTrace()
    request = Request(
        exposure=exposure,
        prompt=question.text,
        caller=caller,
        now=question.now,
        seconds=SECONDS,
    )
    own = replace(house, traces=sink)
    await retrieve(admit(request, own), own)
    if sink.trace is None:
        raise RuntimeError("the pipeline wrote no trace")
    return sink.trace


@contextmanager
def _appending(path: Path) -> Iterator[Callable[[Mapping[str, object]], None]]:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(path, os.O_APPEND | os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        size = os.fstat(handle).st_size
        if size and os.pread(handle, 1, size - 1) != b"\n":
            os.write(handle, b"\n")  # the half line stays and is passed over when read

        def append(line: Mapping[str, object]) -> None:
            data = json.dumps(line, separators=(",", ":"), allow_nan=False).encode() + b"\n"
            with naming(path):
                while data:
                    data = data[os.write(handle, data) :]

        yield append
    finally:
        os.close(handle)


def lines(path: Path) -> Iterator[tuple[str, Mapping[str, object]]]:
    """(query, trace), the last one of each query.

    A half-written or damaged line is passed over, and a trace of another version: all are recorded
    again.
    """
    yield from dict(one for one in each(path) if one is not None).items()


def each(path: Path) -> Iterator[tuple[str, Mapping[str, object]] | None]:
    """(query, trace) of every line in turn, None for one that holds no whole trace of this version.

    A query may stand there several times: one whose source failed is recorded again.
    """
    if not path.exists():
        return
    with path.open("rb") as file:
        for raw in file:
            if raw.strip():
                yield _whole(raw)


def _whole(raw: bytes) -> tuple[str, Mapping[str, object]] | None:
    try:
        line = json.loads(raw)
        query, trace = line["query"], line["trace"]
        own = (trace["schema"], trace["pipeline"]) == (SCHEMA, PIPELINE)
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return (query, trace) if own and isinstance(query, str) and sound(trace) else None


def read(path: Path, wanted: frozenset[str]) -> list[Recorded]:
    """The recordings of the wanted queries, in the file's order of ids."""
    found = [recorded(query, trace) for query, trace in lines(path) if query in wanted]
    return sorted(found, key=lambda one: one.query)
