"""What a tuning will cost, said before a model is paid for its recording."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from esra.domain.capability import Forms
from esra.ports import House
from eval import record
from eval.record import Question
from eval.recording import session
from eval.recording.asking import PAID
from eval.recording.expect import price_of
from eval.runfolder import TRACES


def planned(slug: str, questions: Sequence[Question], folder: Path) -> str:
    """What will be recorded; what an earlier run left whole is used again."""
    held = record.lines(folder / TRACES)
    whole = {query for query, trace in held if not record.failures(trace)}
    all_, kept = len(questions), sum(question.id in whole for question in questions)
    if kept == all_:
        return f"{slug}: the recording of all {all_} queries is used again, {folder}"
    if kept:
        return f"{slug}: recording {all_ - kept} queries into {folder}; {kept} are there already"
    return f"{slug}: recording {all_} queries into {folder}"


async def bill(
    catalog: Path,
    slug: str,
    forms: Forms,
    house: House,
    questions: Sequence[Question],
    folder: Path,
) -> str:
    """A line for whoever pays, "" where no paid model is left to ask.

    Asks the sources a few questions where nothing is recorded yet, and no model.
    """
    if PAID not in (forms.select, forms.plan, forms.rerank):
        return ""
    wanted = session.Wanted(questions=questions, exposure=slug, price=price_of(catalog))
    expected = await session.expect(wanted, house, folder)
    if not expected.usage.calls:
        return ""
    return (
        f"{slug}: a language model is asked; {expected.line()}; `./workbench record` makes the "
        "same recording within --max-calls, --max-tokens or --max-cost"
    )
