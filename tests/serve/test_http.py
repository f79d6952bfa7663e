"""The HTTP face: its answers, its problems, its tokens, and what it shows to whom."""

from dataclasses import replace

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from esra.domain.codes import Denial, ErrorCode
from esra.domain.invocation import Caller, Identity, Principal
from esra.domain.outcome import Refused
from esra.governance.local import LocalGovernance
from esra.governance.refusals import InsufficientScope, forbidden, unauthenticated
from esra.serve.bearer import Resource
from esra.serve.edge import Addresses
from esra.serve.http import Front, http_app
from tests.serve.doors import ERAS, door, listening, run, served_house

BODY = {"exposure": "ask", "prompt": "wing flutter"}
RESOURCE = Resource(
    url="https://esra.example/mcp", issuers=("https://login.example",), scopes=("search",)
)
METADATA = "https://esra.example/.well-known/oauth-protected-resource/mcp"
PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


class Tokens(LocalGovernance):
    """Knows three tokens: two that may, and one that may not."""

    async def authenticate(self, token):
        if token == "narrow":
            raise InsufficientScope(("search",))
        if token not in ("good", "poor", "other"):
            raise unauthenticated(Denial.TOKEN_MALFORMED)
        return Principal(tenant="t", subject=token, identity=Identity.TOKEN)

    async def authorize(self, principal, exposure):
        if principal.subject == "poor" or self._catalog.exposure(exposure) is None:
            raise forbidden(Denial.NO_RULE)
        return Caller(tenant="t", subject=principal.subject, identity=Identity.TOKEN)

    async def visible(self, principal):
        return self._catalog.exposures


@pytest.fixture(scope="module")
def local():
    with listening(door()) as url:
        yield url


@pytest.fixture(scope="module")
def guarded():
    house = served_house()
    own = door(house, Tokens(house.catalog))
    with listening(own, Front(resource=RESOURCE)) as url:
        yield url


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def test_a_service_gets_the_envelope_and_the_id_the_log_knows_it_by(local):
    """Nobody could say which of a thousand log lines was this answer."""
    found = httpx2.post(f"{local}/v1/retrieve", json=BODY)
    assert found.status_code == 200
    answer = found.json()
    assert len(answer["results"]) == 4
    assert answer["correlation"] == found.headers["X-Correlation-Id"]
    assert found.headers["Cache-Control"] == "no-store"


def test_the_callers_trace_names_the_call(local):
    """A trace would end at our door."""
    found = httpx2.post(f"{local}/v1/retrieve", json=BODY, headers={"traceparent": PARENT})
    assert found.json()["correlation"] == "0af7651916cd43dd8448eb211c80319c"
    assert found.headers["X-Correlation-Id"] == "0af7651916cd43dd8448eb211c80319c"


JSON = {"Content-Type": "application/json"}
PROBLEMS = [
    ("GET", "/v1/retrieve", {}, 405),
    ("PUT", "/mcp", {}, 405),
    ("GET", "/", {}, 404),
    ("GET", "/v1/retrieve/", {}, 404),
    ("POST", "/v1/retrieve", {"content": b"{}"}, 415),
    ("POST", "/v1/retrieve", {"content": b"{}", "headers": {"Content-Type": "text/json"}}, 415),
    ("POST", "/v1/retrieve", {"content": b"{", "headers": JSON}, 400),
    ("POST", "/v1/retrieve", {"content": b"[]", "headers": JSON}, 400),
    ("POST", "/v1/retrieve", {"content": b"[" * 100_000, "headers": JSON}, 400),
    ("POST", "/v1/retrieve", {"json": {**BODY, "limit": "7"}}, 400),
    ("POST", "/v1/retrieve", {"json": {**BODY, "canary-4711": 1}}, 400),
    ("POST", "/v1/retrieve", {"json": {**BODY, "exposure": 7}}, 400),
    ("POST", "/v1/retrieve", {"json": {**BODY, "exposure": "nothing"}}, 403),
    ("POST", "/v1/retrieve", {"content": b"x" * 262_145, "headers": JSON}, 413),
    ("GET", "/healthz?access_token=canary-4711", {}, 400),
    ("GET", "/metrics", {"headers": {"Host": "evil.example"}}, 421),
    ("GET", "/metrics", {"headers": {"Origin": "https://evil.example"}}, 403),
    ("GET", "/metrics", {"headers": {"Origin": "null"}}, 403),
    ("POST", "/mcp", {"json": {}, "headers": {"Host": "evil.example"}}, 421),
]


@pytest.mark.parametrize(("method", "path", "more", "status"), PROBLEMS)
def test_whatever_is_wrong_is_a_problem_document_that_repeats_nothing(
    local, method, path, more, status
):
    """A service would have to read prose, and a log would hold what somebody sent."""
    found = httpx2.request(method, local + path, **more)
    assert (found.status_code, found.headers["Content-Type"]) == (
        status,
        "application/problem+json",
    )
    problem = found.json()
    assert problem["status"] == status
    assert problem["correlation"] == found.headers["X-Correlation-Id"]
    assert "canary" not in found.text
    assert "evil" not in found.text
    if status == 405:
        assert found.headers["Allow"]


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_a_probe_is_answered_whatever_host_it_names(local, path):
    """A platform that probes by address would restart a healthy process for ever."""
    found = httpx2.get(local + path, headers={"Host": "10.0.0.7:8765"})
    assert found.status_code == 200


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


@pytest.mark.parametrize("token", ["narrow", "poor"])
def test_a_good_token_that_may_not_is_told_that_its_scope_is_short(guarded, token):
    """401 would send the client round for the same token again."""
    found = httpx2.post(f"{guarded}/v1/retrieve", json=BODY, headers=bearer(token))
    assert found.status_code == 403
    assert 'error="insufficient_scope"' in found.headers["WWW-Authenticate"]


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
    start = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "x", "version": "1"},
        },
    }
    common = {"Accept": "application/json, text/event-stream"}
    begun = httpx2.post(f"{guarded}/mcp", json=start, headers={**common, **bearer("good")})
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


def test_metrics_are_not_for_other_machines():
    """Labels name the sources of every tenant."""
    own = door()

    async def status(front, peer):
        transport = httpx2.ASGITransport(app=http_app(own, front), client=(peer, 1))
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            return (await client.get("/metrics")).status_code

    assert run(status(Front(), "127.0.0.1")) == 200
    assert run(status(Front(), "192.0.2.7")) == 404
    assert run(status(Front(open_metrics=True), "192.0.2.7")) == 200


def test_not_ready_before_it_is_open():
    """Callers would be sent to a process that cannot answer them."""
    from esra.serve.http import http_app

    async def status():
        transport = httpx2.ASGITransport(app=http_app(door()))
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            return (await client.get("/readyz")).status_code

    assert run(status()) == 503


@pytest.mark.parametrize(
    ("code", "status"),
    [
        (ErrorCode.NO_SOURCES_AVAILABLE, 409),
        (ErrorCode.DOCUMENT_NOT_FOUND, 404),
        (ErrorCode.QUOTA_EXCEEDED, 429),
        (ErrorCode.AUDIT_UNAVAILABLE, 503),
        (ErrorCode.INTERNAL, 500),
    ],
)
def test_each_code_has_its_status(code, status):
    """A client would retry what cannot succeed, or give up on what can."""

    class Says(LocalGovernance):
        async def authorize(self, principal, exposure):
            raise Refused(code, "so")

    house = served_house()
    with listening(door(house, Says(house.catalog))) as url:
        found = httpx2.post(f"{url}/v1/retrieve", json=BODY)
    assert (found.status_code, found.json()["code"]) == (status, code)


def test_a_browser_lets_an_allowed_page_call_and_no_other():
    """A page that may call could not, or one that may not could."""
    page = "https://app.example"
    front = Front(addresses=Addresses(pages=(page,)))
    asking = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "mcp-name"}

    async def asked(origin):
        transport = httpx2.ASGITransport(app=http_app(door(), front))
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            ahead = await client.options("/mcp", headers={**asking, "Origin": origin})
            found = await client.post("/v1/retrieve", json=BODY, headers={"Origin": origin})
            return ahead.status_code, found.status_code, found.headers

    ahead, found, headers = run(asked(page))
    assert (ahead, found, headers["Access-Control-Allow-Origin"]) == (200, 200, page)
    assert "X-Correlation-Id" in headers["Access-Control-Expose-Headers"]
    ahead, found, headers = run(asked("https://app.example.evil"))
    assert (ahead, found) == (403, 403)
    assert "Access-Control-Allow-Origin" not in headers


def test_the_metadata_path_follows_the_resource():
    """RFC 9728, 3.1: the well-known part goes before the resource's own path."""
    bare = replace(RESOURCE, url="https://esra.example")
    assert bare.metadata_url == "https://esra.example/.well-known/oauth-protected-resource"
    assert RESOURCE.metadata_url == METADATA
