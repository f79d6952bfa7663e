"""The German server, one for all the tests of the lane, with a shop and a clinic on it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.doctor.clinic import SECRET, Clinic
from tests.lanes.german.server import german
from tests.providers.shop import Shop


@pytest.fixture(scope="session")
def database():
    programs = os.environ.get("ESRA_GERMAN_PROGRAMS")
    if not programs:
        pytest.skip("needs a server that speaks German: run tests/lanes/german/run.py")
    with german(Path(programs)) as made:
        yield made


@pytest.fixture(scope="session")
def shop(database):
    made = Shop(database)
    yield made
    made.close()


@pytest.fixture
def clinic(database, tmp_path, monkeypatch):
    made = Clinic(database, tmp_path)
    monkeypatch.setenv("ESRA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv(SECRET, made.url())
    yield made
    made.close()
