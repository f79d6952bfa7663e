"""A table in a real PostgreSQL, its catalog, and the two commands that serve it as processes."""

import contextlib
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import psycopg

from tests.schemas import admit, fresh_schema

ROOT = Path(__file__).resolve().parents[2]
SCHEMA, READER = "serve_shelf", "serve_reader"

CATALOG = f"""
[providers.main]
engine = "postgres"
url = "env:TEST_READER"

[[sources]]
id = "shelf"
name = "Shelf"
provider = "main"

[[sources.mappings]]
id = "documents"
name = "Documents"
schema = "{SCHEMA}"
table = "docs"
key = "key"
title = "title"
text = "text"
vector = "vector"

[[capabilities]]
id = "cap"
name = "Cap"

[[capabilities.bindings]]
source = "shelf"
presence = "mandatory"

[[exposures]]
slug = "shelf"
capability = "cap"
"""

FILL = f"""
CREATE TABLE {SCHEMA}.docs (key text, title text, text text, vector tsvector);
INSERT INTO {SCHEMA}.docs
    SELECT n, 'title ' || n, 'the wing flutter of plane ' || n,
           to_tsvector('english', 'the wing flutter of plane ' || n)
    FROM generate_series(1, 20) n;
CREATE INDEX ON {SCHEMA}.docs USING gin (vector);
ANALYZE {SCHEMA}.docs;
GRANT SELECT ON {SCHEMA}.docs TO {READER};
"""


class Shelf:
    """``base`` is the data folder of the processes."""

    def __init__(self, database, base: Path) -> None:
        self.owner = psycopg.connect(database.url, autocommit=True)
        fresh_schema(self.owner, SCHEMA)
        admit(self.owner, SCHEMA, READER)
        self.owner.execute(FILL)
        self.database, self.base = database, base
        self.catalog = base / "shelf.toml"
        self.catalog.write_text(CATALOG, "utf-8")

    @property
    def environment(self) -> dict[str, str]:
        own = {k: v for k, v in os.environ.items() if not k.startswith("ESRA_")}
        reader = self.database.as_user(READER)
        return {**own, "ESRA_HOME": str(self.base), "TEST_READER": reader}

    def command(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "esra", *words, "--catalog", str(self.catalog)]

    @contextlib.contextmanager
    def serving(self, *more: str):
        """(the process, its address) of a running ``esra serve``."""
        said = self.base / "said.txt"
        with said.open("w") as log:
            process = subprocess.Popen(
                self.command("serve", "--port", "0", *more),
                cwd=ROOT,
                env=self.environment,
                stderr=log,
            )
        try:
            yield process, _address(process, said)
        finally:
            process.terminate()
            try:
                process.wait(20)
            finally:
                process.kill()

    @contextlib.contextmanager
    def locked(self):
        """While it lasts every search of the table waits inside the server."""
        with psycopg.connect(self.database.url) as blocking:
            blocking.execute(f"LOCK TABLE {SCHEMA}.docs IN ACCESS EXCLUSIVE MODE")
            yield

    def searching(self) -> bool:
        """Whether a search waits for the locked table in the server now."""
        found = self.owner.execute(
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE usename = %s AND state = 'active' AND wait_event_type = 'Lock'",
            [READER],
        ).fetchone()
        return found[0] > 0

    def settled(self, searching: bool, seconds: float) -> float:
        """Seconds until a search runs, or none does; fails once ``seconds`` are over."""
        started = time.monotonic()
        while self.searching() is not searching:
            assert time.monotonic() - started < seconds, f"a search runs: {not searching}"
            time.sleep(0.02)
        return time.monotonic() - started

    def close(self) -> None:
        self.owner.execute(f"DROP SCHEMA {SCHEMA} CASCADE")
        self.owner.close()


def _address(process, said: Path) -> str:
    end = time.monotonic() + 30
    while time.monotonic() < end:
        if found := re.search(r"listening on (http://[^,;\s]+)", said.read_text()):
            return found.group(1)
        assert process.poll() is None, said.read_text()
        time.sleep(0.05)
    raise AssertionError(f"it did not listen: {said.read_text()}")
