"""Record filters: a caller's claims become values, and whatever cannot be used hides the rows."""

import pytest

from esra.domain.invocation import Caller, Identity
from esra.domain.source import FieldType, Mapping, Operator, RowRule
from esra.sealed import BoundFilter
from esra.sources.visibility import typed, unused_claims, visible_rows
from tests.house import RELATION


def caller(**more) -> Caller:
    return Caller(**({"tenant": "t1", "subject": "ada", "identity": Identity.LOCAL} | more))


def bound(rule: RowRule, who: Caller) -> tuple:
    """The values that one rule compares with, and the reasons of what it could not use."""
    mapping = Mapping(
        id="docs", name="Docs", description="", relation=RELATION, record_filter=((rule,),)
    )
    (((filter,),), unused) = visible_rows(mapping, who), unused_claims(mapping, who)
    assert filter == BoundFilter(
        column=rule.column, type=rule.type.value, operator=Operator.IN, values=filter.values
    )
    return filter.values, tuple(one.reason.value for one in unused)


def rule(claim: str = "", **more) -> RowRule:
    return RowRule(column="c", claim=claim, **more)


@pytest.mark.req("W80")
@pytest.mark.parametrize(
    ("claim", "values"),
    [
        ("tenant", ("t1",)),
        ("subject", ("ada",)),
        ("groups", ("g1", "g2")),
        ("team", ("x", "y")),
    ],
)
def test_a_rule_compares_with_who_the_caller_is(claim, values):
    """Rows would be chosen by somebody else's claims."""
    claims = (("tenant", ("forged",)), ("groups", ("forged",)), ("team", ("x", "y")))
    who = caller(groups=("g1", "g2"), claims=claims)
    assert bound(rule(claim), who) == (values, ())


@pytest.mark.parametrize(
    "who",
    [
        caller(),
        caller(claims=(("team", ()),)),
        caller(claims=(("Team", ("x",)), ("teams", ("x",)))),
    ],
)
def test_a_missing_claim_lets_no_row_pass(who):
    """A caller of whom nothing is known would see everything."""
    assert bound(rule("team"), who) == ((), ("MISSING",))


@pytest.mark.parametrize("claim", ["tenant", "subject", "groups"])
def test_a_caller_without_a_tenant_has_nobodys_rows(claim):
    """Rows with an empty tenant would belong to every caller without one."""
    nobody = caller(tenant="", subject="", groups=())
    assert bound(rule(claim), nobody) == ((), ("MISSING",))
    assert bound(rule("team"), caller(claims=(("team", ("",)),))) == ((), ("UNFIT",))


def test_equal_wants_one_value_and_in_takes_any():
    """Of two tenants in a token the first would be believed."""
    two = caller(claims=(("team", ("x", "y")),))
    same = caller(claims=(("team", ("x", "x")),))
    equal = rule("team", operator=Operator.EQ)
    assert bound(equal, two) == ((), ("SEVERAL",))
    assert bound(equal, same) == (("x",), ())
    assert bound(rule("team"), two) == (("x", "y"), ())


def test_a_fixed_value_asks_no_claim():
    """Public rows would be nobody's."""
    assert bound(rule(value="true", type=FieldType.BOOLEAN), caller()) == ((True,), ())


def test_values_that_do_not_fit_are_left_out_and_told_by_name_alone():
    """One odd group would close a source, or an audit record would hold a claim's value."""
    who = caller(claims=(("team", ("7", "canary", "8")),))
    assert bound(rule("team", type=FieldType.NUMBER), who) == ((7, 8), ("UNFIT",))
    mapping = Mapping(
        id="docs",
        name="Docs",
        description="",
        relation=RELATION,
        record_filter=((rule("team", type=FieldType.NUMBER),),),
    )
    assert "canary" not in repr(unused_claims(mapping, who))


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (FieldType.TEXT, " a'b ", " a'b "),
        (FieldType.TEXT, "a\0b", None),
        (FieldType.TEXT, "a\ud800", None),
        (FieldType.TEXT, "", None),
        (FieldType.BOOLEAN, "true", True),
        (FieldType.BOOLEAN, "false", False),
        (FieldType.BOOLEAN, "True", None),
        (FieldType.BOOLEAN, "1", None),
        (FieldType.BOOLEAN, "", None),
        (FieldType.NUMBER, "0", 0),
        (FieldType.NUMBER, "-7", -7),
        (FieldType.NUMBER, "0.1", 0.1),
        (FieldType.NUMBER, "9223372036854775807", 2**63 - 1),
        (FieldType.NUMBER, "1.0000000000000001", None),
        (FieldType.NUMBER, "007", None),
        (FieldType.NUMBER, "7.0", None),
        (FieldType.NUMBER, "+7", None),
        (FieldType.NUMBER, "-0", None),
        (FieldType.NUMBER, "1e3", None),
        (FieldType.NUMBER, "1_000", None),
        (FieldType.NUMBER, " 7", None),
        (FieldType.NUMBER, "7\n", None),
        (FieldType.NUMBER, "\u0667", None),
        (FieldType.NUMBER, "nan", None),
        (FieldType.NUMBER, "9" * 39, None),
        (FieldType.NUMBER, "x", None),
        (FieldType.TIMESTAMP, "0", None),
    ],
)
def test_a_text_has_one_value_of_a_type_or_none(kind, text, value):
    """Two tenants whose names differ would meet in one number."""
    read = typed(text, kind)
    assert (read, type(read)) == (value, type(value))
