"""Each fault planted on a live server is found and nothing else; a healthy source has none."""

import json
import re
import socket

import pytest

from esra.cli import main
from tests.doctor.clinic import READER, SCHEMA, SECRET, faults, told


def test_a_healthy_source_has_no_finding(clinic, capsys):
    """A doctor who always finds something is not listened to."""
    assert told(capsys, clinic.catalog(clinic.patient())) == (0, [])


# What is done to a table, the fault, and what the advice has to name.
ILL = [
    ("DROP INDEX ward.{table}_words", "INDEX_MISSING", 'USING gin ("words")'),
    (
        "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'ward.{table}_words'::regclass",
        "INDEX_UNUSABLE",
        "drop that index",
    ),
    ("REVOKE SELECT ON ward.{table} FROM ward_reader", "NOT_PERMITTED", "GRANT SELECT ON"),
    (
        "REVOKE SELECT ON ward.{table} FROM ward_reader;"
        " GRANT SELECT (id, title, words, changed, price) ON ward.{table} TO ward_reader",
        "NOT_PERMITTED",
        'GRANT SELECT ("body")',
    ),
    ("GRANT UPDATE ON ward.{table} TO ward_reader", "POWERFUL_ROLE", "SELECT on its relations"),
    (
        "TRUNCATE ward.{table}; ANALYZE ward.{table}",
        "RELATION_EMPTY",
        "load its records",
    ),
    (
        "DELETE FROM pg_statistic WHERE starelid = 'ward.{table}'::regclass;"
        " SELECT pg_stat_reset_single_table_counters('ward.{table}'::regclass)",
        "NO_STATISTICS",
        "ANALYZE",
    ),
    (
        "ALTER TABLE ward.{table} DROP CONSTRAINT {table}_pkey",
        "KEY_NOT_UNIQUE",
        "CREATE UNIQUE INDEX",
    ),
    ("ALTER TABLE ward.{table} ENABLE ROW LEVEL SECURITY", "ROW_SECURITY", "CREATE POLICY"),
    (
        "ALTER TABLE ward.{table} ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON ward.{table}"
        " USING (title = current_setting('esra.tenant', true))",
        "ROW_SECURITY",
        "record filter",
    ),
    ("ALTER TABLE ward.{table} RENAME COLUMN body TO was_body", "COLUMN_MISSING", "was_body"),
    (
        "ALTER TABLE ward.{table} ALTER price TYPE text",
        "COLUMN_TYPE",
        "the type of its column",
    ),
    (
        "ALTER TABLE ward.{table} ALTER changed DROP DEFAULT;"
        " ALTER TABLE ward.{table} ALTER changed TYPE text",
        "COLUMN_TYPE",
        "another column",
    ),
]


@pytest.mark.parametrize(("plant", "fault", "advice"), ILL)
def test_a_planted_fault_is_the_one_that_is_found(clinic, capsys, plant, fault, advice):
    """A user would be the first to meet it."""
    table = clinic.patient()
    clinic.run(plant.format(table=table))
    code, findings = told(capsys, clinic.catalog(table))
    clinic.run(f"DROP TABLE {SCHEMA}.{table} CASCADE")
    assert (code, faults(findings)) == (1, [fault])
    assert advice in findings[0]["advice"]
    assert table in findings[0]["text"] or '"' in findings[0]["text"]


@pytest.mark.parametrize(
    ("changed", "fault", "advice"),
    [
        ({"table": "nowhere"}, "RELATION_MISSING", "schema and table"),
        ({"schema": "nowhere"}, "RELATION_MISSING", "schema and table"),
        ({"vector": "body"}, "COLUMN_TYPE", "esra draft"),
        ({"price": "cost"}, "COLUMN_MISSING", "price"),
        ({"language": "klingon"}, "LANGUAGE_UNKNOWN", "english"),
        ({"language": "dialect"}, "LANGUAGE_UNKNOWN", 'language = "ward.dialect"'),
        (
            {"more": 'record_filter = [{ column = "team", claim = "team" }]'},
            "COLUMN_MISSING",
            "price",
        ),
    ],
)
def test_a_mistake_in_the_catalog_is_found(clinic, capsys, changed, fault, advice):
    """A misspelt name would be found by the first question."""
    clinic.run("DROP TEXT SEARCH CONFIGURATION IF EXISTS ward.dialect")
    clinic.run("CREATE TEXT SEARCH CONFIGURATION ward.dialect (COPY = english)")
    table = clinic.patient()
    code, findings = told(capsys, clinic.catalog(table, **changed))
    assert (code, faults(findings)) == (1, [fault])
    assert advice in findings[0]["advice"]


@pytest.mark.parametrize(
    ("right", "reason"),
    [
        ("SUPERUSER", "is a superuser"),
        ("BYPASSRLS", "BYPASSRLS"),
        ("CREATEROLE", "CREATEROLE"),
        ("REPLICATION", "REPLICATION"),
    ],
)
def test_a_role_that_can_do_more_than_read(clinic, capsys, monkeypatch, right, reason):
    """The house would not open, and say so only then."""
    clinic.role("ward_mighty", right)
    table = clinic.patient()
    clinic.run(f"GRANT SELECT ON {SCHEMA}.{table} TO ward_mighty")
    monkeypatch.setenv(SECRET, clinic.url("ward_mighty"))
    code, findings = told(capsys, clinic.catalog(table))
    clinic.run("ALTER ROLE ward_mighty NOSUPERUSER NOBYPASSRLS NOCREATEROLE NOREPLICATION")
    assert code == 1
    assert "POWERFUL_ROLE" in faults(findings)
    assert reason in findings[0]["text"]


def test_the_owner_of_a_mapped_relation(clinic, capsys, monkeypatch):
    """An owner reads past row security, and may drop what he reads."""
    clinic.role("ward_owner")
    table = clinic.patient()
    clinic.run(f"ALTER TABLE {SCHEMA}.{table} OWNER TO ward_owner")
    monkeypatch.setenv(SECRET, clinic.url("ward_owner"))
    code, findings = told(capsys, clinic.catalog(table))
    assert (code, set(faults(findings))) == (1, {"POWERFUL_ROLE"})
    assert f"owns {table}" in findings[0]["text"]


def test_a_view_that_reads_past_row_security(clinic, capsys):
    """Every caller would see the rows of every tenant."""
    table = clinic.patient()
    clinic.run(f"ALTER TABLE {SCHEMA}.{table} ENABLE ROW LEVEL SECURITY")
    clinic.run(f"CREATE VIEW {SCHEMA}.{table}_view AS SELECT * FROM {SCHEMA}.{table}")
    clinic.run(f"GRANT SELECT ON {SCHEMA}.{table}_view TO {READER}")
    file = clinic.catalog(f"{table}_view")
    code, findings = told(capsys, file)
    assert (code, faults(findings)) == (1, ["ROW_SECURITY_BYPASSED"])
    clinic.run(findings[0]["advice"])
    assert told(capsys, file) == (0, [])


def never_filled(clinic) -> str:
    """The name of a materialised view that holds nothing yet, and is healthy else."""
    table = clinic.patient()
    view = f"{SCHEMA}.{table}_kept"
    clinic.run(f"CREATE MATERIALIZED VIEW {view} AS SELECT * FROM {SCHEMA}.{table} WITH NO DATA")
    clinic.run(f"CREATE INDEX ON {view} USING gin (words)")
    clinic.run(f"CREATE UNIQUE INDEX ON {view} (id)")
    clinic.run(f"GRANT SELECT ON {view} TO {READER}")
    return f"{table}_kept"


def test_a_materialised_view_that_was_never_filled(clinic, capsys):
    """Every search of it would fail, and the doctor would speak of a table to load."""
    view = never_filled(clinic)
    file = clinic.catalog(view)
    code, findings = told(capsys, file)
    assert (code, faults(findings)) == (1, ["NEVER_FILLED"])
    clinic.run(findings[0]["advice"])
    clinic.run(f"ANALYZE {SCHEMA}.{view}")
    assert told(capsys, file) == (0, [])


def test_the_advice_cures(clinic, capsys):
    """Somebody would paste the statement and be told the same again."""
    table = clinic.patient()
    clinic.run(f"DROP INDEX {SCHEMA}.{table}_words")
    clinic.run(f"ALTER TABLE {SCHEMA}.{table} DROP CONSTRAINT {table}_pkey")
    clinic.run(f"REVOKE SELECT ON {SCHEMA}.{table} FROM {READER}")
    file = clinic.catalog(table)
    _, findings = told(capsys, file)
    assert faults(findings) == ["NOT_PERMITTED", "INDEX_MISSING", "KEY_NOT_UNIQUE"]
    for finding in findings:
        clinic.run(finding["advice"])
    assert told(capsys, file) == (0, [])


@pytest.fixture
def dead_port():
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        yield unused.getsockname()[1]


def test_a_server_that_cannot_be_asked(clinic, capsys, monkeypatch, dead_port):
    """The doctor would show a stack of the driver, with the host in it."""
    file = clinic.catalog(clinic.patient())
    secret = f"postgresql://someone:hunter2@localhost:{dead_port}/private"
    for url, code in [
        (secret, "CONNECTION_REFUSED"),
        (None, "SECRET_UNRESOLVED"),
        (clinic.url("ward_nobody"), "AUTH_FAILED"),
        (clinic.database.as_user(READER, "ward_nowhere"), "CONNECTION_TEMPLATE_INVALID"),
        (f"{secret}?options=-cx", "CONNECTION_TEMPLATE_INVALID"),
    ]:
        monkeypatch.setenv(SECRET, url) if url else monkeypatch.delenv(SECRET)
        exit_code = main(["doctor", "--catalog", str(file)])
        shown = capsys.readouterr()
        assert exit_code == 4
        assert f"({code})" in shown.out
        assert f"env:{SECRET}" in shown.out or code == "CONNECTION_TEMPLATE_INVALID"
        for private in ("hunter2", "localhost", "someone", "private", str(dead_port)):
            assert private not in shown.out + shown.err


def test_a_database_that_is_not_in_utf8(clinic, capsys, monkeypatch):
    """The doctor would call sound what `tune` will not load into, and no umlaut be found there."""
    made = "CREATE DATABASE ward_ascii ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0"
    clinic.run(made)
    try:
        monkeypatch.setenv(SECRET, clinic.database.as_user(READER, "ward_ascii"))
        code, findings = told(capsys, clinic.catalog(clinic.patient()))
    finally:
        clinic.run("DROP DATABASE ward_ascii WITH (FORCE)")
    assert (code, faults(findings)) == (1, ["ENCODING", "RELATION_MISSING"])
    assert "SQL_ASCII" in findings[0]["text"]


def test_a_catalog_that_cannot_be_read(clinic, capsys, tmp_path):
    """A mistake of spelling would look like a server that is down."""
    assert main(["doctor", "--catalog", str(tmp_path / "none.toml")]) == 3
    broken = tmp_path / "broken.toml"
    broken.write_text("sources = [", "utf-8")
    assert main(["doctor", "--catalog", str(broken), "--json"]) == 3
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "CONFIGURATION"
    assert main(["doctor"]) == 3


def test_a_kept_catalog_is_found_by_its_name(clinic, capsys, tmp_path):
    """Who retrieves by a name would have to know where the file lies."""
    kept = tmp_path / "home" / "catalogs" / "notes.toml"
    kept.parent.mkdir(parents=True)
    kept.write_text(clinic.catalog(clinic.patient()).read_text("utf-8"), "utf-8")
    for arguments in ([], ["--catalog", "notes"], ["--catalog", "esra_notes"]):
        assert main(["doctor", *arguments]) == 0
        shown = capsys.readouterr().out
        assert re.search(r"^ok\s+source notes / docs: ", shown, re.M)
        assert shown.endswith("0 errors, 0 warnings\n")


VARIABLES = {
    "PGSERVICE": "other",
    "PGHOST": "203.0.113.5",
    "PGHOSTADDR": "203.0.113.5",
    "PGPORT": "1",
    "PGDATABASE": "other",
    "PGSSLMODE": "verify-full",
    "PGSSLROOTCERT": "/nowhere",
    "PGTARGETSESSIONATTRS": "standby",
    "PGREQUIREAUTH": "scram-sha-256",
    "PGOPTIONS": "-c search_path=elsewhere",
    "PGCLIENTENCODING": "LATIN1",
}


def test_libpqs_own_variables_change_nothing(clinic, capsys, monkeypatch):
    """A variable of somebody's shell would lead to another server, or shut this one out."""
    file = clinic.catalog(clinic.patient())
    for command in (
        ["doctor", "--catalog", str(file)],
        ["retrieve", "notes", "a word", "--catalog", str(file)],
        ["draft", f"env:{SECRET}", "--schema", SCHEMA],
    ):
        for name, value in VARIABLES.items():
            monkeypatch.setenv(name, value)
        assert main(command) == 0
    assert "Note 1" in capsys.readouterr().out


@pytest.mark.parametrize(("type", "wrong"), [("float8", True), ("float4", True), ("bigint", False)])
def test_callers_are_not_told_apart_by_floats(clinic, capsys, type, wrong):
    """Tenant 9007199254740993 would read the rows of tenant 9007199254740992."""
    table = clinic.patient()
    clinic.run(f"ALTER TABLE {SCHEMA}.{table} ADD COLUMN owner {type}")
    rule = 'record_filter = [{ column = "owner", claim = "team", type = "number" }]'
    _, findings = told(capsys, clinic.catalog(table, more=rule))
    assert faults(findings) == (["COLUMN_TYPE"] if wrong else [])
