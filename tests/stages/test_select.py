"""Selection: the model chooses among Optional sources and can do nothing else."""

import asyncio
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from esra.briefs import SourceBrief
from esra.domain.capability import Forms, Presence, SelectForm
from esra.domain.codes import AuditEvent, WarningCode
from esra.llm.scripted import Scripted
from esra.ports import Trouble
from esra.reply import Unusable
from esra.stages.scope import resolve_scope
from esra.stages.select import admit_selection, select_sources
from tests.house import call, catalog, source

LOCAL = Forms(select=SelectForm.LOCAL)
PRESENCE = {"must": Presence.MANDATORY, "policy": Presence.FORCED}


def select(answer, *, ids=("must", "policy", "hr", "law"), forms=LOCAL):
    """(chosen ids, the outcome, the model)."""
    sources = [source(id, description=f"describes {id}") for id in ids]
    known = catalog(*sources, presence=PRESENCE, forms=forms)
    model = Scripted(answer if callable(answer) else lambda brief: answer)
    scope = resolve_scope(call(), known).value
    outcome = asyncio.run(select_sources(call(), scope, {"local": model}, 5.0))
    return [scoped.source.id for scoped in outcome.value], outcome, model


@pytest.mark.req("E022", "E023")
def test_mandatory_and_forced_sources_are_searched_whatever_the_model_says():
    """Else a model could switch off what a policy demands."""
    chosen, outcome, _ = select('{"sources": []}')
    assert chosen == ["must", "policy"]
    assert outcome.warnings == ()


@pytest.mark.req("E024", "E025")
def test_the_model_is_sent_the_optional_sources_and_no_word_of_the_others():
    """Else a model would read of sources it has no say in."""
    _, _, model = select('{"sources": ["hr"]}')
    (brief,) = model.seen
    assert [candidate.id for candidate in brief.candidates] == ["hr", "law"]
    assert "must" not in repr(brief)
    assert "policy" not in repr(brief)


@pytest.mark.req("E026")
def test_without_an_optional_source_nobody_is_asked():
    """Else a model call would be paid for nothing."""
    chosen, outcome, model = select("never", ids=("must", "policy"))
    assert (chosen, model.seen, outcome.warnings) == (["must", "policy"], [], ())


@pytest.mark.req("E034")
def test_the_brief_has_no_field_that_could_hold_a_schema_or_a_secret():
    """Else a schema, host or credential could reach a model by accident."""
    assert set(SourceBrief.__dataclass_fields__) == {
        "id", "description", "usage", "exclusions", "tags", "languages", "examples", "freshness",
    }  # fmt: skip
    _, _, model = select('{"sources": []}')
    assert "hidden_" not in repr(model.seen)


@pytest.mark.req("E035", "E036", "E037")
def test_ids_that_were_not_offered_are_dropped_and_audited_one_by_one():
    """Else a model could widen its own reach by naming a source."""
    answer = json.dumps({"sources": ["hr", "payroll", "HR", " hr", "must", "hr", "payroll"]})
    chosen, outcome, _ = select(answer)
    assert chosen == ["must", "policy", "hr"]
    rejected = [f for f in outcome.facts if f.event is AuditEvent.UNKNOWN_SOURCE_REJECTED]
    assert [dict(f.values)["id"] for f in rejected] == ['"payroll"', '"HR"', '" hr"', '"must"']


@pytest.mark.req("E038")
@given(st.one_of(st.text(), st.lists(st.text()).map(json.dumps), st.binary().map(repr)))
def test_no_answer_widens_the_reach(text):
    """Else some text would open a source that was not offered."""
    chosen, _, _ = select(text)
    assert set(chosen) <= {"must", "policy", "hr", "law"}
    assert chosen[:2] == ["must", "policy"]


@pytest.mark.req("E039", "E040")
@pytest.mark.parametrize(
    "text", ["", "hr", "{", "[1]", '{"sources": "hr"}', "NaN", '{"a": 1, "a": 2}']
)
def test_an_unusable_answer_leaves_mandatory_and_forced_with_a_warning(text):
    """Else a broken model would search everything, or nothing, in silence."""
    chosen, outcome, _ = select(text)
    assert chosen == ["must", "policy"]
    assert [warning.code for warning in outcome.warnings] == [WarningCode.SELECTION_FALLBACK]


@pytest.mark.req("E039")
def test_a_model_that_fails_or_is_slow_falls_back():
    """Else a slow model would cost the answer and not its stage."""

    class Slow(Scripted):
        async def select(self, brief):
            await asyncio.sleep(5)

    class Broken(Scripted):
        async def select(self, brief):
            raise Trouble("refused")

    known = catalog(source("must"), source("hr"), presence=PRESENCE, forms=LOCAL)
    scope = resolve_scope(call(), known).value
    for model in (Slow(str), Broken(str)):
        outcome = asyncio.run(select_sources(call(), scope, {"local": model}, 0.01))
        assert [scoped.source.id for scoped in outcome.value] == ["must"]
        assert [warning.code for warning in outcome.warnings] == [WarningCode.SELECTION_FALLBACK]


def test_one_fence_and_one_nesting_are_read_and_no_more():
    """Else the commonest habits of models would cost their answers (B23)."""
    sources = [source("hr"), source("law")]
    scope = resolve_scope(call(), catalog(*sources, forms=LOCAL)).value
    from esra.stages.select import brief_selection

    brief = brief_selection(call(), scope.sources)
    for text in (
        '["hr"]',
        '```json\n{"sources": ["hr"]}\n```',
        '[["hr"]]',
        '[{"sources": ["hr"]}]',
    ):
        assert admit_selection(text, brief) == (frozenset({"hr"}), ())
    for text in ('[[["hr"]]]', 'Sure: ["hr"]', '```\n["hr"]\n``` and more'):
        with pytest.raises(Unusable):
            admit_selection(text, brief)
