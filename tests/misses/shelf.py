"""One small shelf in two engines, and a real pipeline over it: question, trace, what is known."""

import asyncio
import itertools
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from unittest import mock

import psycopg

from esra.domain.capability import Capability, Catalog
from esra.domain.source import Mapping, Relation, Source
from esra.governance.audit import ListAudit
from esra.governance.clock import SystemClock
from esra.ports import House
from esra.providers.memory import MemoryProvider, Record
from esra.providers.postgres import PostgresProvider
from eval import record
from eval.misses import Known
from eval.record import CALLER, Question
from eval.recording.as_of import as_of as dated
from eval.recording.engines import Engines
from tests import house as built
from tests.schemas import admit, fresh_schema

SCHEMA, READER = "lost", "lost_reader"
PLAIN = Relation(
    schema=SCHEMA,
    table="docs",
    key="id",
    title="name",
    text="body",
    vector="lexemes",
    timestamp="written",
)
ASKED = "ask"
QUESTION = "wing flutter"
_NUMBERS = itertools.count()


def doc(key: str, text: str, colour: str = "red") -> Record:
    return Record(key=key, title=f"about {key}", text=text, fields={"colour": colour})


RIGHT = doc("right", "a wing near the plate, and its heat and noise and the cone in a jet")
BETTER = [doc(f"better{n}", "wing flutter wing flutter wing flutter") for n in range(3)]
OTHER = doc("other", "boundary layer")
STOCK = (RIGHT, *BETTER, OTHER)


class Memory:
    """Lists in this process."""

    def __init__(self) -> None:
        self._tables: dict[str, tuple[Record, ...]] = {}

    def stock(self, records: Iterable[Record]) -> Relation:
        name = f"docs_{next(_NUMBERS)}"
        self._tables[name] = tuple(records)
        return replace(PLAIN, table=name)

    def provider(self) -> MemoryProvider:
        return MemoryProvider(self._tables)


class Postgres:
    """A schema of its own in a real server, read by a role that only reads."""

    def __init__(self, database) -> None:
        self._database = database
        self.owner = psycopg.connect(database.url, autocommit=True)
        fresh_schema(self.owner, SCHEMA)
        admit(self.owner, SCHEMA, READER)

    def run(self, statement: str, values=None):
        return self.owner.execute(statement, values)

    def stock(self, records: Iterable[Record]) -> Relation:
        name = f"docs_{next(_NUMBERS)}"
        self.run(
            f"CREATE TABLE {SCHEMA}.{name} (id text, name text, body text, lexemes tsvector,"
            " colour text, written timestamptz)"
        )
        for one in records:
            self.run(
                f"INSERT INTO {SCHEMA}.{name} VALUES (%s, %s, %s, to_tsvector('english', %s), %s,"
                " to_timestamp(%s))",
                [
                    *(one.key, one.title, one.text, f"{one.title} {one.text}"),
                    *(one.fields["colour"], one.timestamp),
                ],
            )
        self.run(f"CREATE INDEX ON {SCHEMA}.{name} USING gin (lexemes)")
        return self.offered(name)

    def slow(self, of: Relation, seconds: float) -> Relation:
        """The same rows, each of which takes so long."""
        name = f"slow_{next(_NUMBERS)}"
        self.run(
            f"CREATE VIEW {SCHEMA}.{name} AS SELECT id, name, body, lexemes, written, colour || "
            f"coalesce(pg_sleep({seconds})::text, '') AS colour FROM {SCHEMA}.{of.table}"
        )
        return self.offered(name)

    def offered(self, name: str) -> Relation:
        self.run(f"GRANT SELECT ON {SCHEMA}.{name} TO {READER}")
        return replace(PLAIN, table=name)

    def provider(self) -> PostgresProvider:
        return PostgresProvider(lambda: self._database.as_user(READER))


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A question over the sources ``news``, which holds the shelf, and ``wiki``, which holds none.

    mapping, source, capability, exposure: what differs from the defaults of each
    models: by the pipeline's own names, such as ``planners``
    """

    relation: Relation
    mapping: dict = field(default_factory=dict)
    source: dict = field(default_factory=dict)
    capability: dict = field(default_factory=dict)
    exposure: dict = field(default_factory=dict)
    models: dict = field(default_factory=dict)
    question: str = QUESTION
    seconds: float = record.SECONDS

    def catalog(self, elsewhere: Relation) -> Catalog:
        docs = Mapping(id="docs", name="Docs", description="d", relation=self.relation)
        sources = (
            Source(
                id="news",
                name="news",
                provider="engine",
                mappings=(replace(docs, **self.mapping),),
                **self.source,
            ),
            Source(
                id="wiki",
                name="wiki",
                provider="engine",
                mappings=(replace(docs, relation=elsewhere),),
            ),
        )
        made = built.catalog(*sources, exposure=self.exposure)
        own: Capability = replace(made.capabilities[0], **self.capability)
        return replace(made, capabilities=(own,))


def play(engine, scene: Scene, *right: str, as_of: float | None = None) -> tuple[dict, Known]:
    """The trace of the question, and what the engines say of these documents of ``news``.

    as_of: the question's date, later than which nothing is to be found; None: it has none
    """
    house = housed(engine, scene)
    question = Question(id="q", text=scene.question, now=as_of)

    async def go():
        try:
            trace = await asked(question, dated(house, question), scene.seconds)
            engines = Engines(
                house=house, exposure=ASKED, planners=house.planners, as_of=as_of is not None
            )
            judged = {"q": {("news", key): 1 for key in right}}
            return trace, await engines.look([question], {"q": trace}, judged)
        finally:
            await house.providers["engine"].close()

    return asyncio.run(go())


def housed(engine, scene: Scene) -> House:
    catalog = scene.catalog(engine.stock([OTHER]))
    return House(
        catalog=catalog,
        providers={"engine": engine.provider()},  # reads its lists once
        audit=ListAudit(),
        clock=SystemClock(),
        **scene.models,
    )


async def asked(question: Question, house: House, seconds: float) -> dict:
    with mock.patch.object(record, "SECONDS", seconds):
        return await record.answer(question, ASKED, house, CALLER)
