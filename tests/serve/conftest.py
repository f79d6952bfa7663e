"""A shelf for the tests that serve a real database."""

import pytest

from tests.serve.shelf import Shelf


@pytest.fixture(scope="session")
def shelf(database, tmp_path_factory):
    made = Shelf(database, tmp_path_factory.mktemp("served"))
    yield made
    made.close()
