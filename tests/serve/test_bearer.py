"""Tokens over HTTP: asked for, told how to get, and kept from going further."""

from dataclasses import replace

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from esra.serve.http import Front
from tests.serve.calls import BEGIN
from tests.serve.doors import ERAS, door, listening, run, served_house
from tests.serve.tokens import METADATA, RESOURCE, Tokens, bearer

BODY = {"exposure": "ask", "prompt": "wing flutter"}


@pytest.fixture(scope="module")
def guarded():
    house = served_house()
    own = door(house, Tokens(house.catalog))
    with listening(own, Front(resource=RESOURCE)) as url:
        yield url


@pytest.mark.parametrize(
    ("headers", "challenge"),
    [
        ({}, f'Bearer scope="search", resource_metadata="{METADATA}"'),
        (
            bearer("forged"),
            f'Bearer error="invalid_token", scope="search", resource_metadata="{METADATA}"',
        ),
        ({"Authorization": "Basic Zm9v"}, f'Bearer scope="search", resource_metadata="{METADATA}"'),
        (
            {"Authorization": "Bearer good good"},
            f'Bearer scope="search", resource_metadata="{METADATA}"',
        ),
    ],
)
@pytest.mark.parametrize("path", ["/v1/retrieve", "/mcp"])
def test_without_a_good_token_there_is_a_challenge_and_nothing_else(
    guarded, path, headers, challenge
):
    """A client that is not told where to get a token asks its user for a password."""
    found = httpx2.post(guarded + path, content=b"not read", headers=headers)
    assert found.status_code == 401
    assert found.headers["WWW-Authenticate"] == challenge
    assert found.json()["code"] == "ESRA_UNAUTHENTICATED"


def test_a_good_token_with_too_little_scope_is_told_which_it_needs(guarded):
    """401 would send the client round for the same token again."""
    found = httpx2.post(f"{guarded}/v1/retrieve", json=BODY, headers=bearer("narrow"))
    assert found.status_code == 403
    assert 'error="insufficient_scope"' in found.headers["WWW-Authenticate"]


def test_a_holder_whom_policy_refuses_is_not_sent_for_another_token(guarded):
    """No scope would help him, and his client would ask for tokens for ever."""
    found = httpx2.post(f"{guarded}/v1/retrieve", json=BODY, headers=bearer("poor"))
    assert (found.status_code, found.json()["code"]) == (403, "ESRA_FORBIDDEN")
    assert "WWW-Authenticate" not in found.headers


def test_a_good_token_is_answered_and_goes_no_further_than_governance(guarded):
    """A token that reaches a source or an answer is another's to use."""
    found = httpx2.post(f"{guarded}/v1/retrieve", json=BODY, headers=bearer("good"))
    assert found.status_code == 200
    assert "good" not in found.text


@pytest.mark.parametrize("era", ERAS)
def test_an_ai_client_with_a_token_gets_its_tools_and_its_answer(guarded, era):
    """The token of a request would not reach the governance of its tool."""

    async def work():
        async with httpx2.AsyncClient(headers=bearer("good")) as http:
            transport = streamable_http_client(f"{guarded}/mcp", http_client=http)
            async with Client(transport, mode=era) as client:
                tools = (await client.list_tools()).tools
                return tools, await client.call_tool("esra_ask", {"prompt": "wing flutter"})

    tools, result = run(work())
    assert [tool.name for tool in tools] == ["esra_ask"]
    assert result.structured_content["status"] == "complete"


def test_a_session_belongs_to_whoever_began_it(guarded):
    """Whoever learns a session's id would act as its owner."""
    common = {"Accept": "application/json, text/event-stream"}
    begun = httpx2.post(f"{guarded}/mcp", json=BEGIN, headers={**common, **bearer("good")})
    session = {**common, "Mcp-Session-Id": begun.headers["Mcp-Session-Id"]}
    ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
    statuses = {
        token: httpx2.post(
            f"{guarded}/mcp", json=ping, headers={**session, **bearer(token)}
        ).status_code
        for token in ("good", "other", "forged")
    }
    assert statuses == {"good": 200, "other": 404, "forged": 401}


def test_the_metadata_of_the_resource_is_where_the_challenge_says(guarded):
    """A client would have no way to its authorization server."""
    found = httpx2.get(guarded + "/.well-known/oauth-protected-resource/mcp")
    assert found.json() == {
        "resource": "https://esra.example/mcp",
        "authorization_servers": ["https://login.example"],
        "scopes_supported": ["search"],
        "bearer_methods_supported": ["header"],
    }


def test_who_is_turned_away_at_the_threshold_stands_in_the_audit():
    """A thousand forged tokens would leave no trace."""
    house = served_house()
    own = door(house, Tokens(house.catalog))
    with listening(own, Front(resource=RESOURCE)) as url:
        httpx2.post(f"{url}/mcp", json={}, headers=bearer("canary-4711"))
    (record,) = house.audit.records
    assert (record["error"], record["reason"]) == ("ESRA_UNAUTHENTICATED", "TOKEN_MALFORMED")
    assert "canary" not in repr(record)


def test_the_metadata_path_follows_the_resource():
    """RFC 9728, 3.1: the well-known part goes before the resource's own path."""
    bare = replace(RESOURCE, url="https://esra.example")
    assert bare.metadata_url == "https://esra.example/.well-known/oauth-protected-resource"
    assert RESOURCE.metadata_url == METADATA
