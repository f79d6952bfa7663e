"""A live server with one healthy source, and ways to make it ill. Each patient is a fresh table."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import psycopg

from esra.cli import main
from tests.schemas import admit, fresh_schema

READER, SCHEMA, SECRET = "ward_reader", "ward", "WARD_URL"
_NUMBERS = itertools.count()

CATALOG = """
[providers.main]
engine = "postgres"
url = "{url}"

[[sources]]
id = "notes"
name = "Notes"
provider = "main"

[[sources.mappings]]
id = "docs"
name = "Documents"
schema = "{schema}"
table = "{table}"
key = "{key}"
title = "title"
text = "{text}"
vector = "{vector}"
timestamp = "{timestamp}"
language = "{language}"
fields = [{{ name = "price", column = "{price}", type = "number", returnable = true }}]
{more}

[[capabilities]]
id = "notes"
name = "Notes"
[[capabilities.bindings]]
source = "notes"
presence = "mandatory"

[[exposures]]
slug = "notes"
capability = "notes"
"""


class Clinic:
    def __init__(self, database, folder: Path) -> None:
        self.database = database
        self.folder = folder
        self.owner = psycopg.connect(database.url, autocommit=True)
        fresh_schema(self.owner, SCHEMA)
        self.role(READER)

    def run(self, statement: str, values=None):
        return self.owner.execute(statement, values)

    def role(self, name: str, rights: str = "") -> None:
        admit(self.owner, SCHEMA, name)
        self.run(f"ALTER ROLE {name} {rights or 'NOSUPERUSER'}")

    def patient(self, rows: int = 3) -> str:
        """A healthy table's name."""
        table = f"notes_{next(_NUMBERS)}"
        self.run(
            f"CREATE TABLE {SCHEMA}.{table} (id int PRIMARY KEY, title text, body text, price"
            " numeric, sold boolean, changed timestamptz DEFAULT now(), words tsvector GENERATED"
            " ALWAYS AS (to_tsvector('english', title || ' ' || body)) STORED)"
        )
        self.run(
            f"INSERT INTO {SCHEMA}.{table} (id, title, body)"
            f" SELECT n, 'Note ' || n, 'a word of note' FROM generate_series(1, {rows}) AS n"
        )
        self.run(f"CREATE INDEX {table}_words ON {SCHEMA}.{table} USING gin (words)")
        self.run(f"ANALYZE {SCHEMA}.{table}")
        self.run(f"GRANT SELECT ON {SCHEMA}.{table} TO {READER}")
        return table

    def catalog(self, healthy: str, /, **changed: str) -> Path:
        values = {
            "url": f"env:{SECRET}",
            "schema": SCHEMA,
            "table": healthy,
            "key": "id",
            "text": "body",
            "vector": "words",
            "timestamp": "changed",
            "language": "english",
            "price": "price",
            "more": "",
        }
        file = self.folder / f"{healthy}.toml"
        file.write_text(CATALOG.format(**(values | changed)), "utf-8")
        return file

    def url(self, role: str = READER) -> str:
        return self.database.as_user(role)

    def close(self) -> None:
        self.run(f"DROP SCHEMA {SCHEMA} CASCADE")
        self.owner.close()


def told(capsys, file: Path) -> tuple[int, list[dict]]:
    """The doctor's exit code and what it found; a finding that says all is well counts for none."""
    code = main(["doctor", "--catalog", str(file), "--json"])
    document = json.loads(capsys.readouterr().out)
    findings = [one for one in document["findings"] if one["severity"] != "ok"]
    assert document["healthy"] is (not findings)
    return code, findings


def faults(findings: list[dict]) -> list[str]:
    return [one["fault"] for one in findings]
