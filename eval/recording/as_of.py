"""Records a dated set as of each query's date: what is dated later is taken out (RULINGS 6).

No rule of a catalog compares times, so it is taken out of what an engine returned. For that the
engine is asked for more rows than the row cap lets through, and the cap counts what is left: the
rows are those of an engine that never held the later ones. Where later records fill even the wider
answer, some below it are lost; ``filled`` says in which queries. The rarity of a word is counted
over all records, and a record without a date stays. ``TOLD`` says so in every report's header.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from esra.domain.capability import Catalog
from esra.domain.hit import Hits
from esra.domain.invocation import Caller
from esra.domain.outcome import Failed
from esra.domain.source import Limits, tightest
from esra.ports import Capabilities, House, Provider
from esra.sealed import ValidatedQuery
from eval.record import CALLER, Question

# What is asked of an engine, rows a query: the most that a catalog may allow.
WIDEST = 1_000
TOLD = (
    f"each query's date: of the first {WIDEST:,} rows of a source those of records dated later are "
    "taken out, and the row cap counts what is left; rarity counts them; records without a date "
    "stay"
)
NOT = "today: a query's date is its now, and later documents were not taken out"


def asking(caller: Caller) -> Caller:
    """The caller, whose own cap would else hold."""
    return replace(caller, limits=replace(caller.limits, rows=WIDEST))


class AsOf:
    """A provider that returns nothing dated after ``now`` (seconds since the epoch), and of a
    source no more rows than ``caps`` says; without ``caps`` as many as there are.
    """

    def __init__(self, provider: Provider, now: float, caps: Mapping[str, int]) -> None:
        self._provider, self._now, self._caps = provider, now, caps

    @property
    def capabilities(self) -> Capabilities:
        return self._provider.capabilities

    async def run(self, query: ValidatedQuery) -> Hits | Failed:
        found = await self._provider.run(query)
        if isinstance(found, Failed):
            return found
        kept = [hit for hit in found if hit.timestamp is None or hit.timestamp <= self._now]
        cap = self._caps.get(query.source, query.rows)
        return Hits.of(kept[:cap], capped=found.capped or len(kept) > cap)


def as_of(house: House, question: Question) -> House:
    """The house as it was at the question's date, below the row cap; the same where the question
    has no date."""
    if question.now is None:
        return house
    return _dated(house, question.now, {})


@dataclass(frozen=True, slots=True, kw_only=True)
class Widely:
    """As ``as_of``, for calls of ``asking``: over the wider answers, cut to the cap of a source.

    A plan of a model that names a limit between the two is cut as well, where it would be rejected.
    """

    exposure: str

    def __call__(self, house: House, question: Question) -> House:
        own = caps(house.catalog, self.exposure)
        if question.now is None:
            return replace(house, catalog=_capped(house.catalog, own.__getitem__))
        wide = replace(house, catalog=_capped(house.catalog, lambda id: max(own[id], WIDEST)))
        return _dated(wide, question.now, own)


def caps(catalog: Catalog, exposure: str) -> dict[str, int]:
    """The row cap of every source for the workbench's caller."""
    face = catalog.exposure(exposure)
    capability = catalog.capability(face.capability) if face else None
    levels = [one.limits for one in (face, capability) if one is not None]
    rows = tightest(*levels, CALLER.limits).rows
    return {source.id: min(rows, source.limits.rows) for source in catalog.sources}


def filled(trace: Mapping[str, object], own: Mapping[str, int]) -> tuple[str, ...]:
    """The sources of which later records filled an answer: cut, and yet under the row cap."""
    answers: list[Mapping[str, object]] = trace["answers"]  # type: ignore[assignment]
    short = (
        str(answer["source"])
        for answer in answers
        if answer["capped"] and len(answer["rows"]) < own[str(answer["source"])]  # type: ignore[arg-type]
    )
    return tuple(dict.fromkeys(short))


def _dated(house: House, now: float, own: Mapping[str, int]) -> House:
    providers = {id: AsOf(one, now, own) for id, one in house.providers.items()}
    return replace(house, providers=providers)


def _capped(catalog: Catalog, rows: Callable[[str], int]) -> Catalog:
    """With the row caps of the sources alone, given by their ids."""

    def freed(limits: Limits) -> Limits:
        return replace(limits, rows=max(limits.rows, WIDEST))

    return replace(
        catalog,
        capabilities=tuple(replace(c, limits=freed(c.limits)) for c in catalog.capabilities),
        exposures=tuple(replace(e, limits=freed(e.limits)) for e in catalog.exposures),
        sources=tuple(
            replace(s, limits=replace(s.limits, rows=rows(s.id))) for s in catalog.sources
        ),
    )
