"""The one fixed statement about a server's catalogue. No caller's value meets it.

``DESCRIBE`` tells of the relations that are named to it, or (``LISTED``) of all that the role may
read in one schema or in every one. One row: the server's own facts, then the relations as JSON.
"""

from collections.abc import Sequence

from psycopg import sql

from esra.domain.source import Relation

NAMED = sql.SQL("""\
  SELECT m.place, m.schema, m.name, c.oid
  FROM unnest(%(schemas)s::text[], %(tables)s::text[]) WITH ORDINALITY AS m(schema, name, place)
  JOIN pg_namespace AS n ON n.nspname = m.schema
  JOIN pg_class AS c ON c.relnamespace = n.oid AND c.relname = m.name
    AND c.relkind IN ('r', 'p', 'm', 'v', 'f')""")

# What is the server's own, an extension's, or a part of another relation is not a user's choice.
LISTED = sql.SQL("""\
  SELECT row_number() OVER (ORDER BY n.nspname::text COLLATE "C", c.relname::text COLLATE "C"),
    n.nspname::text, c.relname::text, c.oid
  FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p', 'm', 'v', 'f') AND NOT c.relispartition
    AND n.nspname::text !~ '^pg_' AND n.nspname <> 'information_schema'
    AND (%(schema)s::text IS NULL OR n.nspname = %(schema)s::text)
    AND has_schema_privilege(n.oid, 'USAGE') AND has_any_column_privilege(c.oid, 'SELECT')
    AND NOT EXISTS (SELECT FROM pg_depend AS d WHERE d.classid = 'pg_class'::regclass
      AND d.objid = c.oid AND d.deptype = 'e')""")

DESCRIBE = sql.SQL("""\
WITH RECURSIVE found (place, schema, name, oid) AS (
{wanted}
), wanted AS (
  SELECT * FROM found ORDER BY place LIMIT %(most)s::int
), below (top, oid) AS (  -- a view, what it reads, what the views among that read, ...
  SELECT oid, oid FROM wanted
  UNION SELECT b.top, d.refobjid
  FROM below AS b JOIN pg_class AS v ON v.oid = b.oid AND v.relkind = 'v'
  JOIN pg_rewrite AS r ON r.ev_class = v.oid
  JOIN pg_depend AS d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid
    AND d.refclassid = 'pg_class'::regclass AND d.refobjid <> v.oid
), part (top, oid) AS MATERIALIZED (  -- where the rows are
  SELECT b.top, coalesce(p.relid, b.oid)
  FROM below AS b JOIN pg_class AS c ON c.oid = b.oid AND c.relkind IN ('r', 'p', 'm', 'f')
  LEFT JOIN LATERAL pg_partition_tree(c.oid) AS p ON c.relkind = 'p' AND p.isleaf
), key AS (  -- indexes over a tsvector, whatever their method
  SELECT i.indrelid, jsonb_build_object('column', a.attname, 'method', m.amname,
    'valid', i.indisvalid AND i.indisready, 'partial', i.indpred IS NOT NULL) AS key
  FROM pg_index AS i
  CROSS JOIN LATERAL unnest(i.indkey::int2[], i.indclass::oid[]) AS k(number, class)
  JOIN pg_opclass AS o ON o.oid = k.class AND o.opcintype = 'tsvector'::regtype
  JOIN pg_class AS x ON x.oid = i.indexrelid JOIN pg_am AS m ON m.oid = x.relam
  LEFT JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = k.number
  WHERE i.indrelid IN (SELECT oid FROM part)
), store AS (
  SELECT p.top, count(*) AS parts, bool_and(s.reltuples >= 0) AS counted,
    sum(greatest(s.reltuples, 0))::float8 AS rows, sum(pg_relation_size(s.oid)) AS bytes,
    jsonb_agg(jsonb_build_object('name', s.relname,
      'keys', (SELECT jsonb_agg(key.key) FROM key WHERE key.indrelid = s.oid))
      ORDER BY s.relname::text COLLATE "C") AS stores
  FROM part AS p JOIN pg_class AS s ON s.oid = p.oid GROUP BY p.top
), described AS (
  SELECT w.place, jsonb_build_object(
    'schema', w.schema, 'name', w.name, 'kind', c.relkind,
    'reachable', has_schema_privilege(c.relnamespace, 'USAGE'),
    'rows', CASE WHEN store.counted AND c.relkind <> 'v' THEN store.rows END,
    'empty', store.bytes = 0 AND c.relkind IN ('r', 'p', 'm'),
    'filled', c.relispopulated,
    'gathered', c.relkind IN ('v', 'f') OR store.bytes = 0
      OR c.relkind = 'p' AND store.counted
      OR EXISTS (SELECT FROM pg_stats WHERE schemaname = w.schema AND tablename = w.name)
      OR EXISTS (SELECT FROM pg_stat_all_tables AS s WHERE s.relid = c.oid
        AND coalesce(s.last_analyze, s.last_autoanalyze) IS NOT NULL)
      OR row_security_active(c.oid) AND store.counted,
    'stores', store.stores,
    'active', row_security_active(c.oid),
    'policies', (SELECT count(*) FROM pg_policy AS p WHERE p.polrelid = c.oid AND p.polpermissive
      AND p.polcmd IN ('r', '*') AND EXISTS (SELECT FROM unnest(p.polroles) AS role
        WHERE role = 0 OR pg_has_role(current_user, role, 'USAGE'))),
    'passed_by', (SELECT jsonb_agg(DISTINCT t.relname) FROM below AS b
      JOIN pg_class AS t ON t.oid = b.oid AND t.relrowsecurity
      WHERE b.top = c.oid AND c.relkind = 'v'
        AND NOT coalesce('security_invoker=true' = ANY (c.reloptions), false)),
    'columns', (SELECT jsonb_agg(jsonb_build_object('name', a.attname, 'type', coalesce(
        (SELECT base.typname FROM pg_type AS base WHERE base.oid = t.typbasetype), t.typname),
        'readable', has_column_privilege(c.oid, a.attnum, 'SELECT'),
        'made', CASE WHEN a.attgenerated <> '' THEN pg_get_expr(d.adbin, d.adrelid)
          ELSE (SELECT encode(g.tgargs, 'escape') FROM pg_trigger AS g WHERE g.tgrelid = c.oid
            AND g.tgfoid::regproc::text LIKE 'tsvector_update_trigger%%'
            AND encode(g.tgargs, 'escape') LIKE replace(a.attname::text, '_', '\\_') || '\\\\000%%'
            LIMIT 1) END) ORDER BY a.attnum)
      FROM pg_attribute AS a JOIN pg_type AS t ON t.oid = a.atttypid
      LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
      WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped),
    'unique', (SELECT jsonb_agg(a.attname ORDER BY NOT i.indisprimary, a.attnum)
      FROM pg_index AS i JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
      WHERE i.indrelid = c.oid AND i.indisunique AND i.indisvalid AND i.indnkeyatts = 1
        AND i.indpred IS NULL)
  ) AS facts
  FROM wanted AS w JOIN pg_class AS c ON c.oid = w.oid LEFT JOIN store ON store.top = c.oid
)
SELECT current_database()::text, current_user::text, current_setting('lc_messages'),
  current_setting('server_encoding'), current_setting('default_text_search_config'),
  extract(epoch FROM clock_timestamp())::float8,
  (SELECT jsonb_agg(jsonb_build_array(n.nspname, f.cfgname))
    FROM pg_ts_config AS f JOIN pg_namespace AS n ON n.oid = f.cfgnamespace),
  (SELECT count(*) FROM found) - (SELECT count(*) FROM wanted),
  (SELECT coalesce(jsonb_agg(facts ORDER BY place), '[]') FROM described)""")


def named(relations: Sequence[Relation]) -> tuple[sql.Composed, dict[str, object]]:
    """The statement about these relations, each told of once, and its values."""
    places = sorted({(relation.schema, relation.table) for relation in relations})
    values: dict[str, object] = {
        "schemas": [schema for schema, _ in places],
        "tables": [table for _, table in places],
        "most": len(places),
    }
    return DESCRIBE.format(wanted=NAMED), values


def listed(schema: str | None, most: int) -> tuple[sql.Composed, dict[str, object]]:
    """The statement about the first ``most`` relations of a schema, or of all, and its values."""
    return DESCRIBE.format(wanted=LISTED), {"schema": schema, "most": most}
