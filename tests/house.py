"""Builders with good defaults, and the one fake: an engine that returns the hits it was given."""

import asyncio
from collections.abc import Callable, Mapping, Sequence

from esra._check import check
from esra.domain.capability import (
    Binding,
    Capability,
    Catalog,
    Exposure,
    Forms,
    Presence,
    Scoring,
    SourceScoring,
)
from esra.domain.hit import Hits, NativeHit, RecordId
from esra.domain.invocation import Call, Caller, Identity, Request
from esra.domain.outcome import Failed
from esra.domain.plan import Strategy
from esra.domain.scope import Scope, ScopedSource
from esra.domain.source import Field, Relation, Source
from esra.domain.source import Mapping as Searchable
from esra.governance.admission import admit
from esra.governance.audit import ListAudit
from esra.governance.clock import StillClock
from esra.pipeline import retrieve
from esra.ports import Capabilities, House

CALLER = Caller(tenant="t", subject="s", identity=Identity.LOCAL)
RELATION = Relation(
    schema="hidden_schema",
    table="hidden_table",
    key="hidden_key",
    title="hidden_title",
    text="hidden_text",
    vector="hidden_vector",
)


def source(id: str = "news", *, mappings: Sequence[str] = ("docs",), fields=(), **more) -> Source:
    return Source(
        id=id,
        name=more.pop("name", id.title()),
        provider=more.pop("provider", "fake"),
        mappings=tuple(
            Searchable(
                id=m, name=m.title(), description=f"about {m}", relation=RELATION, fields=fields
            )
            for m in mappings
        ),
        **more,
    )


def field(name: str, **more) -> Field:
    return Field(name=name, column=f"hidden_{name}", **more)


def catalog(
    *sources: Source,
    presence: Mapping[str, Presence] | None = None,
    forms: Forms | None = None,
    scoring: Scoring | None = None,
    exposure: Mapping[str, object] | None = None,
    **capability,
) -> Catalog:
    sources = sources or (source(),)
    ways = presence or {}
    bindings = tuple(
        Binding(source=s.id, presence=ways.get(s.id, Presence.OPTIONAL)) for s in sources
    )
    return Catalog(
        sources=sources,
        capabilities=(
            Capability(
                id="cap",
                name="Cap",
                bindings=capability.pop("bindings", bindings),
                forms=forms or Forms(),
                scoring=scoring or Scoring(),
                **capability,
            ),
        ),
        exposures=(Exposure(slug="ask", capability="cap", **(exposure or {})),),
        version="v1",
    )


def scoring(**more) -> Scoring:
    own = more.pop("own", {})
    sources = tuple((id, SourceScoring(**values)) for id, values in own.items())
    return Scoring(sources=sources, **more)


def call(prompt: str = "wing flutter", **more) -> Call:
    more.setdefault("caller", CALLER)
    return Call(id="i1", salt="salt", exposure="ask", prompt=prompt, now=0.0, **more)


def request(prompt: str = "wing flutter", **more) -> Request:
    more.setdefault("caller", CALLER)
    more.setdefault("exposure", "ask")
    return Request(prompt=prompt, **more)


def scope(*sources: Source, presence: Presence = Presence.OPTIONAL, **more) -> Scope:
    from esra.stages.scope import resolve_scope

    ways = {s.id: presence for s in sources}
    return resolve_scope(call(), catalog(*sources, presence=ways, **more)).value


def scoped(one: Source, presence: Presence = Presence.OPTIONAL) -> ScopedSource:
    return ScopedSource(source=one, presence=presence)


def hit(key: str, native: float | None, *, source: str = "news", **more) -> NativeHit:
    more.setdefault("title", f"title {key}")
    more.setdefault("fragment", f"text of {key}")
    return NativeHit(id=RecordId(source, more.pop("relation", "docs"), key), native=native, **more)


class FakeEngine:
    """Answers each source's query, by number, from a script; checks the seal like any engine."""

    def __init__(
        self,
        script: Mapping[str, Sequence[Sequence[NativeHit] | Failed]],
        *,
        strategies: Sequence[Strategy] = tuple(Strategy),
        delay: Callable[[str], float] = lambda source: 0.0,
    ) -> None:
        self.capabilities = Capabilities(strategies=frozenset(strategies))
        self.script = script
        self.delay = delay
        self.ran: list[tuple[str, int]] = []

    async def run(self, query):
        content = check(query)
        self.ran.append((content.source, content.query))
        await asyncio.sleep(self.delay(content.source))
        answers = self.script.get(content.source, ())
        result = answers[content.query] if content.query < len(answers) else ()
        return result if isinstance(result, Failed) else Hits.of(result, capped=False)


def house(
    known: Catalog | None = None,
    script: Mapping[str, Sequence[Sequence[NativeHit] | Failed]] | None = None,
    **more,
) -> House:
    engine = more.pop("engine", None) or FakeEngine(script or {})
    return House(
        catalog=known or catalog(),
        providers={"fake": engine},
        audit=more.pop("audit", None) or ListAudit(),
        clock=more.pop("clock", None) or StillClock(),
        **more,
    )


def ask(own: House, prompt: str = "wing flutter", **more):
    """The response of the whole pipeline; whatever came out is read for physical names."""
    response = asyncio.run(retrieve(admit(request(prompt, **more), own), own))
    models = (*own.selectors.values(), *own.planners.values(), *own.rerankers.values())
    out = (response, getattr(own.audit, "records", ()), [getattr(m, "seen", ()) for m in models])
    assert "hidden_" not in repr(out), "a physical name came out"
    return response
