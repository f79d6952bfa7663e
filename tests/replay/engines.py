"""Random books in real engines: as lists in memory, and as tables of PostgreSQL."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

import psycopg

from esra.domain.source import Mapping as Searchable
from esra.domain.source import Relation, Source, Vocabulary
from esra.providers.memory import MemoryProvider, Record
from esra.providers.postgres import PostgresProvider
from esra.sources.relation import search_text
from tests.schemas import admit, fresh_schema

SCHEMA, READER = "ceilings", "ceilings_reader"
WORDS = ("wing", "flutter", "engine", "noise", "blade", "stall", "icing", "drag")
# Four ways to ask of each of two shelves: a plan of eight queries.
VOCABULARY = Vocabulary(
    synonyms=tuple((word, (WORDS[at - 1],)) for at, word in enumerate(WORDS)),
    acronyms=tuple((word, (f"{word[0]}x",)) for word in WORDS),
)
NAMES = ("a", "b")
SHELVES = ("books", "notes")


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """Records by table."""

    tables: Mapping[str, tuple[Record, ...]]

    @property
    def sources(self) -> tuple[Source, ...]:
        return tuple(_source(name) for name in NAMES)


def library(seed: int) -> Library:
    """45 records a table, so that a shortlist holds them all; some carry a date."""
    r = random.Random(seed)
    names = [f"{name}_{shelf}" for name in NAMES for shelf in SHELVES]
    return Library(tables={name: tuple(_record(r, name, n) for n in range(45)) for name in names})


def _record(r: random.Random, table: str, number: int) -> Record:
    written = r.choice([None, r.uniform(1e9, 1.7e9)])
    text = " ".join(r.choices((*WORDS, "wx", "fx", "the", "plane"), k=r.randint(3, 20)))
    return Record(key=f"k{number}", title=f"{table} {number}", text=text, timestamp=written)


def _source(name: str) -> Source:
    mappings = tuple(
        Searchable(id=shelf, name=shelf, description="", relation=_relation(f"{name}_{shelf}"))
        for shelf in SHELVES
    )
    return Source(id=name, name=name, provider="own", mappings=mappings, vocabulary=VOCABULARY)


def _relation(table: str) -> Relation:
    return Relation(
        schema=SCHEMA, table=table, key="id", title="name", text="body", vector="lexemes",
        timestamp="written",
    )  # fmt: skip


def in_memory(own: Library) -> MemoryProvider:
    return MemoryProvider(own.tables)


def in_postgres(own: Library, database) -> PostgresProvider:
    """A role that only reads reads them; what lay there before is gone."""
    with psycopg.connect(database.url, autocommit=True) as owner:
        fresh_schema(owner, SCHEMA)
        admit(owner, SCHEMA, READER)
        for table, records in own.tables.items():
            _fill(owner, f"{SCHEMA}.{table}", records)
    return PostgresProvider(lambda: database.as_user(READER))


def _fill(owner: psycopg.Connection, table: str, records: tuple[Record, ...]) -> None:
    owner.execute(
        f"CREATE TABLE {table} (id text, name text, body text, written timestamptz,"
        " lexemes tsvector)"
    )
    with owner.cursor() as cursor:
        cursor.executemany(
            f"INSERT INTO {table} VALUES (%s, %s, %s, %s, to_tsvector('english', %s))",
            [(r.key, r.title, r.text, _time(r), search_text(r.title, r.text)) for r in records],
        )
    owner.execute(f"CREATE INDEX ON {table} USING gin (lexemes)")
    owner.execute(f"GRANT SELECT ON {table} TO {READER}")


def _time(record: Record) -> datetime | None:
    return None if record.timestamp is None else datetime.fromtimestamp(record.timestamp, UTC)
