"""A model that answers from a script, once as it should and twice as it should not.

Each function is a whole model: a brief goes in, text comes out, and the pipeline believes none of
it before its own admit functions have.
"""

import json

from esra.briefs import PlanBrief, RerankBrief, SelectBrief

Brief = SelectBrief | PlanBrief | RerankBrief

# How well a document answers the question, as this model sees it.
SCORES = {
    "Sourdough that will not rise": 0.9,
    "Proving cabinet fails at night": 0.85,
    "Overnight rest in the fridge": 0.4,
    "Feeding a starter": 0.35,
    "Brioche": 0.1,
}


def honest(brief: Brief) -> str:
    """Answers in the asked form, and names one source it was never offered."""
    match brief:
        case SelectBrief(candidates=candidates):
            return json.dumps({"sources": [*(c.id for c in candidates), "payroll"]})
        case PlanBrief(mappings=mappings):
            return json.dumps({"queries": [_keyword(mappings[0].id), _phrase(mappings[0].id)]})
        case RerankBrief(candidates=candidates):
            return json.dumps(
                {
                    "scores": [
                        {"resultId": c.resultId, "score": SCORES.get(c.title, 0.05)}
                        for c in candidates
                    ]
                }
            )


def forged(brief: Brief) -> str:
    """Plans, besides an honest query, two that nobody may run."""
    if not isinstance(brief, PlanBrief):
        return honest(brief)
    mapping = brief.mappings[0].id
    spying = {
        **_keyword(mapping),
        "filters": [{"field": "invoice", "operator": "gte", "value": 0}],
    }
    breaking = {"mapping": mapping, "strategy": "keyword", "optional": ["rise'; DROP TABLE log --"]}
    return json.dumps({"queries": [_keyword(mapping), spying, breaking]})


def rambling(brief: Brief) -> str:
    """Chats instead of scoring."""
    if not isinstance(brief, RerankBrief):
        return honest(brief)
    return "Great question! I would start with the first one, it looks really helpful."


def _keyword(mapping: str) -> dict[str, object]:
    words = ["sourdough", "rise", "overnight"]
    return {"mapping": mapping, "strategy": "keyword", "optional": words}


def _phrase(mapping: str) -> dict[str, object]:
    return {"mapping": mapping, "strategy": "phrase", "phrases": ["did rise"]}
