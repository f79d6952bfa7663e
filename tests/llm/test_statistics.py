"""The selector by source evidence: whom it takes, and that its answer passes the stage's checks."""

import asyncio
import json

import pytest

from esra.briefs import SelectBrief
from esra.domain.capability import Forms, Presence, SelectForm
from esra.llm.statistics import MARGIN, StatisticsSelector
from esra.sources.evidence import RECIPE, Statistics, statistics
from esra.stages.select import admit_selection, brief_selection
from tests.house import ask as retrieve
from tests.house import call, hit, house, scoped, source
from tests.house import catalog as catalog_of

SHIPS = statistics(["the keel and the hull of a ship", "a sail, a mast, a keel"])
PLANES = statistics(["the wing and the hull of a plane", "a wing flutters, a wing bends"])
KNOWN = {"ships": SHIPS, "planes": PLANES}


def brief(prompt: str, *ids: str) -> SelectBrief:
    return brief_selection(call(prompt), tuple(scoped(source(id)) for id in ids))


def chosen(prompt: str, *ids: str, known=KNOWN) -> list[str]:
    asked = brief(prompt, *ids)
    reply = asyncio.run(StatisticsSelector(known).select(asked))
    admitted, unknown = admit_selection(reply.text, asked)
    assert unknown == ()
    assert reply.usage.calls == 0
    return [id for id in ids if id in admitted]


@pytest.mark.parametrize(
    ("prompt", "taken"),
    [
        ("why does a wing flutter", ["planes"]),
        ("where is the keel", ["ships"]),
        ("what is a hull", ["ships", "planes"]),
        ("zyzzyva", ["ships", "planes"]),
        ("the", ["ships", "planes"]),
    ],
)
def test_the_sources_whose_words_are_asked_for_are_taken(prompt: str, taken: list[str]):
    """A question would be sent to the wrong shelf, or to none where nothing tells."""
    assert chosen(prompt, "ships", "planes") == taken


def test_a_source_without_statistics_is_always_taken():
    """A source whose rows are filtered, or that could not be read, would never be searched."""
    assert chosen("why does a wing flutter", "ships", "hidden", "planes") == ["hidden", "planes"]
    assert chosen("wing", "ships", known={}) == ["ships"]


def test_a_source_is_compared_with_those_on_offer_alone():
    """What another tenant's source holds could be read off the choice."""
    alone = chosen("wing keel", "ships")
    crowded = {**KNOWN, "secret": Statistics(records=1, running=4, counts={"wing": 2, "keel": 2})}
    assert chosen("wing keel", "ships", known=crowded) == alone == ["ships"]


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 6, 7, 8])
def test_the_margin_is_a_share_of_the_best_evidence(count: int):
    """Sources the figures were measured without would be searched as well."""
    known = {
        "best": Statistics(records=1, running=100, counts={"wing": 40}),
        "other": Statistics(records=1, running=100, counts={"wing": count}),
    }
    # One word, so its evidence is the ratio of the two smoothed shares.
    mean = (0.40 + count / 100) / 2
    ratio = (0.7 * count / 100 + 0.3 * mean) / (0.7 * 0.40 + 0.3 * mean)
    taken = chosen("wing", "best", "other", known=known)
    assert taken == (["best", "other"] if ratio >= MARGIN else ["best"])


def test_the_identity_names_the_numbers():
    """A tuned configuration would go on under a selector that chooses otherwise."""
    assert StatisticsSelector({}).identity == f"{RECIPE};margin {MARGIN}"
    assert "smoothing 0.3" in RECIPE


def test_in_the_pipeline_only_the_chosen_source_is_searched():
    """The form would be configured and change nothing."""
    known = catalog_of(
        source("ships"),
        source("planes"),
        source("news"),
        presence={"news": Presence.MANDATORY},
        forms=Forms(select=SelectForm.STATISTICS),
    )
    script = {id: [[hit("1", 1.0, source=id)]] for id in ("ships", "planes", "news")}
    own = house(known, script, selectors={"statistics": StatisticsSelector(KNOWN)})
    response = retrieve(own, "why does a wing flutter")
    assert sorted({result.source for result in response.results}) == ["news", "planes"]
    assert response.warnings == ()


def test_the_answer_is_the_closed_form_and_nothing_else():
    """Statistics of a source would leave with the answer."""
    reply = asyncio.run(StatisticsSelector(KNOWN).select(brief("wing", "ships", "planes")))
    assert json.loads(reply.text) == {"sources": ["planes"]}
