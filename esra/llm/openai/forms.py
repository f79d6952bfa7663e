"""The form each step's reply is asked for, as a JSON schema. Asked for, and never trusted.

Kept to what endpoints take in strict mode: every key required, no other key. Lists and texts are
bounded, since small models do not know when to end one; ``unbounded`` serves the endpoints that do
not take bounds. What counts is held by the admit functions.
"""

from collections.abc import Iterable

from esra.briefs import PlanBrief, RerankBrief, SelectBrief
from esra.domain.source import Operator

Form = dict[str, object]

BOUNDS = ("maxItems", "maxLength")
_MOST_WORDS, _LONGEST = 16, 64
# An endpoint works through a schema that it has not seen before it answers, so there are few.
_STEP = 10

_TEXT: Form = {"type": "string", "maxLength": _LONGEST}
_KINDS = ("required", "optional", "excluded", "phrases")
_PLAIN: tuple[Form, ...] = (_TEXT, {"type": "number"}, {"type": "boolean"})


def select_form(brief: SelectBrief) -> Form:
    """``{"sources": [id, ...]}`` with the ids that were offered."""
    ids = _one_of(candidate.id for candidate in brief.candidates)
    return _object(sources=_list(ids, len(brief.candidates)))


def plan_form(brief: PlanBrief) -> Form:
    """``{"queries": [...]}`` in the source's own mappings, strategies and filterable fields."""
    keys: dict[str, Form] = {
        "mapping": _one_of(mapping.id for mapping in brief.mappings),
        "strategy": _one_of(strategy.value for strategy in brief.strategies),
        **{kind: _list(_TEXT, _MOST_WORDS) for kind in _KINDS},
    }
    filterable = [f.fieldName for m in brief.mappings for f in m.fields if f.isFilterable]
    if filterable:
        keys["filters"] = _list(_filter(filterable), _MOST_WORDS)
    return _object(queries=_list(_object(**keys), brief.ceiling))


def rerank_form(brief: RerankBrief) -> Form:
    """``{"scores": [{"resultId", "score"}, ...]}``; ids are fresh each time, so none is named."""
    longest = max(len(candidate.resultId) for candidate in brief.candidates)
    most = -(-len(brief.candidates) // _STEP) * _STEP
    id: Form = {"type": "string", "maxLength": longest}
    return _object(scores=_list(_object(resultId=id, score={"type": "number"}), most))


def _filter(fields: list[str]) -> Form:
    one: Form = {"anyOf": list(_PLAIN)}
    return _object(
        field=_one_of(fields),
        operator=_one_of(operator.value for operator in Operator),
        value={"anyOf": [*_PLAIN, _list(one, _MOST_WORDS)]},
    )


def unbounded(form: Form) -> Form:
    """The same form without a bound on lists and texts."""
    return {key: _unbounded(value) for key, value in form.items() if key not in BOUNDS}


def _unbounded(value: object) -> object:
    if isinstance(value, dict):
        return unbounded(value)
    return [_unbounded(each) for each in value] if isinstance(value, list) else value


def _list(items: Form, most: int) -> Form:
    return {"type": "array", "items": items, "maxItems": most}


def _object(**keys: Form) -> Form:
    return {
        "type": "object",
        "properties": keys,
        "required": list(keys),
        "additionalProperties": False,
    }


def _one_of(values: Iterable[str]) -> Form:
    return {"type": "string", "enum": list(dict.fromkeys(values))}
