"""The closed list of statements not rendered from a query. No caller's value meets them."""

from collections.abc import Sequence

from psycopg import sql

from esra.domain.source import Relation
from esra.providers.postgres.filters import ident

BEGIN = sql.SQL("BEGIN READ ONLY")
BEGIN_SNAPSHOT = sql.SQL("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
COMMIT = sql.SQL("COMMIT")

# A failed query ends the transaction it is in, but for what was marked before it.
MARK = sql.SQL("SAVEPOINT query")
BACK_TO_MARK = sql.SQL("ROLLBACK TO SAVEPOINT query")

# First in every transaction. jit is off because compiling a ranking costs more than it saves.
SETTINGS = sql.SQL("""\
SELECT set_config('statement_timeout', %(statement)s, true),
  set_config('lock_timeout', %(statement)s, true),
  set_config('idle_in_transaction_session_timeout', %(idle)s, true),
  set_config('search_path', 'pg_catalog', true),
  set_config('TimeZone', 'UTC', true),
  set_config('jit', 'off', true)""")

# Between two borrowers of a pooled connection.
FORGET = sql.SQL("DISCARD ALL")

# Roles that PostgreSQL brings along and that can do more than read tables.
POWERS = (
    "pg_write_all_data",
    "pg_write_server_files",
    "pg_read_server_files",
    "pg_execute_server_program",
    "pg_create_subscription",
    "pg_maintain",
    "pg_signal_backend",
    "pg_signal_autovacuum_worker",
    "pg_checkpoint",
)

# What the role is, or could become by SET ROLE, and what it may do to the mapped relations.
ROLE = sql.SQL("""\
WITH mine AS (
  SELECT * FROM pg_roles AS r WHERE pg_has_role(current_user, r.oid, 'MEMBER')
), mapped AS (
  SELECT c.* FROM unnest(%(schemas)s::text[], %(tables)s::text[]) AS m(schema, relation)
  JOIN pg_namespace AS n ON n.nspname = m.schema
  JOIN pg_class AS c ON c.relnamespace = n.oid AND c.relname = m.relation
)
SELECT current_user::text,
  (SELECT coalesce(bool_or(rolsuper), false) FROM mine),
  (SELECT coalesce(bool_or(rolbypassrls), false) FROM mine),
  (SELECT coalesce(bool_or(rolcreaterole), false) FROM mine),
  (SELECT coalesce(bool_or(rolreplication), false) FROM mine),
  (SELECT coalesce(array_agg(rolname::text ORDER BY 1), '{}') FROM mine
    WHERE rolname = ANY(%(powers)s::text[])),
  (SELECT coalesce(array_agg(relname::text ORDER BY 1), '{}') FROM mapped
    WHERE pg_has_role(current_user, relowner, 'MEMBER')),
  (SELECT coalesce(array_agg(relname::text ORDER BY 1), '{}') FROM mapped
    WHERE has_table_privilege(oid, 'INSERT, UPDATE, DELETE, TRUNCATE, TRIGGER')
      OR has_any_column_privilege(oid, 'INSERT, UPDATE'))""")


# What a relation is ("r" a table, "v" a view, ...) and how many rows it was last seen to have.
SIZE = sql.SQL("""\
SELECT c.relkind::text, c.reltuples::float8 FROM pg_class AS c
JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname = %(schema)s::text AND c.relname = %(table)s::text""")

# The first characters of title and text of a fixed choice of a relation's rows: by a hash of the
# key, so that the same data give the same choice however they lie on the disk. Text that is stored
# apart is read for the chosen rows alone.
SAMPLE = sql.SQL("""\
SELECT coalesce(left(title, %(widest)s::int), ''), coalesce(left(body, %(widest)s::int), '')
FROM (
  SELECT r.{title}::text AS title, r.{text}::text AS body
  FROM {schema}.{table} AS r{part} WHERE r.{key} IS NOT NULL
  ORDER BY sha256(convert_to(r.{key}::text, 'UTF8')) LIMIT %(rows)s::int
) AS chosen""")

# Some of the pages of a large table, the same ones each time: hashing every key takes too long.
PART = sql.SQL(" TABLESAMPLE SYSTEM (%(percent)s::float4) REPEATABLE (0)")


def settings(seconds: float) -> dict[str, object]:
    """Milliseconds as the server takes them; 0 would switch a timeout off."""
    allowed = max(1, round(seconds * 1000))
    return {"statement": str(allowed), "idle": str(allowed + 1000)}


def role_values(relations: Sequence[Relation]) -> dict[str, object]:
    return {
        "schemas": [relation.schema for relation in relations],
        "tables": [relation.table for relation in relations],
        "powers": list(POWERS),
    }


def sample(relation: Relation, *, part: bool) -> sql.Composed:
    """``SAMPLE`` of a relation or of a part of it: configured names, nothing of a caller's."""
    return SAMPLE.format(
        schema=ident(relation.schema),
        table=ident(relation.table),
        key=ident(relation.key),
        title=ident(relation.title),
        text=ident(relation.text),
        part=PART if part else sql.SQL(""),
    )
