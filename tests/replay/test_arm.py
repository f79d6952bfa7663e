"""An arm under a tuned file shows what the runtime shows under it, ceiling and shortlist too."""

import pytest

from esra.config.apply import tuned
from esra.config.tuned import Tunables, TunedFile
from esra.domain.capability import Capability
from eval.runs.arm import Ordering, shown
from eval.runs.ordering import changed
from eval.table import pair
from tests.replay.answered import answered, numbers_of


def file_of(**tunables):
    body = {"semantic_weight": 0.6, "lexical_weight": 0.4, **tunables}
    return TunedFile.model_construct(tunables=Tunables.model_validate(body))


@pytest.mark.req("W52")
@pytest.mark.parametrize("seed", range(20))
def test_a_gate_compares_what_the_tuned_runtime_would_answer(seed):
    """A shorter shortlist or plan would pass the gate on scores and queries it does without."""
    before = numbers_of(seed, shortlist=200)
    file = file_of(shortlist=7, sources={"a": {"ceiling": 1}, "b": {"priority": 2.0}})
    runtime = tuned(Capability(id="cap", name="cap", bindings=(), scoring=before), file).scoring
    live = [pair(id) for id, _ in answered(seed, runtime).ranking]
    ordering = Ordering(change=lambda numbers: changed(numbers, file))
    assert shown(answered(seed, before), ordering) == live


def test_more_than_was_recorded_is_not_claimed():
    """A ceiling of 20 over a recording of 2 would be shown as if 20 queries had been asked."""
    before = numbers_of(1, shortlist=9)
    found = changed(before, file_of(shortlist=30, sources={"a": {"ceiling": 20}}))
    assert found.shortlist == 9
    assert found.of("a") == before.of("a")
