"""The known ways out of a read-only transaction and what becomes of each, as a table.

The names say what was measured on a real server: a statement that ends a transaction, a setting
that reopens it, a function that writes all the same. ``SQLSTATE``: the server refuses it to a role
that could otherwise do it. ``GONE``: a read-only transaction lets it pass, so that two other things
must hold: no command is ever made of it (``parsed.objections``), and the session forgets it before
the next borrower. ``STAYS``: the same, but what it did stays; only the closed list of functions and
the reading role stand against it.
"""

from dataclasses import dataclass
from enum import StrEnum


class Fate(StrEnum):
    GONE = "gone"
    STAYS = "stays"


@dataclass(frozen=True, slots=True, kw_only=True)
class Escape:
    """``text`` may bind ``x``; ``fate`` is an SQLSTATE or a ``Fate``."""

    name: str
    text: str
    fate: str


INSERT = "INSERT INTO decoy.ledger (line) VALUES ('was here')"
MINE = "CREATE TABLE decoy.mine (x int)"
PASSWD = "'/etc/passwd'"


def _table(*rows: tuple[str, str, str]) -> tuple[Escape, ...]:
    return tuple(Escape(name=name, text=text, fate=fate) for name, text, fate in rows)


# A statement after the first, one that only looks like a read, and a mode that is changed.
STACKED = _table(
    ("a second statement", f"SELECT %(x)s; {INSERT}", "42601"),
    ("commit, then a table", f"SELECT %(x)s; COMMIT; {MINE}", "42601"),
    ("the same, and the text binds nothing", f"SELECT 1; COMMIT; {MINE}", "42601"),
    ("rollback, then a write", f"SELECT %(x)s; ROLLBACK; {INSERT}", "42601"),
    ("a comment before a commit", f"/* SELECT */ COMMIT; {MINE}", "42601"),
    ("a comment before a write", f"/* SELECT 1 */ {INSERT}", "25006"),
    ("a line comment before a write", f"-- SELECT\n{INSERT}", "25006"),
    ("a write behind WITH", f"WITH w AS ({INSERT} RETURNING 1) TABLE w", "25006"),
    ("a write behind EXPLAIN", f"EXPLAIN ANALYZE {INSERT}", "25006"),
    ("read write, the first word", "SET TRANSACTION READ WRITE", "25001"),
    ("read write, of the session", "SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE", "gone"),
    (
        "read write, by a function",
        "SELECT set_config('transaction_read_only', 'off', true), %(x)s",
        "25001",
    ),
)
# What the transaction or the role's lack of a right refuses.
REFUSED = _table(
    ("a sequence", "SELECT nextval('decoy.ledger_id_seq'), %(x)s", "25006"),
    ("its owner's rights", "SELECT decoy.write(), %(x)s", "25006"),
    ("rows locked", "SELECT 1 FROM decoy.ledger WHERE line = %(x)s FOR UPDATE", "25006"),
    ("a table", "CREATE TABLE decoy.mine AS SELECT %(x)s::text AS x", "25006"),
    ("a temporary table", "SELECT %(x)s::text AS x INTO TEMP t", "25006"),
    ("a block of code", "DO $$ BEGIN PERFORM decoy.write(); END $$", "25006"),
    ("a large object", "SELECT lo_create(0), %(x)s", "25006"),  # from PostgreSQL 16 on
    ("a changed one", "SELECT lo_put(424242, 0, 'other'), %(x)s", "25006"),
    ("a vacuum", "VACUUM decoy.ledger", "25001"),
    ("the server's settings", "ALTER SYSTEM SET work_mem = '1MB'", "25001"),
    ("a file read", f"SELECT pg_read_file({PASSWD}), %(x)s", "42501"),
    ("a file made an object", f"SELECT lo_import({PASSWD}), %(x)s", "42501"),
    ("a file written", "COPY (SELECT 1) TO '/nowhere/at/all'", "42501"),
    ("a program", "COPY (SELECT 1) TO PROGRAM 'true'", "42501"),
    ("a library", "LOAD 'auto_explain'", "42501"),
    ("another role", "SET ROLE postgres", "42501"),
    ("a long sleep", "SELECT pg_sleep(9), %(x)s", "57014"),
    (
        "a long sleep without its limit",
        "SELECT pg_sleep(9) FROM set_config('statement_timeout', '0', true), CAST(%(x)s AS text)",
        "57014",
    ),
)
# What it lets pass.
PASSING = _table(
    ("a listener", "LISTEN esra", Fate.GONE),
    ("a session's lock", "SELECT pg_advisory_lock(7), %(x)s", Fate.GONE),
    ("a tenant", "SELECT set_config('esra.tenant', 't2', false), %(x)s", Fate.GONE),
    ("no time limit", "SELECT set_config('statement_timeout', '0', false), %(x)s", Fate.GONE),
    ("a search path", "SELECT set_config('search_path', 'decoy', false), %(x)s", Fate.GONE),
    ("a prepared statement", "PREPARE p AS SELECT 1", Fate.GONE),
    ("a held cursor", "DECLARE c CURSOR WITH HOLD FOR SELECT 1", Fate.GONE),
    ("a lock on a table", "LOCK TABLE decoy.ledger IN ACCESS SHARE MODE", Fate.GONE),
    ("a notification", "SELECT pg_notify('esra', %(x)s)", Fate.STAYS),
)
EVERY = (*STACKED, *REFUSED, *PASSING)
