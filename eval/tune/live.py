"""Asks a recorded capability again, live, under numbers it was not recorded with."""

import asyncio
import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from esra.config.apply import tuned
from esra.config.tuned import TunedFile
from esra.domain.capability import Capability, Catalog, Scoring
from esra.trace import scoring_json
from esra.wiring import Wishes, open_house
from eval import publish, record
from eval.bulk import Bulk, lay_out


def answer_again(
    catalog: Path,
    slug: str,
    folder: Path,
    base: Path,
    numbers: Scoring,
    questions: Sequence[record.Question],
) -> Bulk:
    """The questions answered under other numbers, in their order; kept in the run folder, so that
    asking twice is paid for once.
    """
    text = json.dumps(scoring_json(numbers), sort_keys=True)
    path = folder / f"live-{hashlib.sha256(text.encode()).hexdigest()[:16]}.jsonl"

    def change(known: Catalog) -> Catalog:
        own = (replace(c, scoring=numbers) if c.id == slug else c for c in known.capabilities)
        return replace(known, capabilities=tuple(own))

    async def ask() -> None:
        wishes = Wishes(tuned=False, remember=False, words=True, change=change)
        async with open_house(catalog, base, wishes) as opened:
            await record.record(questions, slug, opened.house, path)

    asyncio.run(ask())
    wanted = [question.id for question in questions]
    found = {one.query: one for one in record.read(path, frozenset(wanted))}
    return lay_out([found[query] for query in wanted if query in found])


def in_force(
    capability: Capability,
    current: TunedFile | None,
    case_key: tuple[str, str],
    asked: Sequence[str] = (),
) -> Scoring:
    """The numbers that a claim is measured against, and keeps but for the ``asked`` ones.

    They are the catalog's, or those of the revision in force. Where that one came of asking the
    same of this very recording, it is what would be claimed again, and they are what it replaced.
    """
    if current is None:
        return capability.scoring
    evidence = current.evidence
    before = publish.measured_against(current)
    same = (current.data, evidence.get("recording")) == case_key
    if same and before is not None and evidence.get("asked") == list(asked):
        return tuned(capability, before).scoring
    return tuned(capability, current).scoring
