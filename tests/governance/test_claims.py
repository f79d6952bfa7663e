"""Claims as texts: nothing is read that was not said, and nothing twice."""

import pytest

from esra.domain.outcome import Refused
from esra.governance.claims import read_claims


@pytest.mark.parametrize(
    ("claims", "texts"),
    [
        ({"a": "x", "n": 7, "f": 1.5, "t": True}, {"a": "x", "n": "7", "f": "1.5", "t": "true"}),
        ({"a": {"b": {"c": "x"}}}, {"a.b.c": "x"}),
        ({"a.b": "top", "a": {"b": "inner"}}, {"a.b": "top"}),
        ({"a": {"b": "inner"}, "a.b": "top"}, {"a.b": "top"}),
        ({"a": {"b": {"c": {"d": {"e": "deep"}}}}}, {}),
    ],
)
def test_an_inner_claim_has_the_name_of_its_path(claims, texts):
    """An inner claim that passes for a top one is a group its holder gave himself."""
    assert {name: values[0] for name, values in read_claims(claims)} == texts


@pytest.mark.parametrize("value", [None, {}, [None], ["hr", {"name": "law"}], ["hr", ["law"]]])
def test_what_is_no_list_of_plain_values_has_none(value):
    """Half a list of groups, or of tenants, is another one."""
    assert dict(read_claims({"groups": value})).get("groups", ()) == ()


@pytest.mark.parametrize("text", ["a\x00", "a\n", "\x7f", "\ud800", "x" * 1_025])
@pytest.mark.parametrize(
    "place", [lambda t: {t: "v"}, lambda t: {"k": [t]}, lambda t: {"a": {t: 1}}]
)
def test_text_that_cannot_be_written_down_is_refused(text, place):
    """A record or a database that stumbles over it would fail somebody else's call."""
    with pytest.raises(Refused):
        read_claims(place(text))
