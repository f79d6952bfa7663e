"""The gate: each rule with a case it lets through and one it stops that differ in it alone."""

from dataclasses import replace

import pytest

from esra._check import check
from esra.domain.codes import AuditEvent, RejectReason, WarningCode
from esra.domain.invocation import Mode
from esra.domain.plan import Filter, PlannedQuery, PlanOrigin, SourcePlan, Strategy
from esra.domain.source import FieldType, Limits, Operator, RowRule
from esra.sealed import BoundFilter
from esra.stages.validate import separated, validate_plans
from tests.house import CALLER, FakeEngine, call, field, scope, scoped, scoring, source

FIELDS = (
    field("author", searchable=True, filterable=True, returnable=True,
          operators=frozenset({Operator.EQ, Operator.IN})),
    field("body", searchable=True, returnable=True),
    field("hidden", returnable=False),
    field("salary", returnable=True, restricted=True),
    field("year", type=FieldType.NUMBER, filterable=True, operators=frozenset(Operator)),
    field("open", type=FieldType.BOOLEAN, filterable=True, operators=frozenset({Operator.EQ})),
)  # fmt: skip
SOURCE = source("news", fields=FIELDS, limits=Limits(rows=40))
KEYWORDS = [Strategy.KEYWORD, Strategy.RECENT, Strategy.PHRASE]


def query(**more) -> PlannedQuery:
    more.setdefault("mapping", "docs")
    more.setdefault("strategy", Strategy.KEYWORD)
    more.setdefault("optional", ("wing",))
    return PlannedQuery(**more)


def only(value, name="author", operator=Operator.EQ) -> tuple[Filter, ...]:
    values = value if isinstance(value, tuple) else (value,)
    return (Filter(field=name, operator=operator, values=values),)


def validate(
    *queries,
    of="news",
    numbers=None,
    mode=Mode.BRIEF,
    searched=SOURCE,
    caller=CALLER,
    leaves_out=False,
):
    plan = SourcePlan(source=of, origin=PlanOrigin.MODEL, queries=queries)
    own = scope(searched, scoring=numbers or scoring())
    engine = FakeEngine({}, strategies=KEYWORDS)
    engine.capabilities = replace(engine.capabilities, leaves_out=leaves_out)
    asked = call(mode=mode, caller=caller)
    return validate_plans(asked, (plan,), (scoped(searched),), own, {"fake": engine})


def reason(one: PlannedQuery, **more) -> RejectReason | None:
    outcome = validate(one, **more)
    if outcome.value:
        assert outcome.warnings == ()
        return None
    (fact,) = outcome.facts
    assert fact.event is AuditEvent.QUERY_REJECTED
    return RejectReason(dict(fact.values)["reason"])


@pytest.mark.req(
    "E070", "E071", "E072", "E073", "E074", "E075", "E076", "E077", "E078", "E079"
)  # fmt: skip
@pytest.mark.parametrize(
    ("passes", "stopped", "why"),
    [
        (query(), query(mapping="other"), RejectReason.MAPPING_NOT_IN_SOURCE),
        (query(projection=("body",)), query(projection=("nope",)), RejectReason.FIELD_UNKNOWN),
        (query(projection=("body",)), query(projection=("hidden",)),
         RejectReason.FIELD_NOT_RETURNABLE),
        (query(projection=("body",)), query(projection=("salary",)), RejectReason.FIELD_RESTRICTED),
        (query(filters=only("x")), query(filters=only("x", "nope")), RejectReason.FIELD_UNKNOWN),
        (query(filters=only("x")), query(filters=only("x", "body")),
         RejectReason.FIELD_NOT_FILTERABLE),
        (query(filters=only("x")), query(filters=only("x", operator=Operator.GT)),
         RejectReason.OPERATOR_NOT_PERMITTED),
        (query(filters=only(("x", "y"), operator=Operator.IN)), query(filters=only(("x", "y"))),
         RejectReason.FILTER_VALUE_INVALID),
        (query(filters=only("x")), query(filters=only(7)), RejectReason.FILTER_VALUE_INVALID),
        (query(filters=only(7, "year")), query(filters=only("7", "year")),
         RejectReason.FILTER_VALUE_INVALID),
        (query(filters=only(7, "year")), query(filters=only(True, "year")),
         RejectReason.FILTER_VALUE_INVALID),
        (query(filters=only(7.5, "year")), query(filters=only(float("nan"), "year")),
         RejectReason.FILTER_VALUE_INVALID),
        (query(filters=only(True, "open")), query(filters=only(1, "open")),
         RejectReason.FILTER_VALUE_INVALID),
        (query(filters=only("a b")), query(filters=only("a;b")), RejectReason.SEPARATOR_OR_COMMENT),
        (query(filters=only(("a", "b"), operator=Operator.IN)),
         query(filters=only(("a", "b--"), operator=Operator.IN)),
         RejectReason.SEPARATOR_OR_COMMENT),
        (query(limit=40), query(limit=41), RejectReason.LIMIT_OVER_POLICY),
        (query(strategy=Strategy.KEYWORD), query(strategy=Strategy.SYNONYM),
         RejectReason.STRATEGY_NOT_SUPPORTED),
        (query(optional=("a-b",)), query(optional=("a--b",)), RejectReason.SEPARATOR_OR_COMMENT),
        (query(required=("ab",)), query(required=("a;b",)), RejectReason.SEPARATOR_OR_COMMENT),
        (query(excluded=("ab",)), query(excluded=("/*",)), RejectReason.SEPARATOR_OR_COMMENT),
        (query(phrases=("a b",)), query(phrases=("a */ b",)), RejectReason.SEPARATOR_OR_COMMENT),
        (query(optional=("ab",)), query(optional=("a\uff1bb",)), RejectReason.SEPARATOR_OR_COMMENT),
        (query(optional=("ab",)), query(optional=("a\0b",)), RejectReason.SEPARATOR_OR_COMMENT),
        (query(optional=("ab",)), query(optional=("a\ud800",)), RejectReason.SEPARATOR_OR_COMMENT),
        (query(optional=("x",)), query(optional=(), excluded=("x",)),
         RejectReason.NO_POSITIVE_TERM),
        (query(strategy=Strategy.RECENT, optional=(), filters=only("x")),
         query(strategy=Strategy.RECENT, optional=()), RejectReason.NO_POSITIVE_TERM),
        (query(optional=("x",)), query(optional=("?!",)), RejectReason.NO_SEARCHABLE_TERM),
        (query(optional=("x",)), query(optional=()), RejectReason.NO_SEARCHABLE_TERM),
        (query(optional=("x",) * 64), query(optional=("x",) * 65), RejectReason.TOO_MUCH_TEXT),
        (query(optional=("x" * 64,)), query(optional=("x" * 65,)), RejectReason.TOO_MUCH_TEXT),
        (query(phrases=("x " * 60,)), query(phrases=("x " * 70,)), RejectReason.TOO_MUCH_TEXT),
    ],
)  # fmt: skip
def test_each_rule_stops_what_it_forbids_and_nothing_else(passes, stopped, why):
    """Else a rule would be missing, or would stop honest queries."""
    assert reason(passes) is None
    assert reason(stopped) is why


@pytest.mark.parametrize("role", ["optional", "required", "phrases"])
def test_words_that_the_engine_leaves_out_are_none_to_search_for(role):
    """Else "The Who" would find nothing under a language that drops both, and say nothing."""
    words = {"optional": (), role: ("the who",)}
    assert reason(query(**words), leaves_out=True) is RejectReason.NO_SEARCHABLE_TERM
    assert reason(query(**words)) is None
    assert reason(query(**(words | {role: ("the who live",)})), leaves_out=True) is None
    every_row = query(strategy=Strategy.RECENT, optional=("the",))
    assert reason(every_row, leaves_out=True) is RejectReason.NO_SEARCHABLE_TERM
    newest = query(strategy=Strategy.RECENT, optional=(), filters=only("x"))
    assert reason(newest, leaves_out=True) is None


@pytest.mark.req("E070")
def test_a_plan_for_a_source_that_was_not_selected_is_dropped():
    """Else a planner could search what selection left out."""
    assert reason(query()) is None
    assert reason(query(), of="law") is RejectReason.SOURCE_NOT_SELECTED


@pytest.mark.req("E077")
@pytest.mark.parametrize("text", [";", "--", "/*", "*/", "\uff1b", "\ufe63\ufe63", "\uff0f\uff0a"])
def test_look_alikes_of_separators_count(text):
    """Else a full-width semicolon would pass and be folded later."""
    assert separated(f"a{text}b")
    assert not separated("a - b / c * d")


@pytest.mark.req("E082", "E083", "E084", "E085")
def test_survivors_go_on_and_each_drop_is_warned_and_audited():
    """Else one bad query would cost the plan, or vanish without a trace."""
    outcome = validate(query(), query(optional=("a;b",)), query(strategy=Strategy.PHRASE))
    assert [q.query for q in outcome.value] == [0, 2]
    (warning,) = outcome.warnings
    assert warning.code is WarningCode.PLAN_REJECTED
    assert warning.detail == RejectReason.SEPARATOR_OR_COMMENT.value
    (fact,) = outcome.facts
    assert dict(fact.values) == {"source": "news", "query": 1, "reason": "SEPARATOR_OR_COMMENT"}


@pytest.mark.req("E068")
def test_the_same_plan_has_the_same_verdict():
    """Else a rejected query might pass when asked again."""
    verdicts = {
        tuple(w.detail for w in validate(query(), query(optional=(";",))).warnings)
        for _ in range(50)
    }
    assert verdicts == {("SEPARATOR_OR_COMMENT",)}


@pytest.mark.req("E102", "E103")
def test_physical_names_come_from_configuration_and_never_from_a_plan():
    """Else a planner could name a table."""
    (sealed,) = validate(query(filters=only("x"))).value
    content = check(sealed)
    assert content.relation.table == "hidden_table"
    assert [f.column for f in content.filters] == ["hidden_author"]
    assert [f.name for f in content.projection] == ["author", "body"]


def test_brief_answers_carry_shorter_fragments_than_full_ones():
    """Else the modes would not differ."""
    (brief,), (full,) = (validate(query(), mode=m).value for m in (Mode.BRIEF, Mode.FULL))
    assert check(brief).fragment < check(full).fragment == 2_000


def test_rows_are_the_limit_asked_for_or_the_policys():
    """Else a plan could lift the cap, or a query without a limit have none."""
    (asked,), (unset,) = (validate(query(limit=n)).value for n in (7, None))
    assert (asked.rows, unset.rows) == (7, 40)


def hiding(*rules: RowRule):
    """The source, whose rows are seen where every one of the rules lets them pass."""
    (mapping,) = SOURCE.mappings
    own = replace(mapping, record_filter=tuple((rule,) for rule in rules))
    return replace(SOURCE, mappings=(own,))


TENANT = RowRule(column="hidden_tenant", claim="tenant")
TEAM = RowRule(column="hidden_team", claim="team", type=FieldType.NUMBER)


@pytest.mark.req("W80")
def test_the_record_filter_is_stamped_into_every_query_whatever_was_planned():
    """Else a query could leave it out."""
    caller = replace(CALLER, claims=(("team", ("7", "8")),))
    asked = (query(), query(optional=("x",)))
    outcome = validate(*asked, searched=hiding(TENANT, TEAM), caller=caller)
    tenant = BoundFilter(column="hidden_tenant", type="text", operator=Operator.IN, values=("t",))
    team = BoundFilter(column="hidden_team", type="number", operator=Operator.IN, values=(7, 8))
    assert [check(q).visible for q in outcome.value] == [((tenant,), (team,))] * 2
    assert outcome.facts == ()
    (plain,) = validate(query()).value
    assert check(plain).visible == ()


@pytest.mark.parametrize(
    ("claims", "why"),
    [
        ((), "MISSING"),
        ((("team", ("canary",)),), "UNFIT"),
        ((("team", ()),), "MISSING"),
    ],
)
def test_an_unusable_claim_matches_nothing_and_is_audited_once_without_its_value(claims, why):
    """Else a caller without the claim would see all, or an operator would never learn why none."""
    caller = replace(CALLER, claims=claims)
    outcome = validate(query(), query(), searched=hiding(TENANT, TEAM), caller=caller)
    assert [check(q).visible[1][0].values for q in outcome.value] == [(), ()]
    assert outcome.warnings == ()
    (fact,) = outcome.facts
    assert fact.event is AuditEvent.CLAIM_UNUSED
    assert dict(fact.values) == {
        "source": "news", "mapping": "docs", "claim": "team", "reason": why,
    }  # fmt: skip


def test_a_plan_cannot_name_the_column_of_a_record_filter():
    """Else a planner could aim at it."""
    for name in ("tenant", "hidden_tenant"):
        outcome = validate(query(filters=only("t", name)), searched=hiding(TENANT))
        assert [w.detail for w in outcome.warnings] == [RejectReason.FIELD_UNKNOWN.value]


@pytest.mark.req("E122")
def test_a_source_that_asks_for_a_snapshot_counts_the_queries_that_share_it():
    """Else an engine could not tell when the last of them has been answered."""
    asking = replace(SOURCE, snapshot=True)
    shared = validate(query(), query(optional=(";",)), query(), searched=asking).value
    own = validate(query(), query()).value
    assert [check(q).snapshot for q in shared] == [2, 2]
    assert [check(q).snapshot for q in own] == [0, 0]
