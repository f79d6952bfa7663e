"""Live answers before an opening: kept as they come, asked anew where another draw is wanted."""

import json
from contextlib import asynccontextmanager
from dataclasses import replace
from types import SimpleNamespace

import pytest

from esra.domain.capability import Forms, RerankForm
from esra.llm.scripted import Scripted
from esra.ports import Trouble
from eval import record
from eval.tune import live
from tests.house import catalog, hit, house, scoring

NUMBERS = scoring(shortlist=5)
QUESTIONS = [record.Question(id=f"q{n}", text=f"wing flutter {n}", now=1e9) for n in range(6)]


class Model:
    """Scores whatever it is shown; ``fails`` says of which of its calls it is away, or killed."""

    def __init__(self):
        self.calls, self.fails = 0, {}

    def answer(self, brief):
        self.calls += 1
        if self.calls in self.fails:
            raise self.fails[self.calls]
        assert len(brief.candidates) == NUMBERS.shortlist  # not the catalog's 30
        return json.dumps([{"resultId": c.resultId, "score": 0.5} for c in brief.candidates])


@pytest.fixture
def model(monkeypatch):
    """The model behind every house that is opened."""
    own = Model()
    known = catalog(forms=Forms(rerank=RerankForm.MODEL), scoring=scoring())
    known = replace(known, exposures=(replace(known.exposures[0], slug="cap"),))
    script = {"news": [[hit(f"k{n}", float(n)) for n in range(9)]] * 3}

    @asynccontextmanager
    async def opened(catalog, base, wishes):
        models = {"model": Scripted(own.answer)}
        yield SimpleNamespace(house=house(wishes.change(known), script, rerankers=models))

    monkeypatch.setattr(live, "open_house", opened)
    return own


def asked(folder, draw=0):
    place = live.Place(catalog=folder, slug="cap", folder=folder, base=folder, questions={})
    return live.answer_again(place, NUMBERS, QUESTIONS, draw)


@pytest.mark.req("U12")
def test_a_model_that_fails_gives_no_answer_and_what_it_gave_is_not_paid_for_again(model, tmp_path):
    """An outage would be read as a model that contradicts the replay, or cost the sample twice."""
    model.fails = {2: Trouble("down"), 5: Trouble("down")}
    with pytest.raises(live.CannotAnswer, match=r"2 of 6 live answers failed.*nothing was opened"):
        asked(tmp_path)
    found = asked(tmp_path)
    assert model.calls == 6 + 2
    assert found.queries == tuple(question.id for question in QUESTIONS)
    assert found.asked.sum() == 6 * NUMBERS.shortlist


class Killed(BaseException):
    """The process is ended where it stands."""


def test_killed_in_the_middle_it_goes_on_where_it_was(model, tmp_path):
    """A sample that was cut off would be paid for from its beginning, or taken for a whole one."""
    model.fails = {4: Killed()}
    with pytest.raises(BaseException):  # noqa: B017, PT011 - as it comes out of the loop
        asked(tmp_path)
    (kept,) = tmp_path.glob("live-*.jsonl")
    before = len(kept.read_text().splitlines())
    assert 0 < before < len(QUESTIONS)
    paid = model.calls
    assert asked(tmp_path).queries == tuple(question.id for question in QUESTIONS)
    assert model.calls == paid + len(QUESTIONS) - before


def test_a_further_draw_asks_all_of_it_anew(model, tmp_path):
    """A model would seem to repeat itself because it was never asked again."""
    asked(tmp_path)
    asked(tmp_path)
    assert model.calls == len(QUESTIONS)
    asked(tmp_path, draw=1)
    assert model.calls == 2 * len(QUESTIONS)
