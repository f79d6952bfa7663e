"""The double, one a test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.llm.double import Server, running


@pytest.fixture
def server() -> Iterator[Server]:
    with running() as server:
        yield server
