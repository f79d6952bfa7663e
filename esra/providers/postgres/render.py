"""Turns a query's content into one PostgreSQL command. Pure; reads nothing, calls nobody.

Promise: the text of the command depends on the relation with its record filter, the strategy, and
which columns are filtered with which operators and returned, all of it configuration. No term,
claim, value, count or limit is in the text: terms and claims travel as arrays, everything else as
a parameter of its own. Terms are
reduced to letters and digits (``sources.relation.words``) and only ever meet
``plainto_tsquery`` and ``phraseto_tsquery``, which have no query language.

What matches: every required term; without one, any optional term or phrase; in a ``phrase``
query every phrase as well; never an excluded term. A term the language drops (a stop word) asks
for nothing. What scores: every positive word, whether it had to match or not. ``recent`` without
terms takes every row the filters leave, its native score the record's own time.

Order: score descending (NULL last), then key ascending by its bytes (RULINGS 21, 23). One row
over the cap is looked for inside the command, so that ``more`` is known and only the cap leaves.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from psycopg import sql
from psycopg.abc import AdaptContext

from esra.domain.plan import Strategy
from esra.domain.source import Field, Relation
from esra.providers.postgres.filters import Clauses, allowed, bound, shape
from esra.providers.postgres.statement import statement
from esra.sealed import QueryContent
from esra.sources.relation import words

# Characters of a title or of a returned text field; a fragment has its own bound.
WIDEST = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A statement with named placeholders, and a value for each of them."""

    text: sql.Composed
    values: dict[str, object]


def render(content: QueryContent) -> Command:
    """The one SELECT that answers this content."""
    text = _text(content.relation, content.strategy, shape(content), content.projection)
    return Command(text=text, values=_terms(content) | bound(content))


class Written(sql.Composed):
    """A statement whose text is worked out once. Every connection of a source speaks UTF-8."""

    def __init__(self, made: sql.Composed) -> None:
        super().__init__([made])
        self._text = super().as_bytes(None)

    def as_bytes(self, context: AdaptContext | None = None) -> bytes:
        return self._text


# Composing a statement takes as long as sending it. The key is all of its shape, and no value.
@lru_cache(maxsize=1_000)
def _text(
    relation: Relation, strategy: Strategy, clauses: Clauses, projection: tuple[Field, ...]
) -> Written:
    return Written(statement(relation, strategy, allowed(clauses), projection))


def _terms(content: QueryContent) -> dict[str, object]:
    positive = (*content.required, *content.optional, *content.phrases)
    return {
        "language": content.relation.language,
        "required": _plain(content.required),
        "optional": _plain(content.optional),
        "phrases": _plain(content.phrases),
        "excluded": _plain(content.excluded),
        "positive": " ".join(_plain(positive)),
        "fragment": content.fragment,
        "widest": WIDEST,
        "rows": content.rows,
    }


def _plain(texts: Iterable[str]) -> list[str]:
    return [" ".join(words(text)) for text in texts]
