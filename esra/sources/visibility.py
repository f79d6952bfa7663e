"""Which rows of a mapping a caller may see: its record filter, bound to who he is.

Promises: whatever a rule cannot use lets no row pass. A claim that is missing, several values
where one is wanted, a value that is not of the column's type: each leaves the rule without values,
and a filter without values matches nothing. There is no way to "no filter" from here.

``tenant``, ``subject`` and ``groups`` are the caller's own, established by authentication; a claim
of one of these names is not looked at.
"""

import re
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from esra.domain.invocation import Caller
from esra.domain.plan import Value
from esra.domain.source import FieldType, Mapping, Operator, RowRule
from esra.sealed import BoundFilter, Visible


class Unused(StrEnum):
    """Why something of a claim took no part."""

    MISSING = "MISSING"
    SEVERAL = "SEVERAL"
    UNFIT = "UNFIT"


@dataclass(frozen=True, slots=True, kw_only=True)
class UnusedClaim:
    """A claim that a rule could not use, or not all of. No value is ever told, nor a column."""

    mapping: str
    claim: str
    reason: Unused


# One way to write a number: with two, callers of two tenants could meet in one.
_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,37})(\.[0-9]{0,15}[1-9])?")
_BOOLEANS = {"true": True, "false": False}


def visible_rows(mapping: Mapping, caller: Caller) -> Visible:
    """The record filter with the caller's values in it."""
    return tuple(tuple(_bound(rule, caller) for rule in group) for group in mapping.record_filter)


def unused_claims(mapping: Mapping, caller: Caller) -> tuple[UnusedClaim, ...]:
    """What the record filter could not use of the caller's claims, for the audit record."""
    rules = (rule for group in mapping.record_filter for rule in group)
    found = ((rule.claim, _values(rule, caller)[1]) for rule in rules)
    return tuple(
        UnusedClaim(mapping=mapping.id, claim=claim, reason=reason)
        for claim, reason in dict.fromkeys(found)
        if reason is not None
    )


def typed(text: str, kind: FieldType) -> Value | None:
    """A claim's text as a value of the column's type, None where it is not one."""
    match kind:
        case FieldType.TEXT:
            return text if text and storable(text) else None
        case FieldType.BOOLEAN:
            return _BOOLEANS.get(text)
        case FieldType.NUMBER:
            return _number(text)
    return None


def _bound(rule: RowRule, caller: Caller) -> BoundFilter:
    return BoundFilter(
        column=rule.column,
        type=rule.type.value,
        # Always a list, so that a command does not show how many values a caller has.
        operator=Operator.IN,
        values=_values(rule, caller)[0],
    )


def _values(rule: RowRule, caller: Caller) -> tuple[tuple[Value, ...], Unused | None]:
    texts = (rule.value,) if rule.value else tuple(dict.fromkeys(_claimed(rule.claim, caller)))
    if not texts:
        return (), Unused.MISSING
    if rule.operator is Operator.EQ and len(texts) > 1:
        return (), Unused.SEVERAL
    read = (typed(text, rule.type) for text in texts)
    values = tuple(value for value in read if value is not None)
    return values, Unused.UNFIT if len(values) < len(texts) else None


def _claimed(claim: str, caller: Caller) -> tuple[str, ...]:
    match claim:
        case "tenant":
            return (caller.tenant,) if caller.tenant else ()
        case "subject":
            return (caller.subject,) if caller.subject else ()
        case "groups":
            return caller.groups
    return tuple(text for name, texts in caller.claims if name == claim for text in texts)


def _number(text: str) -> int | float | None:
    if not _NUMBER.fullmatch(text) or text == "-0":
        return None
    if "." not in text:
        return int(text)
    # As a double it must still be the number that was claimed, or it would be a neighbour's.
    value = float(text)
    return value if Decimal(repr(value)) == Decimal(text) else None


def storable(text: str) -> bool:
    """No NUL and no lone surrogate: neither has a place in any engine's text."""
    return "\0" not in text and not any(0xD800 <= ord(char) <= 0xDFFF for char in text)
