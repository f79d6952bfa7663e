"""Each cause made to happen in a real pipeline over real engines, and told as that and no other."""

import json
import random
from dataclasses import replace

import pytest

from esra.domain.capability import Forms, PlanForm, RerankForm, SelectForm
from esra.domain.source import Field, Limits, Masking, RowRule
from esra.llm.scripted import Scripted
from eval.misses import Cause, Known, cause, misses
from eval.misses.known import read, silence, write
from tests.house import scoring
from tests.misses.shelf import BETTER, RIGHT, STOCK, Memory, Postgres, Scene, doc, play

HERE = ("news", "right")


@pytest.fixture(scope="module")
def postgres(database):
    made = Postgres(database)
    yield made
    made.owner.close()


@pytest.fixture(params=["postgres", "memory"])
def engine(request):
    return request.getfixturevalue("postgres") if request.param == "postgres" else Memory()


def told(engine, scene, *, k=10, key="right", ask=True, as_of=None):
    """The cause, from the trace and what the engines said; the table has that row and no other."""
    trace, known = play(engine, scene, key, as_of=as_of)
    known = known if ask else Known()
    record = ("news", key)
    found = cause(trace, "q", record, k, known)
    rows = misses({"q": trace}, {"q": {record: 1}}, k, known).rows
    assert [(row.cause, row.lost, row.queries) for row in rows] == (
        [] if found is None else [(found, 1, 1)]
    )
    return found


def chosen(*sources):
    return Scripted(lambda brief: json.dumps({"sources": sources}))


def planned(**query):
    one = {"mapping": "docs", "strategy": "keyword", "optional": ["wing"], **query}
    return Scripted(lambda brief: json.dumps({"queries": [one]}))


def scored(*titles):
    """A reranker that scores those of the titles it is shown, and leaves the others out."""

    def answer(brief):
        shown = [one for one in brief.candidates if one.title in titles]
        return json.dumps({"scores": [{"resultId": one.resultId, "score": 0.5} for one in shown]})

    return Scripted(answer)


FEW = Limits(rows=2)
RERANKED = Forms(rerank=RerankForm.MODEL)
ALL = tuple(f"about {one.key}" for one in STOCK)
COLOUR = Field(name="colour", column="colour", returnable=True, masking=Masking.ALL)
OPEN = Field(name="title", column="name", returnable=True)


def scenes():
    """(cause, what differs from an answer that shows the document, k)."""
    plain, reranked = {}, {"capability": {"forms": RERANKED}}
    return [
        (None, plain, 10),
        (
            Cause.HIDDEN,
            {"mapping": {"record_filter": ((RowRule(column="colour", value="blue"),),)}},
            10,
        ),
        (
            Cause.HIDDEN,
            {"mapping": {"record_filter": ((RowRule(column="colour", claim="team"),),)}},
            10,
        ),
        (Cause.NOT_IN_SCOPE, {"exposure": {"sources": frozenset({"wiki"})}}, 10),
        (Cause.NOT_IN_SCOPE, {"source": {"healthy": False}}, 10),
        (
            Cause.NOT_SELECTED,
            {
                "capability": {"forms": Forms(select=SelectForm.MODEL)},
                "models": {"selectors": {"model": chosen("wiki")}},
            },
            10,
        ),
        (Cause.NOT_PLANNED, {"capability": {"scoring": scoring(own={"news": {"ceiling": 0}})}}, 10),
        (
            Cause.REJECTED,
            {
                "capability": {"forms": Forms(plan=PlanForm.MODEL)},
                "models": {
                    "planners": {
                        "model": planned(filters=[{"field": "no", "operator": "eq", "value": 1}])
                    }
                },
            },
            10,
        ),
        (Cause.NO_TERM_MATCHED, {"question": "solar eclipse"}, 10),
        (Cause.NO_TERM_MATCHED, {"question": "flutter", "source": {"limits": FEW}}, 10),
        (Cause.BELOW_ROW_CAP, {"source": {"limits": FEW}}, 10),
        (
            Cause.MERGED_AWAY,
            {"capability": {"scoring": scoring(own={"news": {"native_floor": 1e6}})}},
            10,
        ),
        (
            Cause.NOT_ASKED,
            {
                "capability": {"forms": RERANKED, "scoring": scoring(shortlist=1)},
                "models": {"rerankers": {"model": scored(*ALL)}},
            },
            1,
        ),
        (Cause.OMITTED, {**reranked, "models": {"rerankers": {"model": scored(*ALL[1:])}}}, 1),
        (Cause.BELOW_K, {**reranked, "models": {"rerankers": {"model": scored(*ALL)}}}, 1),
        (Cause.BELOW_K, plain, 3),
        (Cause.CUT_BY_LIMIT, {"exposure": {"limits": Limits(results=3)}}, 4),
        (Cause.CUT_BY_SIZE, {"exposure": {"limits": Limits(size=520)}}, 4),
        (Cause.MASKED, {"mapping": {"fields": (COLOUR,)}}, 10),
        (None, {"mapping": {"fields": (COLOUR, OPEN)}}, 10),
    ]


@pytest.mark.req("W57")
@pytest.mark.parametrize(
    ("expected", "changes", "k"), scenes(), ids=lambda value: str(value)[:24].replace(" ", "-")
)
def test_the_pipeline_loses_it_and_the_table_says_where(engine, expected, changes, k):
    """An engineer would mend a stage that lost nothing."""
    scene = Scene(relation=engine.stock(STOCK), **changes)
    assert told(engine, scene, k=k) is expected


def test_a_key_that_is_nowhere_is_no_fault_of_a_stage(engine):
    """Judgements of another edition of a collection would read as a planner that finds nothing."""
    assert told(engine, Scene(relation=engine.stock(STOCK)), key="gone") is Cause.ABSENT


def test_a_source_that_fails(engine):
    """A table that somebody renamed would read as a question without a match."""
    gone = replace(engine.stock(STOCK), table="nowhere")
    assert told(engine, Scene(relation=gone)) is Cause.FAILED


def test_a_source_that_cannot_say_what_it_holds_is_named(engine, tmp_path):
    """What is hidden in a table too large to look through would read as a question without a match,
    and nobody would know that it is not known."""
    relation = engine.stock(STOCK)
    assert not play(engine, Scene(relation=relation), "right")[1].silent
    gone = replace(relation, table="nowhere")
    known = play(engine, Scene(relation=gone), "right")[1]
    assert known.silent == {"news"}
    write(tmp_path, known)
    assert read(tmp_path) == known
    assert silence(known) == "news could not say which right documents there are, hidden or not"


@pytest.mark.parametrize("bound", ["command", "invocation"])
def test_a_source_that_is_too_slow(postgres, bound):
    """A slow disk would read as a source that is down, or as a question without a match."""
    slow = postgres.slow(postgres.stock(STOCK), 0.4)
    fields = (replace(COLOUR, masking=Masking.NONE),)  # so that the column is read
    changes = {"command": {"source": {"limits": Limits(seconds=0.2)}}, "invocation": {}}[bound]
    seconds = 0.6 if bound == "invocation" else 300.0
    scene = Scene(relation=slow, mapping={"fields": fields}, seconds=seconds, **changes)
    assert told(postgres, scene) is Cause.PAST_DEADLINE


def test_what_nobody_looked_into_is_not_guessed(engine):
    """Every document behind a filled row cap would count as found, were its cap but wider."""
    scene = Scene(relation=engine.stock(STOCK), source={"limits": FEW})
    assert told(engine, scene, ask=False) is Cause.NOT_KNOWN


def test_a_plan_that_was_not_kept_is_not_replaced_by_another(engine):
    """What another plan finds would be told of the recorded one."""
    # Both sources are planned for when it is recorded, and one of them when it is asked again.
    asked = iter([("keyword",), ("keyword",), ("keyword", "synonym")])

    def plan(brief):
        rows = [{"mapping": "docs", "strategy": s, "optional": ["wing"]} for s in next(asked)]
        return json.dumps({"queries": rows})

    scene = Scene(
        relation=engine.stock(STOCK),
        source={"limits": FEW},
        capability={"forms": Forms(plan=PlanForm.MODEL)},
        models={"planners": {"model": Scripted(plan)}},
    )
    assert told(engine, scene) is Cause.NOT_KNOWN


def test_many_right_documents_behind_one_cap_are_all_looked_for(engine):
    """Of more than a cap holds, the engine would say nothing of the rest."""
    many = [doc(f"r{n:02}", "a wing in a jet") for n in range(9)]
    lost = [doc(f"n{n:02}", "boundary layer") for n in range(4)]
    shut = [doc("shut", "a wing in a jet", colour="blue")]
    scene = Scene(
        relation=engine.stock([*BETTER, *many, *lost, *shut]),
        source={"limits": FEW},
        mapping={"record_filter": ((RowRule(column="colour", value="red"),),)},
    )
    trace, known = play(engine, scene, *(one.key for one in (*BETTER, *many, *lost, *shut)))
    found = {row[1] for answer in trace["answers"] for row in answer["rows"]}
    assert len(found) == FEW.rows
    many += [one for one in BETTER if one.key not in found]
    assert known.hidden == {("news", "shut")}
    assert known.matched["q"] == {("news", one.key) for one in many}
    assert known.unmatched["q"] == {("news", one.key) for one in lost}
    assert not known.absent
    assert known.sought >= known.hidden | known.matched["q"] | known.unmatched["q"]


def test_what_was_taken_out_as_of_a_date_matched_all_the_same(engine):
    """News of the day after would read as a question whose words are wrong."""
    late = replace(RIGHT, timestamp=86_400.0)
    relation = engine.stock([late, *BETTER])
    for capped in (Limits(), FEW):
        scene = Scene(relation=relation, source={"limits": capped})
        assert told(engine, scene, as_of=43_200.0) is Cause.LATER
        assert told(engine, scene, as_of=90_000.0) in (None, Cause.BELOW_ROW_CAP)


@pytest.mark.parametrize("seed", range(40))
def test_what_an_answer_leaves_out_is_its_limits_or_its_sizes(seed):
    """Somebody would raise the wrong one of the two, and see nothing change."""
    dice, engine = random.Random(seed), Memory()
    lengths = [dice.randint(0, 120) for _ in range(8)]
    stock = [doc(f"d{n}", f"wing {'x' * length}") for n, length in enumerate(lengths)]
    limit, size = dice.randint(1, 9), dice.randint(150, 2_500)
    bounds = {"limits": Limits(results=limit, size=size)}
    trace, known = play(engine, Scene(relation=engine.stock(stock), exposure=bounds))
    order = [row[2] for row in trace["ranking"]]
    cut = next((n["count"] for n in trace["notices"] if n["code"] == "RESPONSE_TRUNCATED"), 0)
    # A result whose text was shortened is sent, and counts as cut all the same.
    shortened = cut > min(limit, len(order)) - trace["shown"]
    for place, key in enumerate(order):
        found = cause(trace, "q", ("news", key), 10, known)
        if place < trace["shown"]:
            assert found is None
        elif place < limit:
            assert found is Cause.CUT_BY_SIZE
        elif place > limit or not shortened:
            assert found is Cause.CUT_BY_LIMIT
