"""The HTTP face: its answers, its problems, its tokens, and what it shows to whom."""

import json

import httpx2
import pytest

from esra.domain.codes import ErrorCode
from esra.domain.outcome import Refused
from esra.governance.local import LocalGovernance
from esra.serve.edge import Addresses
from esra.serve.http import Front, http_app
from tests.serve.calls import CALL, MODERN
from tests.serve.doors import door, listening, run, served_house

BODY = {"exposure": "ask", "prompt": "wing flutter"}
ACCEPT = "application/json, text/event-stream"
PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


@pytest.fixture(scope="module")
def local():
    with listening(door()) as url:
        yield url


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


def test_a_tools_answer_has_the_id_of_the_response_it_came_in(local):
    """A user who reads one id to the operator would read the wrong one."""
    found = httpx2.post(f"{local}/mcp", json=CALL, headers={**MODERN, "Accept": ACCEPT})
    answer = found.json()["result"]["structuredContent"]
    assert answer["correlation"] == found.headers["X-Correlation-Id"]


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
    ("POST", "/v1/retrieve", {"content": json.dumps(BODY).encode("utf-16"), "headers": JSON}, 400),
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
