"""The form each step's reply is asked for, as a JSON schema. Asked for, and never trusted.

Kept to what all endpoints take in strict mode: every key required, no other key, no bounds on
numbers and lengths. The admit functions of the stages hold the bounds.
"""

from collections.abc import Iterable

from esra.domain.source import Operator
from esra.ports import PlanBrief, SelectBrief

Form = dict[str, object]

_TEXT: Form = {"type": "string"}
_TEXTS: Form = {"type": "array", "items": _TEXT}
_PLAIN: tuple[Form, ...] = (_TEXT, {"type": "number"}, {"type": "boolean"})


def select_form(brief: SelectBrief) -> Form:
    """``{"sources": [id, ...]}`` with the ids that were offered."""
    ids = _one_of(candidate.id for candidate in brief.candidates)
    return _object(sources={"type": "array", "items": ids})


def plan_form(brief: PlanBrief) -> Form:
    """``{"queries": [...]}`` in the source's own mappings, strategies and filterable fields."""
    keys: dict[str, Form] = {
        "mapping": _one_of(mapping.id for mapping in brief.mappings),
        "strategy": _one_of(strategy.value for strategy in brief.strategies),
        "required": _TEXTS,
        "optional": _TEXTS,
        "excluded": _TEXTS,
        "phrases": _TEXTS,
    }
    filterable = [f.fieldName for m in brief.mappings for f in m.fields if f.isFilterable]
    if filterable:
        keys["filters"] = {"type": "array", "items": _filter(filterable)}
    return _object(queries={"type": "array", "items": _object(**keys)})


def _filter(fields: list[str]) -> Form:
    one = {"anyOf": list(_PLAIN)}
    return _object(
        field=_one_of(fields),
        operator=_one_of(operator.value for operator in Operator),
        value={"anyOf": [*_PLAIN, {"type": "array", "items": one}]},
    )


def _object(**keys: Form) -> Form:
    return {
        "type": "object",
        "properties": keys,
        "required": list(keys),
        "additionalProperties": False,
    }


def _one_of(values: Iterable[str]) -> Form:
    return {"type": "string", "enum": list(dict.fromkeys(values))}


# One schema for every call: result ids are fresh each time, and an endpoint works through a schema
# that it has not seen before it answers.
RERANK_FORM: Form = _object(
    scores={"type": "array", "items": _object(resultId=_TEXT, score={"type": "number"})}
)
