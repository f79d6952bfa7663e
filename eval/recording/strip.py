"""One strip of keys asked of one source: a call of the pipeline, and what its trace tells of it.

A strip is as wide as the widest row cap, so that an answer holds all of it: ten thousand keys are
ten statements of each query, and not two hundred.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from esra.domain.invocation import Caller
from esra.ports import House, no_evidence
from eval import record
from eval.misses.causes import Trace, answers_of
from eval.record import Question
from eval.recording.as_of import WIDEST
from eval.recording.narrowed import bringing


def strips(keys: Iterable[str]) -> Iterator[frozenset[str]]:
    """The keys in their order, no more in each strip than an answer holds."""
    ordered = sorted(keys)
    for start in range(0, len(ordered), WIDEST):
        yield frozenset(ordered[start : start + WIDEST])


async def ask(
    question: Question, exposure: str, house: House, caller: Caller, keys: Iterable[str]
) -> Trace:
    """The trace of a call over a catalog that is narrowed to the keys the caller brings."""
    quiet = replace(house, evidence=no_evidence, selections=None)
    return await record.answer(question, exposure, quiet, bringing(caller, keys))


def rows(trace: Trace, source: str) -> list[tuple[str, float | None]]:
    """(key, when it is of) of every row of a source."""
    return [(row[1], row[3]) for own in answers_of(trace, source) for row in own.get("rows", ())]


def capped(trace: Trace, source: str) -> bool:
    """Whether a source had more rows than some query of it let through."""
    return any(answer["capped"] for answer in answers_of(trace, source))


def failed(trace: Trace, source: str) -> bool:
    """Whether some query of a source has no answer."""
    return any("failed" in answer for answer in answers_of(trace, source))
