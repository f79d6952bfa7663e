"""The local planner: the source's own words, found in the prompt and added to its queries."""

import asyncio

from esra.briefs import MappingBrief, PlanBrief
from esra.domain.plan import Strategy
from esra.domain.source import Vocabulary
from esra.llm.planner import LocalPlanner, found
from esra.stages.plan import admit_plan

SYNONYMS = (("car", ("automobile", "motor vehicle")), ("fix", ("repair",)))
ACRONYMS = (("ndcg", ("normalized discounted cumulative gain",)),)


def plan(prompt: str, *, strategies=tuple(Strategy), ceiling=20, mappings=("docs",)):
    brief = PlanBrief(
        prompt=prompt,
        description="",
        mappings=tuple(MappingBrief(id=m, name=m, description="", fields=()) for m in mappings),
        strategies=strategies,
        unsupported=(),
        vocabulary=Vocabulary(synonyms=SYNONYMS, acronyms=ACRONYMS),
        ceiling=ceiling,
    )
    reply = asyncio.run(LocalPlanner().plan(brief))
    return [
        (q.mapping, q.strategy.value, q.optional or q.phrases)
        for q in admit_plan(reply.text, ceiling)
    ]


def test_synonyms_of_words_in_the_prompt_make_a_query_of_their_own():
    """Else a question in other words than the documents would find nothing."""
    assert plan("fix my car") == [
        ("docs", "keyword", ("fix", "car")),
        ("docs", "synonym", ("fix", "car", "automobile", "motor", "vehicle", "repair")),
        ("docs", "phrase", ("fix my car",)),
    ]


def test_an_acronym_is_spelled_out_and_what_it_stands_for_shortened():
    """Else a question that spells out what documents abbreviate would miss them."""
    assert found("nDCG of a list", ACRONYMS) == ["normalized discounted cumulative gain"]
    assert found("normalized discounted cumulative gain", ACRONYMS) == ["ndcg"]
    assert plan("nDCG tie")[1][1] == "acronym"


def test_entries_match_whole_words_in_their_order_only():
    """Else "carpet" would be read as a car, and "vehicle motor" as one."""
    assert found("carpet and fixture", SYNONYMS) == []
    assert found("vehicle motor", SYNONYMS) == []
    assert found("MOTOR-vehicle", SYNONYMS) == ["car", "automobile"]


def test_without_a_word_of_the_vocabulary_it_is_the_template():
    """Else an empty query would be asked."""
    assert plan("wing flutter") == [
        ("docs", "keyword", ("wing", "flutter")),
        ("docs", "phrase", ("wing flutter",)),
    ]


def test_the_ceiling_and_the_engines_strategies_are_kept():
    """Else a plan would ask more than the source allows, or what its engine cannot do."""
    assert [q[1] for q in plan("fix my car", ceiling=2)] == ["keyword", "synonym"]
    only = plan("fix my car", strategies=(Strategy.KEYWORD,), mappings=("a", "b"))
    assert [q[:2] for q in only] == [("a", "keyword"), ("b", "keyword")]


def test_a_prompt_without_a_word_is_planned_as_one_query_without_a_term():
    """Else the answer would speak of a planner that failed, besides the true reason."""
    assert plan("\u2192 !?") == [("docs", "keyword", ())]
