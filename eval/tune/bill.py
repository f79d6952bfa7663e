"""What a tuning will cost, said before a model is paid for its recording."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from esra.domain.capability import Forms
from esra.ports import House
from eval.record import Question
from eval.recording import session
from eval.recording.asking import PAID
from eval.recording.expect import price_of


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
