"""The selection cache: what hits, what misses, what is never kept."""

import asyncio
import unicodedata
from dataclasses import replace

import pytest

from esra.config.apply import apply_tuned
from esra.domain.capability import SelectForm
from esra.domain.codes import AuditEvent, WarningCode
from esra.domain.invocation import Caller, Identity, Retention
from esra.governance.cache import (
    MemorySelections,
    SelectionKey,
)
from esra.governance.clock import StillClock
from esra.llm.scripted import Scripted
from esra.ports import Trouble
from eval import publish
from tests.claimed import claim_of
from tests.governance.desk import IDS, Desk, chosen, offer
from tests.house import ask, house

KEY = SelectionKey(tenant="t", exposure="ask", prompt="p", version="v", candidates="c")


class Hand(StillClock):
    """A clock that a test moves."""

    def __init__(self):
        super().__init__()
        self.at = 0.0

    def monotonic(self):
        return self.at


class Spy(MemorySelections):
    """Counts what is read and keeps what is written."""

    def __init__(self):
        super().__init__(StillClock())
        self.read, self.written = [], []

    async def get(self, key):
        self.read.append(key)
        return await super().get(key)

    def put(self, key, ids):
        self.written.append((key, ids))
        super().put(key, ids)


def caller(tenant="t", **more):
    return Caller(tenant=tenant, subject="s", identity=Identity.LOCAL, **more)


@pytest.fixture
def desk():
    return Desk(Spy())


@pytest.mark.req("E041")
def test_an_equal_question_asks_no_model_and_has_the_same_sources(desk):
    """Else every repetition would pay for a model call."""
    first, second = desk.ask(), desk.ask()
    assert desk.calls == 1
    assert chosen(first) == chosen(second) == ["must", "hr"]
    (select,) = second.facts
    assert select.event is AuditEvent.SOURCES_SELECT
    assert dict(select.values)["calls"] == 0
    assert second.warnings == ()


@pytest.mark.req("E041", "E047")
@pytest.mark.parametrize(("retention", "calls"), [("full", 1), ("keyed_hash", 1), ("none", 2)])
def test_the_whole_pipeline_asks_once_for_equal_questions(retention, calls):
    """Else the cache would be there and nobody would use it."""
    model = Scripted(lambda brief: '{"sources": ["hr"]}')
    own = house(
        offer(*IDS),
        selectors={"local": model},
        selections=MemorySelections(StillClock()),
        retention=Retention(retention),
    )
    ask(own, "wing flutter")
    ask(own, "Wing  FLUTTER")
    assert len(model.seen) == calls


@pytest.mark.parametrize(("form", "calls"), [("model", 1), ("local", 1), ("statistics", 2)])
def test_only_a_model_s_choice_is_remembered(desk, form, calls):
    """Else counts that have changed since would not count."""
    for _ in range(2):
        desk.ask(known=offer(*IDS, form=SelectForm(form)))
    assert desk.calls == calls


@pytest.mark.req("E041")
def test_an_empty_choice_is_remembered_as_a_choice():
    """Else "none of these" would be asked again and again."""
    desk = Desk(Spy(), '{"sources": []}')
    assert chosen(desk.ask()) == chosen(desk.ask()) == ["must"]
    assert desk.calls == 1


VARIANTS = ["wing flutter", "WING FLUTTER", "  Wing\t\n flutter ", "Wing\u00a0\u2003flutter"]


@pytest.mark.req("E042")
@pytest.mark.parametrize("other", VARIANTS)
def test_case_and_white_space_make_no_new_question(desk, other):
    """Else a shift key would cost a model call."""
    desk.ask("Wing flutter")
    desk.ask(other)
    assert desk.calls == 1


@pytest.mark.req("E042")
@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
def test_a_unicode_form_makes_no_new_question(desk, form):
    """Else the same sentence typed on another system would be another question."""
    prompt = "Große Ångström \ufb01ne \uff37\uff49\uff44\uff45 \u1e9b\u0323 İstanbul"
    desk.ask(prompt)
    desk.ask(unicodedata.normalize(form, prompt))
    assert desk.calls == 1


@pytest.mark.req("E042")
@pytest.mark.parametrize("other", ["wing flatter", "wingflutter", "flutter wing", "wing flutter?"])
def test_a_changed_word_is_a_new_question(desk, other):
    """Else one question would be answered with another's sources."""
    desk.ask("wing flutter")
    desk.ask(other)
    assert desk.calls == 2


@pytest.mark.req("E043")
def test_another_exposure_asks_again(desk):
    """Else one tool's choice would steer another's."""
    desk.ask(known=offer(*IDS, exposure="ask"))
    desk.ask(known=offer(*IDS, exposure="search"))
    assert desk.calls == 2


@pytest.mark.req("E044")
def test_a_newly_tuned_configuration_asks_again(desk, tmp_path):
    """Else yesterday's configuration would go on choosing today."""
    models = {"select": "scripted", "plan": "", "rerank": ""}

    def ask():
        desk.ask(known=apply_tuned(offer(*IDS), tmp_path, {"cap": models}).catalog)

    ask()
    ask()
    assert desk.calls == 1
    publish.promote(tmp_path / "cap", claim_of("cap", 100, models, "d"), {})
    ask()
    assert desk.calls == 2


CHANGED_OFFERS = {
    "unhealthy": offer(*IDS, unhealthy=("tax",)),
    "newly authorized": offer(*IDS, "board"),
    "described anew": offer(*IDS, hr="describes something else"),
}


@pytest.mark.req("E045")
@pytest.mark.parametrize("known", CHANGED_OFFERS.values(), ids=CHANGED_OFFERS)
def test_another_set_of_candidates_asks_again(desk, known):
    """Else a new source would not be chosen until the old choice is forgotten."""
    desk.ask()
    desk.ask(known=known)
    assert desk.calls == 2


@pytest.mark.req("E045")
def test_a_caller_with_fewer_rights_is_not_answered_from_a_wider_choice(desk):
    """Else a cache would hand on what an authorization withholds."""
    desk.ask()
    outcome = desk.ask(caller=caller(sources=frozenset({"must", "law"})))
    assert desk.calls == 2
    assert chosen(outcome) == ["must"]


def test_another_model_asks_again(desk):
    """Else a better model would repeat what the old one chose."""
    desk.ask()
    other = Desk(desk.cache, identity="newer")
    other.ask()
    assert other.calls == 1


@pytest.mark.req("E046")
def test_another_tenant_misses(desk):
    """Else one tenant could tell what another has asked."""
    desk.ask(caller=caller("one"))
    desk.ask(caller=caller("two"))
    assert desk.calls == 2
    assert len(desk.cache._kept) == 2, "each has a storage key of its own"


@pytest.mark.req("E047")
@pytest.mark.parametrize("retention", Retention)
def test_nothing_is_read_or_written_where_retention_forbids_it(desk, retention):
    """Else a trace of a prompt would stay where none may."""
    desk.ask(retention=retention)
    desk.ask(retention=retention)
    kept = retention in (Retention.FULL, Retention.KEYED_HASH)
    assert desk.calls == (1 if kept else 2)
    assert (len(desk.cache.read), len(desk.cache.written)) == ((2, 1) if kept else (0, 0))


def fails(brief):
    raise Trouble("down")


@pytest.mark.parametrize("answer", [fails, "<html>", '{"sources": "hr"}', '{"sources": [1]}', ""])
def test_a_fallback_is_never_remembered(answer):
    """Else one bad minute of a model would degrade an hour of answers."""
    desk = Desk(Spy(), answer)
    for _ in range(2):
        assert [warning.code for warning in desk.ask().warnings] == [WarningCode.SELECTION_FALLBACK]
    assert desk.calls == 2
    assert desk.cache.written == []


def test_only_ids_that_were_offered_are_kept():
    """Else a model's invention would lie in wait for a source of that name."""
    desk = Desk(Spy(), '{"sources": ["payroll-secret", "law", "must", "HR"]}')
    desk.ask()
    assert [ids for _, ids in desk.cache.written] == [("law",)]


@pytest.mark.parametrize("planted", [("payroll",), ("hr", "must"), ("hr", "HR"), ("",)])
def test_a_planted_choice_beyond_the_offer_is_ignored(desk, planted):
    """Else whoever writes into a cache would choose sources."""
    desk.ask()
    ((key, _),) = desk.cache.written
    MemorySelections.put(desk.cache, key, planted)
    assert chosen(desk.ask()) == ["must", "hr"]
    assert desk.calls == 2


def test_no_word_of_a_prompt_is_kept(desk):
    """Else the cache would be a diary of what was asked."""
    desk.ask("zanzibar quagga")
    assert "zanzibar" not in repr(desk.cache._kept)


def test_a_choice_is_forgotten_in_time_and_the_least_used_first():
    """Else memory would grow for ever and an old choice would never be made anew."""
    clock = Hand()
    cache = MemorySelections(clock, ttl=10, most=2)
    a, b, c = (replace(KEY, prompt=name) for name in "abc")

    def get(key):
        return asyncio.run(cache.get(key))

    cache.put(a, ("x",))
    cache.put(b, ("y",))
    assert get(a) == ("x",)
    cache.put(c, ())
    assert (get(a), get(b), get(c)) == (("x",), None, ())
    clock.at = 9.9
    assert get(a) == ("x",)
    clock.at = 10.0
    assert (get(a), len(cache._kept)) == (None, 1)
