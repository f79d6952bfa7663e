"""The packages the product promises: each declared, and each used by something that matters."""

from __future__ import annotations

import re
import tomllib

import pytest

from tests.guard.house import ROOT, read_house

# Distribution -> the name it is imported by.
PROMISED = {
    "jupyterlab": "jupyterlab",
    "pandas": "pandas",
    "numpy": "numpy",
    "scikit-learn": "sklearn",
    "pydantic": "pydantic",
    "psycopg": "psycopg",
    "cryptography": "cryptography",
    "matplotlib": "matplotlib",
    "papermill": "papermill",
    "pytest": "pytest",
    "nbval": "nbval",
}
# Programs rather than libraries: ./workbench starts them.
STARTED = {"jupyterlab": '"jupyterlab"', "pytest": '"pytest"', "nbval": '"--nbval-lax"'}


def declared() -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    listed = [*project["dependencies"], *project["optional-dependencies"]["workbench"]]
    return {re.split(r"[\[<>=!~;]", entry)[0] for entry in listed}


def used(package: str) -> bool:
    """Imported by the runtime or the workbench, or started by the command."""
    if package in STARTED:
        return STARTED[package] in (ROOT / "workbench").read_text("utf-8")
    modules = [*read_house("esra").values(), *read_house("eval").values()]
    return any(
        name.split(".")[0] == PROMISED[package] for module in modules for name in module.imports
    )


@pytest.mark.req("U03")
@pytest.mark.parametrize("package", PROMISED)
def test_a_promised_package_is_declared_and_used(package: str):
    """A package that is only listed is weight; one only used is missing after an install."""
    assert package in declared()
    assert used(package)


@pytest.mark.req("U04")
def test_the_top_level_is_what_was_asked_for():
    """People find their way by these names."""
    wanted = ["pyproject.toml", "README.md", "esra", "notebooks", "datasets", "eval", "tests"]
    assert [name for name in wanted if not (ROOT / name).exists()] == []
