"""The small model's server, one for all the tests of the lane."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from esra.llm.openai import Endpoint, LanguageModel
from esra.llm.prompts import load_prompts

KEY = "lane-key-5b6a7988f0e1d2c3"
SERVE = Path(__file__).with_name("serve.py")


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    packages = os.environ.get("ESRA_ENDPOINT_PACKAGES")
    if not packages:
        pytest.skip("needs a model of its own: run tests/lanes/endpoint/run.py")
    log = tmp_path_factory.mktemp("endpoint") / "log"
    with log.open("wb") as errors:
        server = subprocess.Popen(
            [sys.executable, "-P", str(SERVE), KEY],
            env={**os.environ, "PYTHONPATH": packages},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
        )
    try:
        line = server.stdout.readline().decode().strip()
        assert line.startswith("http://127.0.0.1:"), log.read_text("utf-8", "replace")[-2000:]
        yield line
    finally:
        server.kill()
        server.wait()


@pytest.fixture
def endpoint(address: str) -> Callable[..., Endpoint]:
    """The server on these terms: ``endpoint(timeout=1.0)``."""

    def make(**terms) -> Endpoint:
        terms = {"key": lambda: KEY, "timeout": 100.0, "max_tokens": 200, **terms}
        return Endpoint(base_url=address, model="smollm2", **terms)

    return make


@pytest.fixture
def model(endpoint: Callable[..., Endpoint]) -> Callable[..., LanguageModel]:
    """The model on these terms."""
    return lambda **terms: LanguageModel(endpoint(**terms), load_prompts())
