"""Records a dated set as of each query's date: what is dated later is taken out (RULINGS 6).

It is taken out of what an engine returned, since no rule of a catalog compares times: rows that it
took up under the row cap are lost, and the rarity of a word is counted over all records. ``TOLD``
says so, in the header of every report. A record without a date stays.
"""

from dataclasses import replace

from esra.domain.hit import Hits
from esra.domain.outcome import Failed
from esra.ports import Capabilities, House, Provider
from esra.sealed import ValidatedQuery
from eval.record import Question

TOLD = (
    "each query's date: records dated later are taken out of what each source returned, below its "
    "row cap; rarity counts them; records without a date stay"
)
NOT = "today: a query's date is its now, and later documents were not taken out"


class AsOf:
    """A provider that returns nothing dated after ``now`` (seconds since the epoch)."""

    def __init__(self, provider: Provider, now: float) -> None:
        self._provider, self._now = provider, now

    @property
    def capabilities(self) -> Capabilities:
        return self._provider.capabilities

    async def run(self, query: ValidatedQuery) -> Hits | Failed:
        found = await self._provider.run(query)
        if isinstance(found, Failed):
            return found
        kept = (hit for hit in found if hit.timestamp is None or hit.timestamp <= self._now)
        return Hits.of(kept, capped=found.capped)


def as_of(house: House, question: Question) -> House:
    """The house as it was at the question's date; the same where the question has none."""
    if question.now is None:
        return house
    now = question.now
    return replace(house, providers={id: AsOf(one, now) for id, one in house.providers.items()})
