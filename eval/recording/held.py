"""Which of the right documents their sources hold, and which of these a caller may see.

Asked twice where a record filter hides anything: as the caller, and with the filter lifted. What
comes back is keys of documents that stand in the labels already, and nothing else of them is kept.
A source that fails is asked no further: what it said before that stays, the rest is not known.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from esra.domain.invocation import Caller
from esra.domain.source import Source
from esra.ports import House
from eval.misses.causes import answers_of
from eval.misses.known import Known, Record
from eval.record import Question
from eval.recording.narrowed import (
    KEY,
    LISTING,
    Listing,
    lifted,
    listed,
    of_one,
    shows_masked_alone,
)
from eval.recording.strip import ask, capped, failed, rows, strips

Held = Mapping[str, float | None]  # when a record is of, by its key


@dataclass(frozen=True, slots=True, kw_only=True)
class Holdings:
    """``house`` and ``caller`` are those of the recording."""

    house: House
    exposure: str
    caller: Caller

    async def look(
        self, sources: Sequence[Source], wanted: Mapping[str, AbstractSet[str]]
    ) -> tuple[Known, Mapping[Record, float | None]]:
        """(what is known of the wanted keys of each source, when those are of that the caller may
        see)."""
        times: dict[Record, float | None] = {}
        hidden: set[Record] = set()
        absent: set[Record] = set()
        sought: set[Record] = set()
        silent: set[str] = set()
        for source in sources:
            for keys in strips(wanted.get(source.id, ())):
                seen = await self._held(source, keys, lift=False)
                there = await self._held(source, keys, lift=True) if source.hides_rows else seen
                if seen is None or there is None:
                    silent.add(source.id)
                    break
                times |= {(source.id, key): time for key, time in seen.items()}
                hidden |= {(source.id, key) for key in there.keys() - seen.keys()}
                absent |= {(source.id, key) for key in keys - there.keys()}
                sought |= {(source.id, key) for key in keys}
        known = Known(
            hidden=frozenset(hidden),
            absent=frozenset(absent),
            masked=_masked(sources),
            sought=frozenset(sought),
            silent=frozenset(silent),
        )
        return known, times

    async def _held(self, source: Source, keys: AbstractSet[str], *, lift: bool) -> Held | None:
        """Which of the keys a source holds, with ``lift`` whoever may see them; None where it
        cannot say."""
        found: dict[str, float | None] = {}
        for mapping in source.mappings:
            own = (listed(mapping),)
            catalog = of_one(self.house.catalog, self.exposure, source, own, LISTING)
            catalog = lifted(catalog) if lift else catalog
            house = replace(self.house, catalog=catalog, planners={LISTING.value: Listing()})
            question, left = Question(id="", text=KEY), set(keys - found.keys())
            while left:
                trace = await ask(question, self.exposure, house, self.caller, left)
                if not answers_of(trace, source.id) or failed(trace, source.id):
                    return None
                new = {key: time for key, time in rows(trace, source.id) if key in left}
                found |= new
                left -= new.keys()
                if not capped(trace, source.id):
                    break
                if not new:
                    return None
        return found


def _masked(sources: Sequence[Source]) -> frozenset[tuple[str, str]]:
    return frozenset(
        (source.id, mapping.id)
        for source in sources
        for mapping in source.mappings
        if shows_masked_alone(mapping)
    )
