"""A log of nobody's."""

import pytest

from tests.audit.desk import Desk


@pytest.fixture
def desk(tmp_path):
    return Desk(tmp_path)
