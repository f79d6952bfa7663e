"""A database of this folder's own on the tests' server, and roles of its own in it."""

import pytest

pytest.register_assert_rewrite("tests.providers.asking")

from tests.security.ground import Ground  # noqa: E402  (after the rewrite is registered)


@pytest.fixture(scope="session")
def ground(database):
    made = Ground(database)
    yield made
    made.close()


@pytest.fixture
def hostile(request):
    """The folder of shared data where it is there; the generators do without."""
    try:
        return request.getfixturevalue("shared")
    except pytest.skip.Exception:
        return None
