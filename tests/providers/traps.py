"""Relations that do something when they are read, and a question to them."""

import asyncio

from tests.providers.queries import query

ROW = "'k'::text AS id, 'n'::text AS name, {body} AS body, now() AS written"
LEXEMES = "to_tsvector('simple', 'word') AS lexemes"


def trap(shop, body: str, **more):
    """A relation of one row whose text is whatever ``body`` computes."""
    return shop.view(f"SELECT {ROW.format(body=body)}, {LEXEMES}", **more)


def ask(shop, relation, provider=None, **given):
    return asyncio.run(
        (provider or shop.provider).run(query(relation, optional=("word",), **given))
    )
