"""The answer: cut, masked and bounded; and its status follows from its warnings."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from esra.domain.capability import Presence
from esra.domain.codes import NoticeCode, WarningCode
from esra.domain.hit import Candidate, NotAsked, Ranked
from esra.domain.invocation import Mode
from esra.domain.outcome import Warn
from esra.domain.ranking import OrderedBy
from esra.domain.response import Response, Status
from esra.domain.source import Limits, Masking
from esra.show import as_json
from esra.stages.respond import allowed_and_masked, mask, respond
from tests.house import call, field, hit, scope, source

FIELDS = (
    field("author", returnable=True),
    field("salary", returnable=True, restricted=True),
    field("note"),
    field("card", returnable=True, masking=Masking.LAST4),
    field("iban", returnable=True, masking=Masking.ALL),
)


def ranked(*hits) -> tuple[Ranked, ...]:
    return tuple(
        Ranked(
            candidate=Candidate(hit=h, matches=(), bonus=0.0, weighted=1.0),
            semantic=NotAsked(),
            final=1.0,
        )
        for h in hits
    )


def answer(*hits, limit=10, limits=None, mode=Mode.BRIEF, warnings=()) -> Response:
    more = {"exposure": {"limits": limits}} if limits else {}
    own = scope(source("news", fields=FIELDS), presence=Presence.OPTIONAL, **more)
    return respond(
        call(limit=limit, mode=mode), own, ranked(*hits), OrderedBy.WEIGHTED, warnings, ()
    )


@pytest.mark.req("E159")
def test_only_returnable_unrestricted_fields_leave():
    """Else a restricted value would be in an answer."""
    values = tuple((name, f"value of {name}") for name in ("author", "salary", "note", "strange"))
    mapping = source("news", fields=FIELDS).mappings[0]
    assert allowed_and_masked(values, mapping) == (("author", "value of author"),)


@pytest.mark.req("E160")
def test_values_are_masked_whole_before_anything_is_cut():
    """Else a cut could leave half of an unmasked value."""
    by_name = {f.name: f for f in FIELDS}
    assert mask("4111111111111234", by_name["card"]) == "***1234"
    assert mask("1234", by_name["card"]) == "***"
    assert mask("DE02120300000000202051", by_name["iban"]) == "***"
    long = hit("1", 1.0, fragment="f" * 900, fields=(("iban", "DE02120300000000202051"),))
    response = answer(long, limits=Limits(size=400))
    assert response.results[0].fields == (("iban", "***"),)
    assert len(response.results[0].fragment) < 400


@pytest.mark.req("E144", "E161")
@given(st.integers(1_000, 4_000), st.lists(st.text(max_size=300), max_size=8))
def test_the_results_stay_under_their_cap_in_bytes_and_are_cut_between_characters(size, texts):
    """Else one long document would flood the client's context, or end in half a character."""
    hits = [hit(str(n), 1.0, title="t", fragment=text) for n, text in enumerate(texts)]
    response = answer(*hits, limits=Limits(size=size))
    document = as_json(response)["results"]
    assert len(json.dumps(document)) <= size
    for result, text in zip(response.results, texts, strict=False):
        assert text.startswith(result.fragment)
    whole = [result.fragment for result in response.results] == texts
    cut = [note for note in response.notices if note.code is NoticeCode.RESPONSE_TRUNCATED]
    assert bool(cut) is not whole


@pytest.mark.req("E158")
def test_the_top_k_is_the_first_k_and_says_there_is_more():
    """Else a caller could not know that it saw a part."""
    response = answer(*(hit(str(n), 1.0) for n in range(5)), limit=2)
    assert [r.title for r in response.results] == ["title 0", "title 1"]
    assert [n.code for n in response.notices] == [NoticeCode.HAS_MORE]


@pytest.mark.req("E163", "E164")
def test_degraded_if_and_only_if_there_is_a_warning():
    """Else a client would take a partial answer for a whole one."""
    assert answer(hit("1", 1.0)).status is Status.COMPLETE
    for code in WarningCode:
        assert answer(hit("1", 1.0), warnings=(Warn(code=code),)).status is Status.DEGRADED
    assert {status.value for status in Status} == {"complete", "degraded"}


def test_no_result_carries_its_record_key():
    """Else an opaque id would not be one."""
    response = answer(hit("key-4711", 1.0, title="t", fragment="f"))
    assert "4711" not in repr(response)
