"""What is judged without a server: languages, clocks, codes, and how a finding is shown."""

import asyncio

import pytest

from esra.doctor.engine import SKEW, engine_findings, unavailable
from esra.doctor.examine import examine
from esra.doctor.finding import Fault, Finding, Severity, error, healthy, warning
from esra.doctor.show import as_text
from esra.doctor.storage import storage_findings
from esra.domain.capability import Catalog
from esra.domain.codes import FailureCode
from esra.domain.described import Column, Kind, Server, Store, Table
from esra.domain.source import Relation
from tests.providers.queries import RELATION


def server(**told) -> Server:
    return Server(**({"database": "d", "role": "reader", "now": 1000.0} | told))


@pytest.mark.parametrize(
    ("messages", "found"),
    [
        ("C", False),
        ("C.UTF-8", False),
        ("POSIX", False),
        ("en_GB.UTF-8", False),
        ("de_DE.UTF-8", True),
        ("German_Germany.1252", True),
        ("", True),
    ],
)
def test_a_language_that_is_not_english_is_a_warning(messages, found):
    """A failure to connect that cannot be told apart would surprise whoever is on call."""
    findings = list(engine_findings("main", server(messages=messages), 1000.0))
    assert [f.fault for f in findings] == [Fault.MESSAGE_LANGUAGE] * found


@pytest.mark.parametrize(
    ("ours", "words"),
    [
        (1000.0 + SKEW, None),
        (1000.0 - SKEW, None),
        (1060.0, "60 s behind"),
        (940.0, "60 s ahead"),
    ],
)
def test_clocks_that_differ(ours, words):
    """The age of every record would be wrong, and with it what counts as fresh."""
    findings = list(engine_findings("main", server(), ours))
    assert bool(findings) is (words is not None)
    assert all(words in f.text for f in findings)


@pytest.mark.parametrize("code", FailureCode)
def test_every_code_has_words_and_something_to_do(code):
    """An operator would read a code and have to look it up."""
    found = unavailable("main", "env:MAIN_URL", code)
    assert found.severity is Severity.ERROR
    assert code.value in found.text
    assert found.advice
    assert "{" not in found.text + found.advice


def storage(table: Table) -> list[Fault]:
    return [f.fault for f in storage_findings("s", RELATION, table, "reader")]


def table(**told) -> Table:
    own = {"schema": "shelf", "name": "docs", "unique": ("id",)}
    columns = (Column(name="lexemes", type="tsvector"), Column(name="id", type="text"))
    return Table(**(own | {"columns": columns} | told))


def test_what_another_server_keeps_is_not_called_missing():
    """A foreign table would be refused for an index that its own server has."""
    assert storage(table(kind=Kind.FOREIGN)) == [Fault.INDEX_UNSEEN]


def test_each_partition_without_an_index_is_named():
    """Who made the index on one month would think that all months have it."""
    parts = tuple(Store(name=name) for name in ("may", "june"))
    found = list(
        storage_findings("s", RELATION, table(kind=Kind.PARTITIONED, stores=parts), "reader")
    )
    assert [f.fault for f in found] == [Fault.INDEX_MISSING] * 2
    assert ['"may"' in found[0].text, '"june"' in found[1].text] == [True, True]
    assert "CONCURRENTLY" not in found[0].advice


def test_a_finding_is_one_line_whatever_a_name_holds():
    """A name in a database would move the cursor, or look like a finding of its own."""
    evil = 'a"\n\x1b[2Jok      all: fine'
    relation = Relation(schema=evil, table=evil, key="k", title="t", text="b", vector=evil)
    columns = (Column(name=evil, type="tsvector"),)
    bad = Table(schema=evil, name=evil, columns=columns, stores=(Store(name=evil),))
    found = list(storage_findings(f"source {evil}", relation, bad, evil))
    lines = as_text(found).split("\n")
    assert len(lines) == len(found) + 1
    assert all(line.isprintable() for line in lines)
    assert '"a""' in lines[0]


def test_findings_are_counted():
    """Somebody would scroll to learn whether anything is wrong."""
    findings = [error(Fault.COLUMN_TYPE, "a", "b", "c"), warning(Fault.CLOCK_SKEW, "a", "b", "c")]
    shown = as_text([*findings, healthy("a")])
    assert shown.splitlines() == [
        "error   a: b -> c",
        "warning a: b -> c",
        "ok      a: nothing found",
        "1 error, 1 warning",
    ]


def test_a_catalog_without_sources_is_not_healthy():
    """A draft of an empty database would pass as something that can be searched."""
    empty = Catalog(sources=(), capabilities=(), exposures=(), version="v")
    found: tuple[Finding, ...] = asyncio.run(examine(empty, (), {}, lambda: 0.0))
    assert [f.fault for f in found] == [Fault.NOTHING_TO_SEARCH]
