"""The key of a selection: every part of it counts, and no two keys run together."""

import asyncio
import json
from dataclasses import astuple, fields, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from esra.briefs import SourceBrief
from esra.governance.cache import MemorySelections, SelectionKey, same_prompt, selection_key
from esra.governance.clock import StillClock
from esra.stages.scope import resolve_scope
from esra.stages.select import brief_selection
from tests.governance.desk import IDS, offer
from tests.house import call

TEXTS = st.text(max_size=8) | st.sampled_from(["t", "ask", 'p","v', "\ud800", "\x00"])


@settings(deadline=None)
@given(data=st.data(), name=st.sampled_from([field.name for field in fields(SelectionKey)]))
def test_a_change_of_any_one_field_misses(data, name):
    """Else something a choice depends on would not be part of its key."""
    key = SelectionKey(**{field.name: data.draw(TEXTS) for field in fields(SelectionKey)})
    value = data.draw(TEXTS.filter(lambda text: text != getattr(key, name)))
    cache = MemorySelections(StillClock())
    cache.put(key, ("hr",))
    assert asyncio.run(cache.get(replace(key, **{name: value}))) is None
    assert asyncio.run(cache.get(replace(key))) == ("hr",)


@settings(deadline=None)
@given(one=st.lists(TEXTS, min_size=5, max_size=5), two=st.lists(TEXTS, min_size=5, max_size=5))
def test_two_keys_share_a_value_only_if_they_are_one(one, two):
    """Else parts that run together, such as "a" + "bc" and "ab" + "c", would be one question."""
    cache = MemorySelections(StillClock())
    names = [field.name for field in fields(SelectionKey)]
    cache.put(SelectionKey(**dict(zip(names, one, strict=True))), ("hr",))
    found = asyncio.run(cache.get(SelectionKey(**dict(zip(names, two, strict=True)))))
    assert (found is not None) == (one == two)


@pytest.mark.parametrize("name", [field.name for field in fields(SourceBrief)])
def test_every_word_that_the_model_reads_of_a_source_is_in_the_key(name):
    """Else a rewritten description would not be weighed until the old choice is forgotten."""
    scope = resolve_scope(call(), offer(*IDS)).value
    brief = brief_selection(call(), scope.sources)
    first, *others = brief.candidates
    value = getattr(first, name)
    changed = replace(first, **{name: (*value, "more") if isinstance(value, tuple) else "more"})
    assert astuple(changed) != astuple(first)
    keys = [
        selection_key(call(), "v", replace(brief, candidates=(one, *others)), "model")
        for one in (first, changed)
    ]
    assert keys[0] != keys[1]


@settings(deadline=None)
@given(st.text())
def test_the_one_form_of_a_prompt_is_its_own_form(prompt):
    """Else a prompt and its form could be two questions."""
    assert same_prompt(same_prompt(prompt)) == same_prompt(prompt)
    json.dumps(same_prompt(prompt)).encode("ascii")
