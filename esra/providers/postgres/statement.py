"""The pieces of the one SELECT. Everything here is fixed text and configured names. Pure.

``given`` are the query's terms, each as the language's own ``tsquery``; ``part`` joins them by
their role; ``word`` are the lexemes of everything positive; ``asked`` is what must match and what
scores. Joining goes through the canonical output of ``tsquery``, which the server quotes itself
and reads back: there is no aggregate over ``tsquery``, and the number of terms must not show in
the text.
"""

from collections.abc import Sequence

from psycopg import sql

from esra.domain.plan import Strategy
from esra.domain.source import Field, FieldType, Rank, Relation
from esra.providers.postgres.filters import ident

_GIVEN = sql.SQL("""\
WITH given (part, query) AS MATERIALIZED (
  SELECT 'required', plainto_tsquery(%(language)s::regconfig, t)
    FROM unnest(%(required)s::text[]) AS t
  UNION ALL SELECT 'optional', plainto_tsquery(%(language)s::regconfig, t)
    FROM unnest(%(optional)s::text[]) AS t
  UNION ALL SELECT 'phrase', phraseto_tsquery(%(language)s::regconfig, t)
    FROM unnest(%(phrases)s::text[]) AS t
  UNION ALL SELECT 'excluded', plainto_tsquery(%(language)s::regconfig, t)
    FROM unnest(%(excluded)s::text[]) AS t
), part AS (
  SELECT
    string_agg('(' || query::text || ')', ' & ') FILTER (WHERE part = 'required') AS required,
    string_agg('(' || query::text || ')', ' & ') FILTER (WHERE part = 'phrase') AS phrases,
    string_agg(query::text, ' | ') FILTER (WHERE part IN ('optional', 'phrase')) AS anything,
    string_agg(query::text, ' | ') FILTER (WHERE part = 'excluded') AS excluded
  FROM given WHERE numnode(query) > 0
), word AS MATERIALIZED (
  SELECT lexeme COLLATE "C" AS lexeme, plainto_tsquery('simple', lexeme) AS query
  FROM unnest(to_tsvector(%(language)s::regconfig, %(positive)s::text))
), asked AS MATERIALIZED (
  SELECT
    {match}::tsquery AS match,
    (SELECT string_agg(query::text, ' | ' ORDER BY lexeme) FROM word)::tsquery AS evidence
  FROM (SELECT {wanted} AS wanted, '!(' || excluded || ')' AS unwanted FROM part) AS w
)""")

_EVERY_PHRASE = sql.SQL("coalesce(nullif(concat_ws(' & ', required, phrases), ''), anything)")
_REQUIRED = sql.SQL("coalesce(required, anything)")

# Nothing wanted finds nothing, whatever is unwanted; in `recent` it leaves every row but those.
_POSITIVE = sql.SQL(
    "CASE WHEN wanted <> '' THEN concat_ws(' & ', '(' || wanted || ')', unwanted) END"
)
_ANY_ROW = sql.SQL("nullif(concat_ws(' & ', '(' || wanted || ')', unwanted), '')")

# BM25 (Robertson and Zaragoza 2009, k1 = 1.2, b = 0.75) over the rows a query may see: how many
# there are, how many hold each word, and the mean length, in distinct words, of those that match.
_WEIGHT = sql.SQL("""\
, total AS MATERIALIZED (
  SELECT count(*)::float8 AS rows FROM {table} AS r WHERE true{allowed}
), weight AS MATERIALIZED (
  SELECT lexeme, word.query, ln(1 + (total.rows - n.rows + 0.5) / (n.rows + 0.5)) AS idf
  FROM word, total, LATERAL (
    SELECT count(*)::float8 AS rows FROM {table} AS r WHERE r.{vector} @@ word.query{allowed}
  ) AS n
  ORDER BY lexeme  -- floats are added up in this order, so that the sum is one float
), mean AS MATERIALIZED (
  SELECT avg(length(r.{vector}))::float8 AS words
  FROM asked, {table} AS r WHERE r.{vector} @@ asked.match{allowed}
)""")

# ts_rank of one word with equal weights is sum(1 / j^2, j = 1..count) / (pi^2 / 6), so the rest of
# the series, about 1 / (count + 1/2), gives the count exactly, without unfolding the vector. The
# concatenation decompresses the vector once instead of once for every word.
_RARITY = sql.SQL("""\
(SELECT sum(idf * 2.2 * n / (n + 1.2 * (0.25 + 0.75 * length(v) / mean.words)))
      FROM (SELECT r.{vector} || ''::tsvector AS v OFFSET 0) AS once, mean, weight, LATERAL (
        SELECT round(1 / (1.64493406685 *
          (1 - ts_rank('{{1, 1, 1, 1}}', v, weight.query)::float8)) - 0.5) AS n OFFSET 0) AS c)""")

_SCORE = {
    Rank.COVERAGE: sql.SQL("ts_rank(r.{vector}, asked.evidence, 1)::float8"),
    Rank.DENSITY: sql.SQL("ts_rank_cd(r.{vector}, asked.evidence, 1)::float8"),
    Rank.RARITY: _RARITY,
}

_SCORE_OR_TIME = sql.SQL(
    "CASE WHEN asked.evidence IS NULL THEN extract(epoch FROM {stamp})::float8 ELSE {score} END"
)

_MATCHING = sql.SQL("asked, {table} AS r WHERE r.{vector} @@ asked.match")
# Two branches, of which one is empty, so that the index serves the first.
_RECENT = sql.SQL("""\
asked, LATERAL (
      SELECT * FROM {table} AS r WHERE r.{vector} @@ asked.match
      UNION ALL SELECT * FROM {table} AS r WHERE asked.match IS NULL
    ) AS r WHERE true""")

_FOUND = sql.SQL("""
SELECT
  key, coalesce(left(title, %(widest)s::int), ''), coalesce(left(body, %(fragment)s::int), ''),
  extract(epoch FROM stamp)::float8, score, count(*) OVER () > %(rows)s::int{fields}
FROM (
  SELECT {key} AS key, r.{title}::text AS title, r.{text}::text AS body, {stamp} AS stamp,
    {score} AS score{columns}
    FROM {rows}{allowed} AND r.{key_column} IS NOT NULL
    ORDER BY score DESC NULLS LAST, key ASC LIMIT %(rows)s::int + 1
) AS found
ORDER BY score DESC NULLS LAST, key ASC LIMIT %(rows)s::int""")

_SHOWN = {
    FieldType.TEXT: sql.SQL(", left({}::text, %(widest)s::int)"),
    FieldType.NUMBER: sql.SQL(", {}::numeric"),
    FieldType.BOOLEAN: sql.SQL(", {}::boolean"),
    FieldType.TIMESTAMP: sql.SQL(", extract(epoch FROM {})::float8"),
}


def statement(
    relation: Relation, strategy: Strategy, allowed: sql.Composable, projection: Sequence[Field]
) -> sql.Composed:
    """The SELECT of a shape. Its rows: key, title, fragment, seconds, score, more, then fields."""
    names = _names(relation)
    recent = strategy is Strategy.RECENT
    wanted = _EVERY_PHRASE if strategy is Strategy.PHRASE else _REQUIRED
    given = _GIVEN.format(match=_ANY_ROW if recent else _POSITIVE, wanted=wanted)
    rarity = relation.rank is Rank.RARITY
    weight = _WEIGHT.format(allowed=allowed, **names) if rarity else sql.SQL("")
    score = _SCORE[relation.rank].format(vector=names["vector"])
    if recent:
        score = _SCORE_OR_TIME.format(stamp=_stamp(relation), score=score)
    found = _FOUND.format(
        key=sql.SQL('r.{}::text COLLATE "C"').format(ident(relation.key)),
        key_column=ident(relation.key),
        title=ident(relation.title),
        text=ident(relation.text),
        stamp=_stamp(relation),
        score=score,
        rows=(_RECENT if recent else _MATCHING).format(**names),
        allowed=allowed,
        columns=_columns(projection),
        fields=_fields(projection),
    )
    return sql.Composed([given, weight, found])


def _names(relation: Relation) -> dict[str, sql.Composable]:
    table = sql.SQL("{}.{}").format(ident(relation.schema), ident(relation.table))
    return {"table": table, "vector": ident(relation.vector)}


def _stamp(relation: Relation) -> sql.Composable:
    if relation.timestamp is None:
        return sql.SQL("NULL::timestamptz")
    return sql.SQL("r.{}").format(ident(relation.timestamp))


def _columns(projection: Sequence[Field]) -> sql.Composed:
    return sql.Composed(
        [
            sql.SQL(", r.{} AS {}").format(ident(field.column), sql.Identifier(f"field_{number}"))
            for number, field in enumerate(projection)
        ]
    )


def _fields(projection: Sequence[Field]) -> sql.Composed:
    return sql.Composed(
        [
            _SHOWN[field.type].format(sql.Identifier(f"field_{number}"))
            for number, field in enumerate(projection)
        ]
    )
