"""Who may use an exposure: rules over claims, tenants, groups, and what a list of tools shows."""

import asyncio
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from esra.domain.capability import Exposure
from esra.domain.codes import Denial, ErrorCode
from esra.domain.invocation import Identity
from esra.domain.outcome import Refused
from esra.domain.policy import Access, Condition, Grant, Rule
from esra.domain.source import Limits
from esra.domain.trust import LocalIdentity, Trust
from esra.governance.groups import AsGiven, NestedGroups
from esra.governance.local import LocalGovernance
from esra.governance.platform import Platform
from esra.governance.policy import decide, together
from esra.governance.refusals import NOT_YOURS, InsufficientScope, reason_of
from tests.governance import mint
from tests.governance.claimants import principal
from tests.governance.mint import Clock, payload, token, tokens
from tests.house import catalog, source


def condition(claim, *values):
    return Condition(claim=claim, any=frozenset(values))


def rule(*conditions, **grant):
    return Rule(conditions=conditions, grant=Grant(**grant))


def exposure(*rules, authenticated=False, **more):
    access = Access(rules=rules, authenticated=authenticated)
    return Exposure(slug=more.pop("slug", "ask"), capability="cap", access=access, **more)


HR = condition("groups", "hr", "payroll")
SWISS = condition("country", "CH", "LI")


@pytest.mark.parametrize(
    ("who", "what", "decision"),
    [
        (principal(groups=["hr"]), exposure(), Denial.NO_RULE),
        (principal(), exposure(authenticated=True), Grant()),
        (principal(groups=["hr"]), exposure(rule(HR)), Grant()),
        (principal(groups=["HR"]), exposure(rule(HR)), Denial.NO_RULE_MATCHED),
        (principal(groups=["hr-interns"]), exposure(rule(HR)), Denial.NO_RULE_MATCHED),
        (principal(), exposure(rule(HR)), Denial.NO_RULE_MATCHED),
        (principal(groups=["hr"]), exposure(rule(HR, SWISS)), Denial.NO_RULE_MATCHED),
        (principal(groups=["hr"], country=("LI",)), exposure(rule(HR, SWISS)), Grant()),
        (principal(country=("CH",)), exposure(rule(HR), rule(SWISS)), Grant()),
        (principal(), exposure(Rule(conditions=())), Denial.NO_RULE_MATCHED),
        (principal(), None, Denial.EXPOSURE_UNKNOWN),
        (principal(), exposure(authenticated=True, published=False), Denial.EXPOSURE_UNPUBLISHED),
        (
            principal(groups=["hr"]),
            exposure(rule(HR), tenants=frozenset({"other"})),
            Denial.TENANT_NOT_ADMITTED,
        ),
        (
            principal(identity=Identity.LOCAL),
            exposure(rule(HR)),
            Grant(modes=frozenset({"brief", "full", "explain"})),
        ),
        (
            principal(identity=Identity.LOCAL),
            exposure(tenants=frozenset({"other"})),
            Denial.TENANT_NOT_ADMITTED,
        ),
    ],
)
def test_a_decision_follows_the_rules_and_nothing_else(who, what, decision):
    """A rule that is read otherwise than written shows a tool to whom nobody meant."""
    assert decide(what, who) == decision


def test_grants_of_several_rules_add_up():
    """Who is in two groups could do less than who is in one."""
    both = together(
        [
            Grant(sources=frozenset({"a"}), limits=Limits(rows=10, results=5)),
            Grant(sources=frozenset({"b"}), modes=frozenset({"explain"}), limits=Limits(rows=20)),
        ]
    )
    assert both.sources == {"a", "b"}
    assert both.modes == {"brief", "full", "explain"}
    assert (both.limits.rows, both.limits.results) == (20, 50)
    assert together([Grant(), Grant(sources=frozenset({"a"}))]).sources is None


def platform(known, *, clock=None, groups=None, verifier=None, **trust):
    clock = clock or Clock()
    own = Trust(issuers=(mint.issuer(),), **trust)
    return Platform(known, own, verifier or tokens(clock=clock), groups or AsGiven(), clock)


def exposed(*exposures):
    return replace(catalog(source()), exposures=exposures)


def refused(doing):
    with pytest.raises(Refused) as refusal:
        asyncio.run(doing)
    return refusal.value


def test_an_exposure_that_is_not_there_looks_like_one_that_is_not_his():
    """By the difference a caller could list what his colleagues have."""
    governance = platform(
        exposed(
            exposure(rule(HR), slug="rules"),
            exposure(slug="none"),
            exposure(slug="hidden", published=False, authenticated=True),
            exposure(slug="theirs", tenants=frozenset({"other"}), authenticated=True),
        )
    )
    ada = principal()
    answers = {
        slug: refused(governance.authorize(ada, slug))
        for slug in ("rules", "none", "hidden", "theirs", "absent", "", "x" * 5_000)
    }
    assert {(one.code, one.message) for one in answers.values()} == {
        (ErrorCode.FORBIDDEN, NOT_YOURS)
    }
    assert [reason_of(one).value for one in answers.values()] == [
        "NO_RULE_MATCHED",
        "NO_RULE",
        "EXPOSURE_UNPUBLISHED",
        "TENANT_NOT_ADMITTED",
        "EXPOSURE_UNKNOWN",
        "EXPOSURE_UNKNOWN",
        "EXPOSURE_UNKNOWN",
    ]


NAMES = st.sampled_from(["hr", "law", "staff"])
CONDITIONS = st.builds(
    lambda claim, values: Condition(claim=claim, any=values),
    st.sampled_from(["groups", "country"]),
    st.frozensets(NAMES, min_size=1),
)
EXPOSURES = st.builds(
    lambda rules, authenticated, published, tenants: exposure(
        *rules, authenticated=authenticated, published=published, tenants=tenants
    ),
    st.lists(st.builds(lambda each: rule(*each), st.lists(CONDITIONS, max_size=2)), max_size=2),
    st.booleans(),
    st.booleans(),
    st.none() | st.frozensets(st.sampled_from(["acme", "other"])),
)
PRINCIPALS = st.builds(
    lambda tenant, identity, groups, country: principal(
        tenant, identity, groups, country=tuple(country)
    ),
    st.sampled_from(["acme", "other"]),
    st.sampled_from(Identity),
    st.lists(NAMES, max_size=2),
    st.lists(NAMES, max_size=1),
)
TABLES = st.dictionaries(NAMES, st.lists(NAMES, max_size=2).map(tuple))


@settings(max_examples=300, deadline=None)
@given(st.lists(EXPOSURES, max_size=4), PRINCIPALS, TABLES)
def test_a_caller_sees_exactly_what_he_may_call(faces, who, table):
    """A tool that is shown and refused confuses a model; one that is hidden and works is a hole."""
    known = exposed(*(replace(one, slug=f"e{n}") for n, one in enumerate(faces)))
    governance = platform(known, groups=NestedGroups(table))
    admitted = []
    for one in known.exposures:
        try:
            asyncio.run(governance.authorize(who, one.slug))
        except Refused:
            continue
        admitted.append(one)
    assert list(asyncio.run(governance.visible(who))) == admitted


@pytest.mark.req("W81")
def test_groups_inside_groups_are_followed_and_a_circle_is_no_trouble():
    """An intern of HR would see nothing of what HR may see; a circle would hang the door."""
    table = {"interns": ("hr",), "hr": ("staff", "interns"), "staff": ("hr",), "law": ("staff",)}
    groups = NestedGroups(table)
    assert asyncio.run(groups.expand(("interns",))) == ("interns", "hr", "staff")
    assert asyncio.run(groups.expand(())) == ()
    assert asyncio.run(groups.expand(("nobody", "nobody"))) == ("nobody",)
    governance = platform(exposed(exposure(rule(HR))), groups=groups)
    caller = asyncio.run(governance.authorize(principal(groups=["interns"]), "ask"))
    assert caller.groups == ("interns", "hr", "staff")
    assert dict(caller.claims)["groups"] == caller.groups


class Broken:
    async def expand(self, groups):
        raise TimeoutError("the directory knows secrets")


def test_a_directory_that_fails_opens_no_door():
    """An outage of the directory would make everybody a member of everything, or of nothing."""
    governance = platform(exposed(exposure(authenticated=True)), groups=Broken())
    for doing in (governance.authorize(principal(), "ask"), governance.visible(principal())):
        assert reason_of(refused(doing)) is Denial.GROUPS_UNAVAILABLE


def test_a_token_passes_from_end_to_end():
    """Each part could be right and their seam wrong."""
    issuer = mint.issuer(
        tenant="",
        tenant_claim="org.id",
        tenants=(("org-7", "acme"),),
        groups_claim="realm_access.roles",
    )
    clock = Clock()
    grant = {"sources": frozenset({"news"}), "limits": Limits(rows=5)}
    governance = platform(
        exposed(exposure(rule(HR, **grant))),
        clock=clock,
        verifier=tokens(issuer, clock=clock),
        scopes=("esra:search",),
    )
    claims = payload(
        org={"id": "org-7"},
        realm_access={"roles": ["hr"]},
        groups=["payroll-admins"],
        scope="openid esra:search",
        age=41,
        admin=False,
    )
    ada = asyncio.run(governance.authenticate(token(claims=claims)))
    caller = asyncio.run(governance.authorize(ada, "ask"))
    assert (caller.tenant, caller.subject) == ("acme", f"{mint.ISSUER}#ada")
    assert caller.groups == dict(caller.claims)["groups"] == ("hr",)
    assert (caller.sources, caller.modes) == ({"news"}, {"brief", "full"})
    assert caller.limits.rows == 5
    known = dict(caller.claims)
    assert (known["age"], known["admin"], known["org.id"]) == (("41",), ("false",), ("org-7",))
    narrow = refused(governance.authenticate(token(claims={**claims, "scope": "openid"})))
    assert isinstance(narrow, InsufficientScope)
    assert (narrow.code, narrow.scopes) == (ErrorCode.FORBIDDEN, ("esra:search",))
    clock.time = ada.expires
    assert reason_of(refused(governance.authorize(ada, "ask"))) is Denial.EXPIRED
    assert reason_of(refused(governance.visible(ada))) is Denial.EXPIRED


@pytest.mark.parametrize(
    "org", [..., [], ["org-7", "org-8"], "org-9", "", 7, {"org-7": 1}, None, ["org-7", {}]]
)
def test_a_tenant_is_one_value_that_is_known(org):
    """Whoever has two tenants, or an unknown one, would search in whichever we took."""
    issuer = mint.issuer(tenant="", tenant_claim="org", tenants=(("org-7", "acme"), ("org-8", "b")))
    refusal = refused(tokens(issuer).principal(token(claims=payload(org=org))))
    assert reason_of(refusal) is Denial.TENANT_UNRESOLVED


def test_who_brings_no_token_over_a_network_is_nobody():
    """Whoever leaves his token at home would be let in as the operator."""
    known = exposed(exposure())
    for governance in (LocalGovernance(known), platform(known)):
        assert reason_of(refused(governance.authenticate(""))) is Denial.NO_TOKEN


def test_a_house_may_have_no_local_caller():
    """On a shared server whoever can start a shell would be the operator."""
    known = exposed(exposure())
    shut = LocalIdentity(accepted=False)
    for governance in (LocalGovernance(known, shut), platform(known, local=shut)):
        assert reason_of(refused(governance.authenticate(None))) is Denial.LOCAL_NOT_ACCEPTED
    named = LocalGovernance(known, LocalIdentity(tenant="acme", subject="ops"))
    local = asyncio.run(named.authenticate(None))
    assert (local.tenant, local.subject, local.identity) == ("acme", "ops", Identity.LOCAL)
