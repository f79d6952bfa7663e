"""What the parts of the contract share: stocked records, and a question asked of an engine."""

import asyncio

from esra.domain.hit import Hits
from tests.providers.queries import query, record

TREES = (
    record("oak", "oak tree with broad leaves", at=30.0),
    record("pine", "pine tree with needles", at=10.0),
    record("leaf", "tree leaves: broad or narrow", at=20.0),
    record("moss", "moss on stone", at=None),
)


def keys(result) -> list[str]:
    assert isinstance(result, Hits), result
    return [hit.id.key for hit in result]


class Asking:
    """``engine.stock(records)`` makes a relation that holds them and returns it;
    ``engine.provider`` runs queries over it. Each test works on what it stocked."""

    def ask(self, engine, relation, **given):
        return asyncio.run(engine.provider.run(query(relation, **given)))

    def found(self, engine, relation, **given) -> set[str]:
        return set(keys(self.ask(engine, relation, **given)))
