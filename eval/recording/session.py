"""One recording from its expectation to its last trace, over a house that is open.

Pure but for what the house touches, the run folder and the file of answers.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from esra.domain.invocation import Caller
from esra.ports import House
from eval import record
from eval.progress import Progress
from eval.record import CALLER, Enough, Question
from eval.recording.answers import Answers
from eval.recording.as_of import Widely, asking, caps, filled
from eval.recording.asking import Desk
from eval.recording.bill import Bill, Most
from eval.recording.expect import Expected, Guess, Price, Rate, from_sample, from_traces

TRACES = "traces.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is to be recorded, and how. ``price`` is money per million tokens, in and out."""

    questions: Sequence[Question]
    exposure: str
    repeats: int = 1
    rate: Rate = field(default_factory=Rate)
    most: Most = field(default_factory=Most)
    as_of: bool = False
    price: Price = None
    caller: Caller = CALLER


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """How it went. ``degraded``: the warnings of questions the next run asks again, by id.

    stopped: the limit that ended it, "" where none did
    in_repeats: questions that failed in a repeat of the recording, and are asked again there
    filled: sources of which later records filled an answer, by question (``--as-of``)
    """

    expected: Expected
    bill: Bill
    stopped: str = ""
    missing: tuple[str, ...] = ()
    degraded: dict[str, list[str]] = field(default_factory=dict)
    in_repeats: tuple[str, ...] = ()
    filled: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def partial(self) -> bool:
        return bool(self.stopped or self.missing or self.degraded or self.in_repeats)


def trace_files(folder: Path, repeats: int) -> list[Path]:
    """Where each repeat's traces go; the first is the recording itself."""
    others = [folder / "repeats" / str(number) / TRACES for number in range(1, repeats)]
    return [folder / TRACES, *others]


async def expect(wanted: Wanted, house: House, folder: Path) -> Expected:
    """What is left to do will cost about this. Asks the sources a few questions, and no model."""
    files = trace_files(folder, wanted.repeats)
    there = [list(record.lines(path)) for path in files]
    whole = [{query for query, trace in own if not record.failures(trace)} for own in there]
    left = [[one for one in wanted.questions if one.id not in done] for done in whole]
    count = sum(map(len, left))
    traces = [trace for own in there for _, trace in own if not record.failures(trace)]
    known = from_traces(traces, count, wanted.rate)
    if known is not None:
        return known
    some = max(left, key=len)
    return await from_sample(
        some, count, wanted.exposure, house, wanted.price, wanted.rate, wanted.caller
    )


async def run(
    wanted: Wanted,
    house: House,
    folder: Path,
    expected: Expected,
    answers: Answers | None,
    progress: Progress,
) -> Session:
    """Records until everything is there or a limit is reached; what is done stays."""
    bill, guess, stopped = Bill(wanted.most), Guess(wanted.price), ""
    around: Callable[[House, Question], House] = (
        Widely(exposure=wanted.exposure) if wanted.as_of else _as_it_is
    )
    files = trace_files(folder, wanted.repeats)
    for draw, path in enumerate(files):
        desk = Desk(bill=bill, answers=answers, draw=draw, expected=guess)
        what = "recording" if len(files) == 1 else f"recording {draw + 1} of {len(files)}"
        try:
            with progress.bar(what) as bar:
                await record.record(
                    wanted.questions,
                    wanted.exposure,
                    desk.seated(house),
                    path,
                    parallel=wanted.rate.parallel,
                    delay=wanted.rate.delay,
                    around=around,
                    caller=asking(wanted.caller) if wanted.as_of else wanted.caller,
                    progress=bar,
                )
        except Enough as enough:
            stopped = str(enough)
            break
        finally:
            await desk.rest()
    return _session(wanted, house, files, Session(expected=expected, bill=bill, stopped=stopped))


def _session(wanted: Wanted, house: House, files: Sequence[Path], went: Session) -> Session:
    """With what the files hold now, whenever it was recorded."""
    found, *repeats = (
        {query: record.failures(trace) for query, trace in record.lines(path)} for path in files
    )
    return replace(
        went,
        missing=tuple(one.id for one in wanted.questions if one.id not in found),
        degraded={one.id: found[one.id] for one in wanted.questions if found.get(one.id, ())},
        in_repeats=tuple(
            one.id for one in wanted.questions if any(own.get(one.id, ()) for own in repeats)
        ),
        filled=_filled(wanted, house, files[0]) if wanted.as_of else {},
    )


def _as_it_is(house: House, question: Question) -> House:
    return house


def _filled(wanted: Wanted, house: House, path: Path) -> dict[str, tuple[str, ...]]:
    own, asked = caps(house.catalog, wanted.exposure), {one.id for one in wanted.questions}
    found = {query: filled(trace, own) for query, trace in record.lines(path) if query in asked}
    return {query: sources for query, sources in found.items() if sources}
