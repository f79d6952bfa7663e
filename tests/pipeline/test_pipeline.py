"""The whole pipeline over a scripted engine and scripted models."""

import asyncio
import itertools
import json
from dataclasses import replace

import pytest

from esra.domain.capability import Forms, PlanForm, Presence, RerankForm, SelectForm
from esra.domain.codes import AuditEvent, ErrorCode, FailureCode, WarningCode
from esra.domain.invocation import Identity, Mode, Retention
from esra.domain.outcome import Failed, Refused
from esra.domain.response import Status
from esra.governance.admission import Admitted, admit
from esra.governance.audit import FileAudit, ListAudit
from esra.governance.clock import StillClock
from esra.llm.scripted import Scripted
from esra.pipeline import retrieve
from esra.ports import AuditUnavailable, Trouble
from tests.house import FakeEngine, ask, catalog, hit, house, request, scoring, source

HITS = {
    "news": ([hit("a", 1.0), hit("b", 3.0), hit("c", 2.0)], [hit("a", 9.0), hit("d", 4.0)]),
    "law": ([hit("x", 0.5, source="law"), hit("y", 0.9, source="law")],),
}
MODELS = Forms(select=SelectForm.MODEL, plan=PlanForm.MODEL, rerank=RerankForm.MODEL)


class FullDisk(ListAudit):
    """Takes ``first`` writes and no more."""

    def __init__(self, first: int) -> None:
        super().__init__()
        self.left = first

    def write(self, records):
        if not self.left:
            raise AuditUnavailable("full")
        self.left -= 1
        super().write(records)


def clever(brief) -> str:
    """A model that chooses everything, plans one keyword query and prefers titles with an x."""
    match type(brief).__name__:
        case "SelectBrief":
            return json.dumps({"sources": [c.id for c in brief.candidates]})
        case "PlanBrief":
            row = {"mapping": "docs", "strategy": "keyword", "optional": ["wing"]}
            return json.dumps({"queries": [row]})
    rows = [
        {"resultId": c.resultId, "score": 1.0 if "x" in c.title else 0.0} for c in brief.candidates
    ]
    return json.dumps({"scores": rows})


def modelled(model, **more):
    known = catalog(source("news"), source("law"), forms=MODELS)
    ports = {"selectors": {"model": model}, "planners": {"model": model}}
    return house(known, HITS, **ports, rerankers={"model": model}, **more)


def two(**more):
    return house(catalog(source("news"), source("law"), **more), HITS)


def test_without_a_model_the_answer_is_the_weighted_order_by_hand():
    """Else the thinnest form of the pipeline would order wrongly."""
    response = ask(two())
    # news: a 0 and 1 (two queries, +.02), b 1, c .5, d 0; law: x 0, y 1
    got = [(r.title, r.score) for r in response.results]
    assert got == [
        ("title a", 1.02),
        ("title y", 1.0),
        ("title b", 1.0),
        ("title c", 0.5),
        ("title x", 0.0),
        ("title d", 0.0),
    ]
    assert response.status is Status.COMPLETE


def test_a_scripted_model_runs_all_three_steps_through_the_same_ports():
    """Else the ports would fit only the adapters they were written with."""
    model = Scripted(clever)
    response = ask(modelled(model))
    kinds = [type(brief).__name__ for brief in model.seen]
    assert kinds == ["SelectBrief", "PlanBrief", "PlanBrief", "RerankBrief"]
    assert response.results[0].title == "title x"
    assert response.status is Status.COMPLETE


@pytest.mark.req("E004", "E005")
def test_if_the_audit_record_cannot_be_written_nothing_runs():
    """Else something would have been searched without a record of it."""
    engine = FakeEngine(HITS)
    own = house(catalog(), engine=engine, audit=FullDisk(0))
    with pytest.raises(Refused) as refused:
        ask(own)
    assert refused.value.code is ErrorCode.AUDIT_UNAVAILABLE
    assert engine.ran == []


def test_if_the_end_record_cannot_be_written_the_answer_is_withheld():
    """Else an answer would be out whose stages nobody can look up (RULINGS 26)."""
    with pytest.raises(Refused) as refused:
        ask(house(catalog(), HITS, audit=FullDisk(1)))
    assert refused.value.code is ErrorCode.AUDIT_UNAVAILABLE


@pytest.mark.req("E019")
def test_every_invocation_has_one_begin_one_scope_and_one_end_record_with_a_local_identity():
    """Else the audit would not tell what one call did, or who it was."""
    audit = ListAudit()
    ask(house(catalog(), HITS, audit=audit))
    events = [record["event"] for record in audit.records]
    assert events[0] == AuditEvent.INVOCATION_BEGIN
    assert events[-1] == AuditEvent.INVOCATION_END
    assert events.count(AuditEvent.SOURCES_RESOLVE) == 1
    assert len({record["invocation"] for record in audit.records}) == 1
    assert {record["identity"] for record in audit.records} == {Identity.LOCAL.value}


@pytest.mark.req("E014", "E020", "E021")
def test_an_empty_scope_asks_no_model_and_runs_nothing_and_is_audited():
    """Else a caller without sources would still cost model calls."""
    model, audit = Scripted(clever), ListAudit()
    own = modelled(model, audit=audit)
    nobody = replace(request().caller, sources=frozenset())
    with pytest.raises(Refused) as refused:
        ask(own, caller=nobody)
    assert refused.value.code is ErrorCode.NO_SOURCES_AVAILABLE
    assert (model.seen, own.providers["fake"].ran) == ([], [])
    assert AuditEvent.SOURCES_RESOLVE in [record["event"] for record in audit.records]
    assert audit.records[-1]["error"] == ErrorCode.NO_SOURCES_AVAILABLE


@pytest.mark.req("E012")
def test_a_result_outside_the_lexical_top_is_found_by_its_meaning():
    """Else top-K would have been taken before reranking."""
    many = {"news": ([hit(f"{n:02}", float(n)) for n in range(20)],)}
    known = catalog(forms=Forms(rerank=RerankForm.MODEL))
    best = Scripted(
        lambda b: json.dumps(
            [{"resultId": c.resultId, "score": float(c.title == "title 00")} for c in b.candidates]
        )
    )
    own = house(known, many, rerankers={"model": best})
    assert ask(own, limit=1).results[0].title == "title 00"


@pytest.mark.req("E086")
def test_sources_are_searched_side_by_side():
    """Else the wait would be the sum of the sources and not the slowest."""
    engine = FakeEngine(HITS, delay=lambda source: 0.2)
    known = catalog(*(source(f"s{n}") for n in range(4)))
    loop_time = asyncio.run(_timed(house(known, engine=engine)))
    assert len(engine.ran) == 8
    assert loop_time < 0.7


async def _timed(own) -> float:
    loop = asyncio.get_running_loop()
    started = loop.time()
    await retrieve(admit(request(), own), own)
    return loop.time() - started


def test_a_failed_source_warns_with_its_code_and_the_others_answer():
    """Else one dead database would take the whole answer with it."""
    script = {**HITS, "law": (Failed(code=FailureCode.CONNECTION_REFUSED),)}
    response = ask(house(catalog(source("news"), source("law")), script))
    assert {r.source for r in response.results} == {"news"}
    (warning,) = response.warnings
    assert (warning.code, warning.source) == (WarningCode.SOURCE_FAILED, "law")
    assert warning.detail == "CONNECTION_REFUSED"
    assert response.status is Status.DEGRADED


@pytest.mark.req("E164")
@pytest.mark.parametrize("broken", list(itertools.product([0, 1], repeat=4)))
def test_degraded_exactly_when_something_was_lost(broken):
    """Else a partial answer would pass for a whole one, or a whole one for partial."""
    select, plan, rerank, engine = broken

    def answer(brief):
        name = type(brief).__name__
        lost = {"SelectBrief": select, "PlanBrief": plan, "RerankBrief": rerank}[name]
        if lost:
            raise Trouble("down")
        return clever(brief)

    script = {**HITS, "law": (Failed(code=FailureCode.TIMEOUT),)} if engine else HITS
    known = catalog(
        source("news"), source("law"), forms=MODELS, presence={"law": Presence.MANDATORY}
    )
    model = Scripted(answer)
    own = house(
        known,
        script,
        selectors={"model": model},
        planners={"model": model},
        rerankers={"model": model},
    )
    response = ask(own)
    asked_to_rerank = not (engine and select)  # nothing was found, so nobody is asked
    expected = [WarningCode.SELECTION_FALLBACK for _ in range(select)] + [
        WarningCode.PLANNING_FALLBACK for _ in range(plan * (2 - select))
    ]
    expected += [WarningCode.SOURCE_FAILED for _ in range(engine)]
    expected += [WarningCode.RERANK_FALLBACK for _ in range(rerank and asked_to_rerank)]
    assert [warning.code for warning in response.warnings] == expected
    assert (response.status is Status.DEGRADED) is bool(expected)


@pytest.mark.parametrize("seed", range(6))
def test_sources_finishing_in_any_order_give_the_same_answer(seed):
    """Else a slow network would reorder results (RULINGS 46)."""
    names = ["a", "b", "c", "d"]
    script = {n: ([hit(f"{n}{i}", float(i), source=n) for i in range(4)],) for n in names}
    order = list(itertools.permutations(names))[seed * 4]
    engine = FakeEngine(script, delay=lambda source: 0.01 * order.index(source))
    response = ask(house(catalog(*(source(n) for n in names)), engine=engine))
    quiet = ask(house(catalog(*(source(n) for n in names)), script))
    assert [(r.title, r.score) for r in response.results] == [
        (r.title, r.score) for r in quiet.results
    ]


@pytest.mark.req("E152")
def test_two_capabilities_may_weigh_meaning_differently():
    """Else tuning one capability would change another."""
    orders = []
    for share in (1.0, 0.0):
        known = catalog(
            source("news"),
            source("law"),
            forms=Forms(rerank=RerankForm.MODEL),
            scoring=scoring(semantic_weight=share, lexical_weight=1 - share),
        )
        response = ask(house(known, HITS, rerankers={"model": Scripted(clever)}))
        orders.append(response.results[0].title)
    assert orders == ["title x", "title a"]


def test_explain_shows_every_factor_and_brief_shows_none():
    """Else a person could not defend a result's place, or native scores would leak."""
    known = catalog(exposure={"modes": frozenset({"brief", "explain"})})
    response = ask(house(known, HITS), mode=Mode.EXPLAIN)
    top = response.results[0].factors
    assert top is not None
    assert [dict(m)["native"] for m in top.matches] == [1.0, 9.0]
    assert (top.bonus, top.weighted, top.semantic_state) == (0.02, 1.02, "not asked")
    assert all(result.factors is None for result in ask(house(known, HITS)).results)


@pytest.mark.parametrize("prompt", ["", "  \n", "a\0b", "a\ud800", "x" * 40_000])
def test_a_prompt_that_is_no_text_is_refused_at_the_door(prompt):
    """Else NUL, surrogates or 40 KB would reach an engine's parser."""
    engine = FakeEngine(HITS)
    with pytest.raises(Refused) as refused:
        ask(house(catalog(), engine=engine), prompt)
    assert refused.value.code is ErrorCode.INVALID_REQUEST
    assert engine.ran == []


@pytest.mark.parametrize("limit", [0, -1, 1001, True, 2.5])
def test_a_limit_that_is_none_is_refused(limit):
    """Else a boolean would be taken for 1."""
    with pytest.raises(Refused, match="whole number"):
        ask(house(catalog(), HITS), limit=limit)


def test_only_governance_makes_an_admitted_call():
    """Else "governed first" would be a convention."""
    with pytest.raises(TypeError, match="governance"):
        Admitted()


@pytest.mark.parametrize(
    ("retention", "kept"),
    [
        (Retention.FULL, "wing flutter"),
        (Retention.REDACTED, "[redacted, 12 characters]"),
        (Retention.NONE, None),
    ],
)
def test_the_audit_keeps_of_a_prompt_what_its_class_allows(retention, kept):
    """Else a prompt would be stored where policy forbids it."""
    audit = ListAudit()
    ask(house(catalog(), HITS, audit=audit, retention=retention))
    assert audit.records[0]["prompt"] == kept


def test_a_hashed_prompt_is_not_in_the_records():
    """Else a keyed hash would come with what it hides."""
    audit = ListAudit()
    ask(house(catalog(), HITS, audit=audit))
    assert audit.records[0]["prompt"].startswith("hmac:")
    assert "flutter" not in json.dumps(audit.records)


def test_the_audit_file_holds_one_line_a_record_whatever_the_text(tmp_path):
    """Else a line break in a prompt would forge a record."""
    audit = FileAudit(tmp_path / "log", tmp_path / "head", lambda: b"k" * 32, StillClock())
    ask(
        house(catalog(), HITS, audit=audit, retention=Retention.FULL),
        'a"\r\n\u2028{"event":"x"}\x1b[2J b',
    )
    (path,) = (tmp_path / "log").iterdir()
    lines = path.read_bytes().splitlines()
    records = [json.loads(line) for line in lines]
    assert [record["event"] for record in records].count("esra.invocation.begin") == 1
    assert all(byte >= 32 for line in lines for byte in line)
    assert path.stat().st_mode & 0o077 == 0


def test_a_prompt_without_a_searchable_word_answers_degraded_and_asks_no_engine():
    """Else "???" would be an error, or a search for everything (B35)."""
    engine = FakeEngine(HITS)
    response = ask(house(catalog(), engine=engine), "?!...")
    assert (response.results, engine.ran) == ((), [])
    assert {warning.code for warning in response.warnings} == {WarningCode.PLAN_REJECTED}
