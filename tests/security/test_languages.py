"""docs/languages.md is true: each row of its tables, on a real server and in memory."""

import re
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from esra.domain.capability import PlanForm
from esra.domain.codes import RejectReason, WarningCode
from esra.providers.memory import MemoryProvider
from esra.sources.relation import search_text
from tests.providers.queries import record
from tests.security.whole import asked, titles, whole

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "languages.md").read_text("utf-8")
ROW = re.compile(r"^\| `(.+)` \| `(.+)` \| (yes|no|stop|stem) \|$", re.MULTILINE)
ESCAPE = re.compile(r"\\u([0-9a-f]{4})|\\U([0-9a-f]{8})")
# Whether a row's word brings its document: PostgreSQL under `english`, under `simple`, memory.
FOUND = {
    "yes": (True, True, True),
    "no": (False, False, False),
    "stop": (False, True, True),
    "stem": (True, False, False),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    written: str
    asked: str
    found: str


def rows(page: str) -> list[Row]:
    return [
        Row(written=_plain(written), asked=_plain(question), found=found)
        for written, question, found in ROW.findall(page)
    ]


def _plain(text: str) -> str:
    return ESCAPE.sub(lambda found: chr(int(found[1] or found[2], 16)), text)


ROWS = rows(PAGE)
# A title that no question asks for says which row a result is of.
RECORDS = [record(str(n), row.written, title=f"row{n}x") for n, row in enumerate(ROWS)]


def hits(provider, relation) -> list[set[str]]:
    """For each row's question the titles of the documents that it brings."""
    own = whole(provider, relation)
    answers = asked(own, [row.asked for row in ROWS], limit=50)
    return [set(titles(response)) for response, _ in answers]


@pytest.fixture(scope="module")
def found(ground):
    """By engine: PostgreSQL under two languages, and memory."""
    made = {}
    for language in ("english", "simple"):
        relation = ground.stock(RECORDS)
        for one in RECORDS:
            ground.run(
                f"UPDATE shelf.{relation.table} SET lexemes = to_tsvector(%s::regconfig, %s)"
                " WHERE id = %s",
                [language, search_text(one.title, one.text), one.key],
            )
        made[language] = hits(ground.provider, replace(relation, language=language))
    made["memory"] = hits(MemoryProvider({relation.table: RECORDS}), relation)
    return made


def test_the_page_has_the_inputs_that_search_boxes_stumble_over():
    """A table could lose its rows, or its form, and nothing would be tried."""
    assert len(ROWS) == len(re.findall(r"^\| `", PAGE, re.MULTILINE)) > 75
    assert len(re.findall(r"`.*-.*` \|", PAGE)) >= 12
    questions = {row.asked for row in ROWS}
    wanted = (
        "COVID-19", "email", "poseidon-1234", "--error-on-warnings", "O\u2019Neil", "cafe",
        "main.py", "\u58f2\u4e0a", "\U0001f525", "zerowidth", "to be or not to be", "The Who",
    )  # fmt: skip
    assert set(wanted) <= questions


@pytest.mark.parametrize("number", range(len(ROWS)))
def test_a_question_finds_what_the_page_says(found, number):
    """A person would not find what stands there, or be told so falsely."""
    row = ROWS[number]
    engines = ("english", "simple", "memory")
    said = tuple(f"row{number}x" in found[engine][number] for engine in engines)
    assert said == FOUND[row.found], row


def test_memory_and_the_server_find_the_same(found):
    """What was tried in a notebook would not hold in service."""
    both = zip(ROWS, found["simple"], found["memory"], strict=True)
    assert [row for row, server, memory in both if server != memory] == []


STOPS = [row.asked for row in ROWS if row.found == "stop"]
NOTHING = {(WarningCode.PLAN_REJECTED, RejectReason.NO_SEARCHABLE_TERM)}


@pytest.mark.parametrize("plan", [PlanForm.TEMPLATE, PlanForm.LOCAL])
@pytest.mark.parametrize("question", ["\U0001f525 \u2192 !", *STOPS])
def test_a_question_without_a_word_to_look_for_is_turned_down_and_says_so(ground, plan, question):
    """An emoji or "The Who" would be an empty answer without a reason, or with a false one."""
    relation = ground.stock([record("a", "fire")])
    ((response, _),) = asked(whole(ground.provider, relation, plan), [question])
    assert response.results == ()
    assert {(warning.code, warning.detail) for warning in response.warnings} == NOTHING


@pytest.mark.parametrize("question", STOPS)
def test_where_nothing_is_left_out_nothing_is_turned_down(ground, question):
    """A source that could find "The Who" would refuse to look."""
    relation = replace(ground.stock([record("a", "fire")]), language="simple")
    memory = MemoryProvider({relation.table: [record("a", "fire")]})
    for own in (whole(ground.provider, relation), whole(memory, relation)):
        ((response, _),) = asked(own, [question])
        assert response.warnings == ()
