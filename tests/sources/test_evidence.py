"""Source evidence: the formula worked by hand, its bounds, what it tells on labelled data."""

import math

import pytest

from esra.sources import evidence as rooms
from esra.sources.evidence import Statistics, evidence, evidence_of, statistics, together
from eval.dataset import load_federation


def source(running: int, **counts: int) -> Statistics:
    return Statistics(records=1, running=running, counts=counts)


def test_evidence_is_the_likelihood_ratio_as_it_says():
    """The documented formula would not be the one that weighs a source."""
    sea, sky = source(10, wing=1, keel=4), source(20, wing=8)
    # Shares: wing .1 and .4, mean .25; keel .4 and 0, mean .2. Smoothed with .3 of the mean:
    # sea .7 * .1 + .075 = .145 and .7 * .4 + .06 = .34; sky .7 * .4 + .075 = .355 and .06.
    ratio = (0.355 * 0.06) / (0.145 * 0.34)
    found = evidence("The wing, the keel?", {"sea": sea, "sky": sky})
    assert found["sea"] == 1.0
    assert found["sky"] == pytest.approx(ratio ** (1 / math.sqrt(2)), rel=1e-12)


def test_a_word_counts_once_and_one_that_nobody_holds_not_at_all():
    """Repeating a word, or a name nobody indexed, would turn the choice of sources round."""
    sources = {"sea": source(10, wing=1, keel=4), "sky": source(20, wing=8)}
    plain = evidence("wing keel", sources)
    assert evidence("wing keel wing wing zyzzyva", sources) == plain


@pytest.mark.parametrize("prompt", ["zyzzyva", "the of and", "", "?!", "\u200b"])
def test_where_nothing_is_known_no_source_is_worse(prompt: str):
    """A prompt without a known word would be answered from an arbitrary source."""
    sources = {"sea": source(10, keel=4), "sky": source(20, wing=8)}
    assert evidence(prompt, sources) == {"sea": 1.0, "sky": 1.0}


def test_one_source_or_none_needs_no_evidence():
    """A capability with a single source would see its scores changed."""
    assert evidence("wing", {}) == {}
    assert evidence("wing", {"sky": source(20, wing=8)}) == {"sky": 1.0}


def test_an_empty_source_gives_way_and_breaks_nothing():
    """A table that is still empty would end every question with an error."""
    found = evidence("wing", {"sky": source(20, wing=8), "new": Statistics()})
    # .3 of the mean share .2 against .7 * .4 + .3 * .2
    assert found == {"sky": 1.0, "new": pytest.approx(0.06 / 0.34)}


def test_only_sources_with_statistics_are_compared():
    """A source whose rows are filtered would be weighed by words its caller may not see."""
    sea, sky = source(10, wing=1, keel=4), source(20, wing=8)
    known = {"sea": sea, "sky": sky, "elsewhere": source(1, wing=1)}
    found = evidence_of(known, "wing keel", ["hidden", "sky", "sea"])
    assert found == evidence("wing keel", {"sea": sea, "sky": sky})


def test_evidence_lies_in_0_to_1_and_does_not_depend_on_the_order_of_sources():
    """The same question would be answered differently from one start to the next."""
    sources = {f"s{n}": source(1000 + 7 * n, wing=n, keel=13 * n % 5, hull=1) for n in range(9)}
    prompt = "wing keel hull " * 40
    forward = evidence(prompt, sources)
    backward = evidence(prompt, dict(reversed(sources.items())))
    assert forward == backward
    assert max(forward.values()) == 1.0
    assert all(0.0 <= value <= 1.0 for value in forward.values())


def test_a_prompt_as_long_as_one_may_be_stays_finite():
    """A pasted page would give NaN, and NaN orders nothing."""
    names = [f"w{n}" for n in range(5000)]
    sources = {
        "all": Statistics(running=10**12, counts=dict.fromkeys(names, 1)),
        "none": Statistics(running=10**12),
    }
    found = evidence(" ".join(names), sources)
    assert found["all"] == 1.0
    assert 0.0 <= found["none"] < 1.0


def test_words_are_counted_as_questions_are_split():
    """A question's word would be looked up under a spelling nobody counted."""
    made = statistics(["COVID-19: e-mail", "covid covid \u6f22\u5b57\u6f22"])
    counts = {"covid": 3, "19": 1, "e": 1, "mail": 1, "\u6f22\u5b57": 1, "\u5b57\u6f22": 1}
    assert made == Statistics(records=2, running=8, counts=counts)


def test_the_relations_of_a_source_speak_together():
    """The second table of a source would be as good as absent."""
    made = together([source(3, keel=2, wing=1), source(5, wing=4)])
    assert made == Statistics(records=2, running=8, counts={"wing": 5, "keel": 2})


def test_only_the_most_frequent_words_are_kept(monkeypatch):
    """A source of junk words would fill the memory, or keep another set with every start."""
    monkeypatch.setattr(rooms, "MOST_WORDS", 2)
    made = statistics(["c b a a b c c d"])
    assert made == Statistics(records=1, running=8, counts={"c": 3, "a": 2})


def test_near_sources_are_told_apart_by_their_words(shared):
    """Evidence that does not find the right one of seven near sources weighs by chance."""
    folders = sorted(p for p in (shared / "data" / "uct").iterdir() if p.is_dir())
    if not folders:
        pytest.skip("no folders in shared data/uct")
    federation = load_federation(folders)
    known = {
        one.name: statistics(f"{d.title}\n{d.text}" for d in one.documents)
        for one in federation.sources
    }
    first, asked = 0, 0
    for query in federation.queries:
        right = {id[0] for id, grade in federation.judgements[query.id].items() if grade > 0}
        found = evidence(query.text, known)
        first += max(found, key=found.__getitem__) in right
        asked += 1
    # By chance one in seven; an index over all the documents puts 31 of 35 first.
    assert first / asked >= 0.8
