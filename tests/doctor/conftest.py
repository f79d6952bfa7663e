"""One clinic for the tests of this folder."""

import pytest

from tests.doctor.clinic import SECRET, Clinic


@pytest.fixture(scope="module")
def clinic(database, tmp_path_factory):
    made = Clinic(database, tmp_path_factory.mktemp("catalogs"))
    yield made
    made.close()


@pytest.fixture(autouse=True)
def address(request, monkeypatch, tmp_path):
    """A home of the test's own, and the reader's address where the catalog says it is."""
    monkeypatch.setenv("ESRA_HOME", str(tmp_path / "home"))
    if "clinic" in request.fixturenames:
        monkeypatch.setenv(SECRET, request.getfixturevalue("clinic").url())
