"""A sealed query: made by the stamp alone, opened by the check alone, never changed between."""

import copy
import pickle
import weakref
from dataclasses import FrozenInstanceError, fields, replace

import pytest

from esra import _key
from esra._check import NotSealed, check
from esra._stamp import stamp
from esra.domain.plan import Strategy
from esra.sealed import QueryContent, ValidatedQuery
from tests.providers.queries import content

MINE = content(optional=("tree",))


@pytest.mark.req("E008", "E069", "E080")
@pytest.mark.parametrize(
    "attempt",
    [
        lambda: ValidatedQuery(),
        lambda: ValidatedQuery(MINE),
        lambda: ValidatedQuery.__new__(ValidatedQuery, MINE),
        lambda: type("Like", (ValidatedQuery,), {}),
        lambda: copy.copy(stamp(MINE)),
        lambda: copy.deepcopy(stamp(MINE)),
        lambda: pickle.dumps(stamp(MINE)),
        lambda: stamp(MINE).__reduce__(),
        lambda: stamp(MINE).__reduce_ex__(5),
        lambda: replace(stamp(MINE), rows=1),
        lambda: setattr(stamp(MINE), "_content", MINE),
        lambda: setattr(stamp(MINE), "anything", 1),
        lambda: delattr(stamp(MINE), "_tag"),
        lambda: stamp("select 1"),
        lambda: stamp(stamp(MINE)),
    ],
)
def test_there_is_no_other_way_to_make_one(attempt):
    """A query that nobody validated would carry a seal."""
    with pytest.raises((TypeError, AttributeError, FrozenInstanceError)):
        attempt()


@pytest.mark.req("E080")
def test_the_check_hands_back_exactly_what_was_stamped():
    """An engine would run something else than what was allowed."""
    assert check(stamp(MINE)) is MINE


class LookAlike:
    """All that a sealed query has, but not its type."""

    def __init__(self, real: ValidatedQuery) -> None:
        self._content, self._tag = real._content, real._tag


def forged(**slots) -> ValidatedQuery:
    made = object.__new__(ValidatedQuery)
    for name, value in slots.items():
        object.__setattr__(made, name, value)
    return made


@pytest.mark.req("E080")
@pytest.mark.parametrize(
    "thing",
    [
        None,
        "select 1",
        MINE,
        LookAlike(stamp(MINE)),
        forged(),
        forged(_content=MINE),
        forged(_content=MINE, _tag=b""),
        forged(_content=MINE, _tag=b"\0" * 32),
        forged(_content=MINE, _tag="text"),
        forged(_content="text", _tag=_key.tag("text")),
        forged(_content=content(optional=("moss",)), _tag=stamp(MINE)._tag),
    ],
)
def test_a_forgery_is_refused(thing):
    """Whatever looks like a query would be run."""
    with pytest.raises(NotSealed):
        check(thing)


CHANGES = {
    "invocation": "other",
    "configuration": "other",
    "source": "other",
    "mapping": "other",
    "query": 1,
    "relation": replace(MINE.relation, table="other"),
    "strategy": Strategy.PHRASE,
    "required": ("other",),
    "optional": ("other",),
    "excluded": ("other",),
    "phrases": ("other",),
    "visible": ((None,),),
    "filters": (None,),
    "projection": (None,),
    "rows": 51,
    "fragment": 201,
    "seconds": 5.1,
    "snapshot": 1,
}


@pytest.mark.req("E080")
@pytest.mark.parametrize("name", [field.name for field in fields(QueryContent)])
def test_a_change_of_any_field_breaks_the_seal(name):
    """A seal would hold for another source, another cap or other words."""
    sealed = stamp(MINE)
    object.__setattr__(sealed, "_content", replace(MINE, **{name: CHANGES[name]}))
    with pytest.raises(NotSealed):
        check(sealed)


@pytest.mark.req("E080")
def test_content_changed_in_place_breaks_the_seal():
    """Whoever kept a reference to the content could edit a query after its validation."""
    own = content(optional=("tree",))
    sealed = stamp(own)
    object.__setattr__(own, "rows", 10**6)
    with pytest.raises(NotSealed):
        check(sealed)


def test_what_is_shown_of_a_query_is_no_content():
    """A log line of a query would hold what a user asked for."""
    sealed = stamp(content(optional=("canary",)))
    assert "canary" not in repr(sealed)
    assert (sealed.source, sealed.query, sealed.rows) == ("shop", 0, 50)
    with pytest.raises(TypeError):
        weakref.ref(sealed)
