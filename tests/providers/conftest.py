"""A shop for the tests of this folder: one schema, one reading role."""

import pytest

PARTS = ("matching", "fields", "visible", "order", "hostile", "door")
pytest.register_assert_rewrite(
    "tests.providers.asking", *(f"tests.providers.contract_{part}" for part in PARTS)
)

from tests.providers.shop import Shop  # noqa: E402  (after the rewrite is registered)


@pytest.fixture(scope="session")
def shop(database):
    made = Shop(database)
    yield made
    made.close()
