"""A planner on this machine: the template's queries, and the source's own synonyms and acronyms.

It generates nothing: every word it adds stands in the source's configured vocabulary (RULINGS 17).
"""

import json

from esra.briefs import MappingBrief, PlanBrief
from esra.domain.plan import Strategy
from esra.domain.usage import Usage
from esra.ports import Reply
from esra.sources.question import content_words, phrase_words
from esra.sources.relation import terms, words

Entries = tuple[tuple[str, tuple[str, ...]], ...]
Row = dict[str, object]


class LocalPlanner:
    """Keyword, synonym, acronym and phrase queries, as far as the engine and the ceiling go."""

    identity = "vocabulary"

    async def plan(self, brief: PlanBrief) -> Reply:
        rows = [
            row
            for strategy in (Strategy.KEYWORD, Strategy.SYNONYM, Strategy.ACRONYM, Strategy.PHRASE)
            if strategy in brief.strategies
            for mapping in brief.mappings
            if (row := _query(strategy, mapping, brief)) is not None
        ]
        return Reply(text=json.dumps({"queries": rows[: brief.ceiling]}), usage=Usage(calls=0))


def _query(strategy: Strategy, mapping: MappingBrief, brief: PlanBrief) -> Row | None:
    """The mapping's query of this strategy, None where there is nothing to ask it with."""
    row: Row = {"mapping": mapping.id, "strategy": strategy.value}
    content = content_words(brief.prompt)
    match strategy:
        case Strategy.SYNONYM:
            added = found(brief.prompt, brief.vocabulary.synonyms)
            return {**row, "optional": list(terms([*content, *added]))} if added else None
        case Strategy.ACRONYM:
            added = found(brief.prompt, brief.vocabulary.acronyms)
            return {**row, "optional": list(terms([*content, *added]))} if added else None
        case Strategy.PHRASE:
            phrase = " ".join(phrase_words(brief.prompt))
            return {**row, "phrases": [phrase]} if phrase else None
        case _:
            # Without a word too: that nothing can be looked for is the validator's to say.
            return {**row, "optional": list(content)}


def found(prompt: str, entries: Entries) -> list[str]:
    """The other words of every entry that stands in the prompt, word for word, either way round."""
    asked = words(prompt)
    added: list[str] = []
    for entry, others in entries:
        group = [entry, *others]
        if any(_stands_in(one, asked) for one in group):
            added += [other for other in group if not _stands_in(other, asked)]
    return added


def _stands_in(text: str, asked: list[str]) -> bool:
    wanted = words(text)
    width = len(wanted)
    places = range(len(asked) - width + 1)
    return width > 0 and any(asked[at : at + width] == wanted for at in places)
