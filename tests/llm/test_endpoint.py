"""The terms of an endpoint: which are taken, which are refused, and what they come to."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec

import pytest

from esra.llm.openai import Endpoint

SECRET = "hunter2-hunter2-hunter2"


def at(base_url: str = "https://models.example/v1", **more) -> Endpoint:
    return Endpoint(base_url=base_url, model=more.pop("model", "small"), **more)


@pytest.mark.parametrize(
    ("base_url", "url"),
    [
        ("https://models.example", "https://models.example/v1/chat/completions"),
        ("https://models.example/", "https://models.example/v1/chat/completions"),
        ("https://models.example/v1", "https://models.example/v1/chat/completions"),
        ("https://models.example/api/v2/", "https://models.example/api/v2/chat/completions"),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080/v1/chat/completions"),
    ],
)
def test_where_the_questions_go(base_url: str, url: str):
    """Else the address that works in every other client would not work here."""
    assert at(base_url).url == url


@pytest.mark.parametrize(
    "base_url",
    [
        "",
        "models.example",
        "ftp://models.example",
        "https://",
        "https://models.example:port",
        "https://[::1",
        f"https://user:{SECRET}@models.example",
        f"https://{SECRET}@models.example",
        f"https://models.example/v1?api-key={SECRET}",
        f"https://models.example/v1#{SECRET}",
    ],
)
def test_an_address_that_cannot_be_is_refused_and_not_repeated(base_url: str):
    """Else a key that somebody put into an address would stand in a message, or in a trace."""
    with pytest.raises(ValueError, match="base_url") as caught:
        at(base_url)
    assert SECRET not in str(caught.value)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize("base_url", ["http://models.example/v1", "http://10.0.0.7:8000"])
def test_a_key_goes_over_no_open_network(base_url: str):
    """Else everybody on the way could read it."""
    with pytest.raises(ValueError, match="https"):
        at(base_url, key=lambda: SECRET)
    assert at(base_url).key is None


@pytest.mark.parametrize("base_url", ["http://localhost:1", "http://127.0.0.9", "http://[::1]:8"])
def test_a_key_may_go_to_this_machine(base_url: str):
    """Else a server on the same machine would need a certificate."""
    assert at(base_url, key=lambda: SECRET).url.startswith(base_url)


@pytest.mark.parametrize(
    "more",
    [
        {"model": " "},
        {"timeout": 0.0},
        {"timeout": float("nan")},
        {"timeout": 601.0},
        {"concurrency": 0},
        {"max_tokens": 0},
        {"price": (-1.0, 2.0)},
        {"price": (float("nan"), 2.0)},
        {"proxy": "socks5://proxy.example"},
        {"proxy": f"{SECRET}@proxy.example"},
    ],
)
def test_terms_that_cannot_be_are_refused(more: dict[str, object]):
    """Else a mistake in a setting would show as a model that never answers."""
    with pytest.raises(ValueError, match=next(iter(more))) as caught:
        at(**more)
    assert SECRET not in str(caught.value)


def test_what_an_answer_cost():
    """Else nobody could say what a setting of the pipeline costs a month."""
    # 2,000 * 3 + 500 * 8 = 10,000 millionths
    assert at(price=(3.0, 8.0)).cost(2_000, 500) == pytest.approx(0.01)
    assert at().cost(2_000, 500) is None
    assert at(price=(0.0, 0.0)).cost(2_000, 500) == 0.0


def test_an_identity_tells_models_apart_and_names_no_host():
    """Else a configuration tuned with one model would be used with another of the same name."""
    identities = [
        at().identity,
        at("https://other.example/v1").identity,
        at(model="large").identity,
        at(seed=1).identity,
        at(seed=None).identity,
    ]
    assert len(set(identities)) == 5
    assert all("example" not in identity for identity in identities)
    assert at(timeout=1.0, key=lambda: SECRET, concurrency=1).identity == identities[0]


def test_neither_key_nor_proxy_shows():
    """Else a log of the settings would hold them."""
    own = at(key=lambda: SECRET, proxy=f"http://u:{SECRET}@proxy.example")
    assert SECRET not in repr(own)
    assert "proxy" not in repr(own)


def test_without_the_client_it_says_what_to_install(monkeypatch):
    """Else a missing package would show as a traceback at the first question."""
    from esra.llm.embedder import ModelMissing
    from esra.llm.openai.line import Line

    monkeypatch.setitem(sys.modules, "httpx2", None)
    with pytest.raises(ModelMissing, match=r"install esra\[model\]"):
        Line(at())


def test_the_client_is_not_loaded_before_a_model_is_made():
    """Else every start of the runtime would wait for a library that most do not use."""
    assert find_spec("httpx2")
    code = "import sys, esra.llm.openai; sys.exit('httpx2' in sys.modules)"
    assert subprocess.run([sys.executable, "-P", "-c", code]).returncode == 0
