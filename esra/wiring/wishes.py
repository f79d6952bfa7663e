"""What a command may ask of a house beyond its catalog."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from esra import embedded, scoring
from esra.domain.capability import Catalog
from esra.domain.invocation import Retention
from esra.ports import Audit, TraceSink


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What a command may ask for beyond the catalog.

    ``tuned`` False leaves every tuned revision aside, ``remember`` False every cached selection;
    ``change`` edits the catalog last. ``words`` gathers the sources' words though no capability
    weighs by them, so that a trace holds evidence.
    """

    tuned: bool = True
    remember: bool = True
    words: bool = False
    audit: Audit | None = None
    traces: TraceSink | None = None
    retention: Retention | None = None  # None: the catalog's own
    change: Callable[[Catalog], Catalog] = lambda catalog: catalog
    say: Callable[[str], None] = embedded.silent


class CannotOpen(RuntimeError):
    """Something a house needs is not on this machine; the message says what to do."""


def with_share(share: float) -> Callable[[Catalog], Catalog]:
    """A change that gives every capability this semantic share."""

    semantic, lexical = scoring.weights_of(share)

    def change(catalog: Catalog) -> Catalog:
        return replace(
            catalog,
            capabilities=tuple(
                replace(
                    c, scoring=replace(c.scoring, semantic_weight=semantic, lexical_weight=lexical)
                )
                for c in catalog.capabilities
            ),
        )

    return change
