"""Random traces of the real pipeline, made once."""

import pytest

from tests.replay.random_traces import random_trace


@pytest.fixture(scope="session")
def random_traces():
    """Three sets of six traces."""
    return [[random_trace(100 * part + seed) for seed in range(6)] for part in range(3)]
