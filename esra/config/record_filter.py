"""A mapping's record filter as it stands in a catalog: what is wrong with it, and what it means."""

from esra.config.blocks import RowRuleBlock
from esra.domain.source import FieldType, Operator, RecordFilter, RowRule
from esra.sources.visibility import typed


def faults(rules: list[RowRuleBlock]) -> list[str]:
    """What a person has to mend, one line each."""
    named = [rule.either for rule in rules if rule.either is not None]
    found = [
        f"either = {name!r} stands once, so there is no other rule to choose"
        for name in dict.fromkeys(named)
        if named.count(name) == 1
    ]
    return found + [fault for rule in rules if (fault := _fault(rule))]


def record_filter(rules: list[RowRuleBlock]) -> RecordFilter:
    """Each rule a group of its own, but those that share a name under ``either``."""
    groups: dict[str | int, list[RowRule]] = {}
    for number, rule in enumerate(rules):
        groups.setdefault(rule.either or number, []).append(_rule(rule))
    return tuple(tuple(group) for group in groups.values())


def _fault(rule: RowRuleBlock) -> str | None:
    if (rule.claim is None) == (rule.value is None):
        return f"{rule.column!r} takes one of claim and value"
    if rule.value is not None and typed(rule.value, FieldType(rule.type)) is None:
        return f"{rule.column!r}: {rule.value!r} is no {rule.type}"
    return None


def _rule(rule: RowRuleBlock) -> RowRule:
    return RowRule(
        column=rule.column,
        claim=rule.claim or "",
        value=rule.value or "",
        type=FieldType(rule.type),
        operator=Operator(rule.operator),
    )
