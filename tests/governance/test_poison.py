"""Rows of esra's own tables that somebody else has written."""

import pytest

from esra.domain.codes import AuditEvent
from esra.governance.cache import SharedSelections, selection_key
from esra.stages.scope import resolve_scope
from esra.stages.select import brief_selection
from tests.governance.desk import IDS, Desk, chosen, offer, settle
from tests.house import call

SECRET = b"a key by reference, 32 bytes and more"
POISON = {
    "nothing": "''",
    "garbage": "'\\xff00ff'",
    "another choice": "substr(value, 1, 32) || convert_to('{\"sources\":[\"law\"]}', 'UTF8')",
    "an empty choice": "substr(value, 1, 32) || convert_to('{\"sources\":[]}', 'UTF8')",
    "another row's": "(SELECT value FROM esra_own.selections ORDER BY kept DESC LIMIT 1)",
    "a megabyte": "convert_to(repeat('x', 1000000), 'UTF8')",
}


@pytest.mark.parametrize("poison", POISON.values(), ids=POISON)
def test_a_row_that_was_written_without_the_key_is_no_row(opened, owner, poison):
    """Else whoever can write into the table would choose sources, or switch all of them off."""
    store = opened()
    answers = iter(['{"sources": ["hr"]}', '{"sources": ["tax"]}', '{"sources": ["hr"]}'])
    desk = Desk(SharedSelections(store, SECRET), lambda brief: next(answers))
    desk.ask("first")
    desk.ask("second")
    settle(store)
    owner.execute(
        f"UPDATE esra_own.selections SET value = {poison}"
        " WHERE entry = (SELECT entry FROM esra_own.selections ORDER BY kept LIMIT 1)"
    )
    assert chosen(desk.ask("first")) == ["must", "hr"]
    assert desk.calls == 3


@pytest.mark.parametrize("planted", [("payroll", "must"), ("hr", "payroll"), ("law", 7), 7])
def test_even_a_sealed_row_cannot_go_beyond_the_offer(opened, planted):
    """Else whoever has the key as well could reach a source, or stop every answer."""
    scope = resolve_scope(call(), offer(*IDS)).value
    brief = brief_selection(call("Wing flutter"), scope.sources[1:])
    cache = SharedSelections(opened(), SECRET)
    key = selection_key(call(), scope.version, brief, "scripted")
    cache.put(key, ("law",))
    assert chosen(Desk(cache).ask()) == ["must", "law"], "the key is the stage's"
    cache.put(key, planted)
    desk = Desk(cache)
    outcome = desk.ask()
    assert (chosen(outcome), desk.calls) == (["must", "hr"], 1)
    assert [fact.event for fact in outcome.facts] == [AuditEvent.SOURCES_SELECT]
