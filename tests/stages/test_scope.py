"""Scope: the four levels, health, limits and modes, decided before anything is asked or run."""

from dataclasses import replace
from itertools import product

import pytest

from esra.domain.capability import Binding
from esra.domain.codes import AuditEvent, ErrorCode, NoticeCode
from esra.domain.invocation import Caller, Identity, Mode
from esra.domain.outcome import Refused
from esra.domain.source import Limits
from esra.stages.scope import resolve_scope
from tests.house import call, catalog, source


def levels(policy: bool, binding: bool, exposure: bool, authorization: bool):
    """(call, catalog) in which source ``a`` passes the given levels; ``z`` passes all."""
    known = catalog(
        source("a", enabled=policy),
        source("z"),
        bindings=tuple(Binding(source=id) for id in (["a", "z"] if binding else ["z"])),
        exposure={"sources": frozenset({"a", "z"} if exposure else {"z"})},
    )
    granted = frozenset({"a", "z"} if authorization else {"z"})
    caller = Caller(tenant="t", subject="s", identity=Identity.LOCAL, sources=granted)
    return call(caller=caller), known


@pytest.mark.req("E015")
@pytest.mark.parametrize("passes", list(product([True, False], repeat=4)))
def test_a_source_is_searched_only_if_all_four_levels_let_it_through(passes):
    """Else one forgotten level would open a source to a caller it was closed to."""
    effective = resolve_scope(*levels(*passes)).value.sources
    assert ("a" in [scoped.source.id for scoped in effective]) is all(passes)


@pytest.mark.req("E013")
def test_the_same_inputs_give_the_same_scope_a_hundred_times():
    """Else two calls of one caller could search different sources."""
    asked = levels(True, True, True, True)
    assert len({resolve_scope(*asked).value for _ in range(100)}) == 1


@pytest.mark.req("E016", "E019", "E020")
def test_an_unhealthy_source_is_left_out_and_named_in_the_one_audit_record():
    """Else a source that is down would be asked, or be missing without a trace."""
    known = catalog(source("a", healthy=False), source("b"))
    outcome = resolve_scope(call(), known)
    assert [scoped.source.id for scoped in outcome.value.sources] == ["b"]
    (fact,) = outcome.facts
    assert fact.event is AuditEvent.SOURCES_RESOLVE
    values = dict(fact.values)
    assert values["unhealthy"] == ["a"]
    assert values["effective"] == ["b"]
    for level in ("policy", "binding", "exposure", "authorization"):
        assert values[level] == ["a", "b"]


@pytest.mark.req("E020", "E021")
def test_an_empty_scope_fails_with_its_code_and_still_shows_the_levels():
    """Else nobody could tell which level shut a caller out."""
    caller = Caller(tenant="t", subject="s", identity=Identity.LOCAL, sources=frozenset())
    with pytest.raises(Refused) as refused:
        resolve_scope(call(caller=caller), catalog(source("a")))
    assert refused.value.code is ErrorCode.NO_SOURCES_AVAILABLE
    (fact,) = refused.value.facts
    assert dict(fact.values)["authorization"] == []
    assert dict(fact.values)["effective"] == []


@pytest.mark.req("E017")
@pytest.mark.parametrize("kind", ["rows", "queries", "results", "fragment", "size", "parallel"])
def test_each_limit_is_the_tightest_of_the_levels(kind):
    """Else an exposure could loosen what its capability bounds."""
    for capability, exposure, authorization in [(9, 9, 5), (9, 5, 9), (5, 9, 9)]:
        known = catalog(
            source("a"),
            limits=Limits(**{kind: capability}),
            exposure={"limits": Limits(**{kind: exposure})},
        )
        caller = replace(call().caller, limits=Limits(**{kind: authorization}))
        assert getattr(resolve_scope(call(caller=caller), known).value.limits, kind) == 5


@pytest.mark.req("E018")
def test_a_mode_forbidden_at_one_level_is_not_granted():
    """Else native scores would be shown to an audience that must not see them."""
    open_modes = {"modes": frozenset({"brief", "explain"})}
    asked = call(mode=Mode.EXPLAIN)
    assert resolve_scope(asked, catalog(exposure=open_modes)).value.mode is Mode.EXPLAIN
    for known in (
        catalog(),
        catalog(exposure=open_modes, modes=frozenset({"brief"})),
        catalog(source("a", modes=frozenset({"brief", "full"})), exposure=open_modes),
    ):
        outcome = resolve_scope(asked, known)
        assert outcome.value.mode is Mode.BRIEF
        assert [note.code for note in outcome.notices] == [NoticeCode.SETTING_CLAMPED]


@pytest.mark.parametrize(
    ("exposure", "code"),
    [
        ({"published": False}, ErrorCode.INVALID_REQUEST),
        ({"tenants": frozenset({"other"})}, ErrorCode.FORBIDDEN),
    ],
)
def test_an_unpublished_or_foreign_exposure_is_refused(exposure, code):
    """Else a withdrawn tool would still answer, or answer another tenant."""
    with pytest.raises(Refused) as refused:
        resolve_scope(call(), catalog(exposure=exposure))
    assert refused.value.code is code
