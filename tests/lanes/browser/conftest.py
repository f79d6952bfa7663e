"""One JupyterLab and one browser for all the tests of the lane, on copies of the notebooks."""

from __future__ import annotations

import os

import pytest

from tests.lanes.browser.chromium import chromium
from tests.lanes.browser.lab import lab
from tests.lanes.browser.made import Made


@pytest.fixture(scope="session")
def program():
    found = os.environ.get("ESRA_CHROMIUM")
    if not found:
        pytest.skip("needs a browser: run tests/lanes/browser/run.py")
    return found


@pytest.fixture(scope="session")
def made(program, tmp_path_factory):
    return Made(tmp_path_factory.mktemp("notebooks"))


@pytest.fixture(scope="session")
def lab_url(made, tmp_path_factory):
    """The address of a notebook, once its name is put between ``{}``."""
    with lab(made.folder, tmp_path_factory.mktemp("home")) as address:
        yield address


@pytest.fixture
def page(program, tmp_path):
    """A browser of the test's own: an open notebook would ask before it goes."""
    with chromium(program, tmp_path / "profile") as opened:
        yield opened
