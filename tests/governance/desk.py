"""Selects through the stage with one scripted model and one cache, an invocation each time."""

import asyncio
from dataclasses import replace

from esra.domain.capability import Forms, Presence, SelectForm
from esra.domain.invocation import Retention
from esra.governance.cache import remembering
from esra.llm.scripted import Scripted
from esra.stages.scope import resolve_scope
from esra.stages.select import admit_selection, select_sources
from tests.house import call, catalog, source

IDS = ("hr", "law", "tax")
# Longer than a loaded machine needs to connect; what a default is worth is tested by itself.
PATIENT = 20.0


class Desk:
    def __init__(self, cache, answer='{"sources": ["hr"]}', **model):
        self.cache = cache
        self.model = Scripted(answer if callable(answer) else lambda brief: answer, **model)

    def ask(self, prompt="Wing flutter", *, known=None, retention=Retention.KEYED_HASH, **more):
        """The outcome of the stage."""
        known = known or offer(*IDS)
        own = replace(call(prompt, **more), exposure=known.exposures[0].slug)
        scope = resolve_scope(own, known).value
        selectors = remembering(
            dict.fromkeys(SelectForm, self.model),
            self.cache,
            admit_selection,
            call=own,
            version=scope.version,
            retention=retention,
        )
        return asyncio.run(select_sources(own, scope, selectors, 5.0))

    @property
    def calls(self):
        return len(self.model.seen)


def offer(*ids, exposure="ask", unhealthy=(), form=SelectForm.LOCAL, **described):
    """A catalog that offers ``ids`` by choice, beside a mandatory source."""
    sources = [
        source(id, description=described.get(id, f"describes {id}"), healthy=id not in unhealthy)
        for id in ("must", *ids)
    ]
    known = catalog(
        *sources,
        presence={"must": Presence.MANDATORY},
        forms=Forms(select=form),
    )
    return replace(known, exposures=(replace(known.exposures[0], slug=exposure),))


def chosen(outcome):
    return [scoped.source.id for scoped in outcome.value]


def settle(store):
    """Waits for what ``write`` has sent: one thread does one thing after the other."""
    asyncio.run(store.read(b"", 1.0))


def rows(owner):
    return owner.execute("SELECT entry, value FROM esra_own.selections ORDER BY kept").fetchall()
