"""Everything a report holds, gathered: one ``Told`` an arm, and what stands between the arms."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from eval import misses as missed
from eval.measure.arm import Arm
from eval.measure.compare import Alike, alike, undominated
from eval.measure.content import Freshness, Mix, Window, freshness, mix, window
from eval.measure.explain import Explained, explain
from eval.measure.policy import Policy, policy
from eval.measure.quality import Quality, quality
from eval.measure.sources import Choices, choices, nothing
from eval.measures import Measure, NeverRan
from eval.measures.conventions import conventions
from eval.measures.segments import PART_NAMES, Segment, head_torso_tail, segments
from eval.measures.selection import Nothing
from eval.measures.service import Rates, Spent, rates, spent
from eval.misses import Misses


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a report is asked for. ``days``: older is stale; ``tokens``: of a context window."""

    measures: Sequence[Measure]
    k: int
    scale: int
    days: float = 365.0
    tokens: int = 2000
    drop_self: bool = False
    explain: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One arm. What an imported run cannot tell is None."""

    arm: Arm
    quality: Quality
    choices: Choices | None
    nothing: Nothing | None
    freshness: Freshness | None
    mix: Mix | None
    window: Window | None
    rates: Rates | None
    spent: Spent | None
    policy: tuple[Policy, ...]
    misses: Misses | None
    explained: Explained | None

    @property
    def status(self) -> str:
        """Complete only where every labelled query was answered."""
        return "partial" if self.arm.missing else "complete"


@dataclass(frozen=True)
class Report:
    asked: Asked
    arms: tuple[Told, ...]

    @property
    def partial(self) -> bool:
        return any(told.arm.missing for told in self.arms)

    @cached_property
    def conventions(self) -> list[str]:
        """The lines above every table."""
        dates = sorted({told.arm.as_of for told in self.arms if told.arm.as_of})
        imported = any(told.arm.imported for told in self.arms)
        lines = conventions(imported=imported, scale=self.asked.scale, as_of="; ".join(dates))
        selves = sum(told.arm.selves for told in self.arms)
        own = "taken out" if self.asked.drop_self else f"kept ({selves} lists hold one)"
        return [
            *lines,
            "lists: the whole ranking, whatever was sent of it; each record once",
            f"a result with the id of its own query: {own}",
            "intervals: 95 %, bootstrap over groups of queries with one need",
        ]

    @cached_property
    def segments(self) -> list[Segment]:
        """Of the first measure, over queries that every arm measured; [] without tags."""
        values = {one.arm.name: one.quality.figures[0].values for one in self.arms}
        tags: dict[str, list[str]] = {}
        for one in self.arms:
            for query, own in tags_of(one.arm).items():
                tags.setdefault(query, []).extend(
                    tag for tag in own if tag not in tags.get(query, ())
                )
        shared = set.intersection(*(set(own) for own in values.values()))
        return segments(values, tags) if shared and any(tags.values()) else []

    @cached_property
    def alike(self) -> list[Alike]:
        return alike([told.arm for told in self.arms], self.asked.k) if len(self.arms) > 1 else []

    @cached_property
    def undominated(self) -> frozenset[str]:
        """By the first measure and seconds; all arms where one has no time to compare."""
        points = {
            one.arm.name: (one.quality.figures[0].mean, one.spent.seconds)
            for one in self.arms
            if one.spent is not None
        }
        return undominated(points)


def gather(arms: Sequence[Arm], asked: Asked) -> Report:
    """Raises NeverRan for an arm that did not run, ValueError where nothing can be measured."""
    names = [arm.name for arm in arms]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise ValueError(f"two arms are called {min(twice)!r}; record one with another --arm")
    told = []
    for arm in arms:
        try:
            told.append(_told(arm.without_self() if asked.drop_self else arm, asked))
        except NeverRan as refusal:
            raise NeverRan(f"{arm.name}: {refusal}") from refusal
    return Report(asked=asked, arms=tuple(told))


def _told(arm: Arm, asked: Asked) -> Told:
    traces = list(arm.traces.values())
    return Told(
        arm=arm,
        quality=quality(arm, asked.measures),
        choices=choices(arm),
        nothing=nothing(arm),
        freshness=freshness(arm, asked.k, asked.days),
        mix=mix(arm, asked.k),
        window=window(arm, asked.tokens),
        rates=rates(traces) if traces else None,
        spent=spent(traces) if traces else None,
        policy=policy(arm, asked.measures),
        misses=_misses(arm, asked.k),
        explained=None if asked.explain is None else explain(arm, asked.explain, asked.k),
    )


def _misses(arm: Arm, k: int) -> Misses | None:
    if not arm.traces:
        return None
    return missed.misses(arm.traces, arm.judgements, k, arm.known)


def tags_of(arm: Arm) -> dict[str, tuple[str, ...]]:
    """Each query's own tags, the sources that hold its right documents, and head, torso or tail
    where its traffic was counted and nobody has said so already: of a sample alone the parts of
    the traffic it was drawn from cannot be told.
    """
    said = any(PART_NAMES & set(label.tags) for label in arm.labels.values())
    counts = {q: label.traffic for q, label in arm.labels.items() if label.traffic is not None}
    parts: Mapping[str, str] = (
        head_torso_tail(counts) if sum(counts.values()) > 0 and not said else {}
    )
    right = arm.right_sources
    several = len({source for own in right.values() for source in own}) > 1
    return {
        query: (
            *label.tags,
            *((f"source:{source}" for source in sorted(right.get(query, ()))) if several else ()),
            *((parts[query],) if query in parts else ()),
        )
        for query, label in arm.labels.items()
    }
