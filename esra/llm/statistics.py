"""Source evidence as selector: takes the sources whose own words speak for the question.

It answers in the same closed JSON form as a language model and passes the same checks, asks
nobody, and always knows the answer: nothing of the prompt leaves the process.
"""

import json
from collections.abc import Mapping

from esra.briefs import SelectBrief
from esra.domain.usage import Usage
from esra.ports import Reply
from esra.sources.evidence import RECIPE, Statistics, evidence_of

# A source is taken from this share of the best one's evidence on.
MARGIN = 0.2


class StatisticsSelector:
    """Takes the best source by evidence, and those that come near it.

    ``known`` are statistics by source id. A source without any is always taken: nothing speaks
    against it (they are not gathered where a record filter hides rows). Where no word of the
    prompt is known every source is taken.
    """

    identity = f"{RECIPE};margin {MARGIN}"

    def __init__(self, known: Mapping[str, Statistics]) -> None:
        self._known = known

    async def select(self, brief: SelectBrief) -> Reply:
        offered = [candidate.id for candidate in brief.candidates]
        found = evidence_of(self._known, brief.prompt, offered)
        taken = [id for id in offered if found.get(id, 1.0) >= MARGIN]
        return Reply(text=json.dumps({"sources": taken}), usage=Usage(calls=0))
