"""Real tokens through the real governance and the real HTTP face, from threshold to answer."""

import logging
from dataclasses import replace

import httpx2
import pytest

from esra.domain.policy import Access, Condition, Rule
from esra.domain.trust import Trust
from esra.governance.groups import AsGiven
from esra.governance.platform import Platform
from esra.serve.bearer import resource_of
from esra.serve.http import Front
from tests.governance import mint
from tests.serve.doors import door, listening, served_house

BODY = {"exposure": "ask", "prompt": "wing flutter"}
TRUST = Trust(resource=mint.AUDIENCE, issuers=(mint.issuer(),), scopes=("esra:search",))
GOOD = {"scope": "esra:search", "groups": ["staff"]}


@pytest.fixture(scope="module")
def served():
    house = served_house()
    (exposure,) = house.catalog.exposures
    staff = Rule(conditions=(Condition(claim="groups", any=frozenset({"staff"})),))
    ruled = replace(exposure, access=Access(rules=(staff,)))
    house = replace(house, catalog=replace(house.catalog, exposures=(ruled,)))
    clock = mint.Clock()
    verifier = mint.tokens(scopes=TRUST.scopes, resource=TRUST.resource)
    governance = Platform(house.catalog, TRUST, verifier, AsGiven(), clock)
    front = Front(resource=resource_of(TRUST))
    with listening(door(house, governance), front) as url:
        yield house, url


CALLS = [
    (mint.payload(**GOOD), 200, None),
    (mint.payload(**{**GOOD, "aud": "https://other.example"}), 401, "invalid_token"),
    (mint.payload(**{**GOOD, "exp": mint.NOW - 100}), 401, "invalid_token"),
    (mint.payload(**{**GOOD, "iss": "https://evil.example"}), 401, "invalid_token"),
    (mint.payload(**{**GOOD, "scope": "mail"}), 403, "insufficient_scope"),
    (mint.payload(**{**GOOD, "groups": ["guests"]}), 403, None),
]


@pytest.mark.parametrize(("claims", "status", "error"), CALLS)
def test_a_token_is_worth_what_its_claims_and_our_rules_say(served, claims, status, error):
    """A door that checks another thing than governance does is a way round it."""
    house, url = served
    token = mint.token(claims=claims)
    headers = {"Authorization": f"Bearer {token}"}
    found = httpx2.post(f"{url}/v1/retrieve", json=BODY, headers=headers)
    assert found.status_code == status, found.text
    if error:
        assert f'error="{error}"' in found.headers["WWW-Authenticate"]
        assert 'scope="esra:search"' in found.headers["WWW-Authenticate"]
    else:
        assert "WWW-Authenticate" not in found.headers
    assert token not in f"{found.text}{found.headers}{house.audit.records}"


@pytest.mark.req("E006")
def test_every_record_and_answer_of_a_call_carries_its_tenant_and_its_correlation(served):
    """Two records of one call could not be put together."""
    house, url = served
    house.audit.records.clear()
    headers = {"Authorization": f"Bearer {mint.token(claims=mint.payload(**GOOD))}"}
    found = httpx2.post(f"{url}/v1/retrieve", json=BODY, headers=headers)
    assert {record["tenant"] for record in house.audit.records} == {"acme"}
    assert {record["correlation"] for record in house.audit.records} == {
        found.headers["X-Correlation-Id"]
    }
    assert len(house.audit.records) > 4


def test_a_token_stands_in_no_log_line_whether_it_is_accepted_or_not(served, caplog):
    """Whoever reads a log could call in its holder's name."""
    caplog.set_level(logging.DEBUG)
    _, url = served
    for claims in (mint.payload(**GOOD), mint.payload(**{**GOOD, "exp": mint.NOW - 100})):
        token = mint.token(claims=claims)
        for path in ("/v1/retrieve", "/mcp"):
            httpx2.post(url + path, json=BODY, headers={"Authorization": f"Bearer {token}"})
        parts = token.split(".")[1:]  # every token of an issuer has the same beginning
        told = [f"{one.getMessage()}{one.exc_info}" for one in caplog.records]
        assert [line for line in told if any(part in line for part in parts)] == []
    assert caplog.records
