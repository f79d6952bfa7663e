"""A variable stands in for one value of a catalog, read as strictly as the file, or is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from esra.config.catalog import checked, load_catalog
from esra.config.strict import ConfigError
from esra.config.written import read_catalog
from tests.config.first import TEXT, blocks, switched_on


@pytest.fixture
def catalog(tmp_path) -> Path:
    path = tmp_path / "c.toml"
    path.write_text(switched_on(*blocks()), "utf-8")
    return path


def under(path: Path, **variables: str):
    return read_catalog(path, variables).file


def test_each_kind_of_value_can_be_set(catalog):
    """An operator would have to edit a file that is not his."""
    file = under(
        catalog,
        ESRA_PARALLEL="7",
        ESRA_PROVIDERS__SHOP__URL="env:OTHER",
        ESRA_SOURCES__TICKETS__ENABLED="false",
        ESRA_SOURCES__PAGES__LIMITS__SECONDS="2.5",
        ESRA_SOURCES__PAGES__MAPPINGS__PAGES__RANK="coverage",
        ESRA_CAPABILITIES__GUIDE__SCORING__SOURCES__PAGES__PRIORITY="2",
        ESRA_EXPOSURES__GUIDE__PUBLISHED="false",
        ESRA_MODEL__SEED="3",
        ESRA_GOVERNANCE__LOCAL__ACCEPTED="false",
        ESRA_GOVERNANCE__LEEWAY="10",
    )
    pages, tickets = file.sources
    assert (file.parallel, file.providers["shop"].url) == (7, "env:OTHER")
    assert (tickets.enabled, pages.limits.seconds) == (False, 2.5)
    assert (pages.limits.rows, pages.mappings[0].rank) == (50, "coverage")
    assert file.capabilities[0].scoring.sources["pages"].priority == 2.0
    assert file.capabilities[0].scoring.sources["pages"].half_life == 365.0
    assert not file.exposures[0].published
    assert file.model is not None
    assert (file.model.seed, file.governance.local.accepted, file.governance.leeway) == (
        3,
        False,
        10,
    )


def test_a_block_that_is_not_in_the_file_is_made(tmp_path):
    """A model could not be named from outside."""
    path = tmp_path / "c.toml"
    path.write_text(TEXT, "utf-8")
    file = under(path, ESRA_MODEL__MODEL="m", ESRA_MODEL__BASE_URL="http://127.0.0.1/v1")
    assert file.model is not None
    assert file.model.model == "m"
    with pytest.raises(ConfigError, match=r"model\.base_url: this key is missing"):
        under(path, ESRA_MODEL__MODEL="m")


@pytest.mark.parametrize(
    ("variable", "text", "says"),
    [
        ("ESRA_SOURCES__PAGSE__ENABLED", "true", "no PAGSE in sources, did you mean 'PAGES'"),
        ("ESRA_SOURCES__PAGES__ENABLE", "true", "no ENABLE in sources.0, did you mean 'ENABLED'"),
        ("ESRA_SOURCE__PAGES__ENABLED", "true", "in the catalog, did you mean 'SOURCES'"),
        ("ESRA_SOURCES__PAGES", "x", "only the file can hold a list or table"),
        ("ESRA_SOURCES__PAGES__TAGS", "x", "only the file can hold a list or table"),
        ("ESRA_SOURCES__PAGES__MAPPINGS__PAGES__RECORD_FILTER__0__CLAIM", "x", "can be set"),
        ("ESRA_SOURCES__", "x", "there is no"),
        ("ESRA_SOURCES__PAGES__ENABLED", "yes", "takes true or false"),
        ("ESRA_SOURCES__PAGES__ENABLED", "", "takes true or false"),
        ("ESRA_PARALLEL", "7.0", "takes a whole number"),
        ("ESRA_PARALLEL", "007", "takes a whole number"),
        ("ESRA_PARALLEL", "1_0", "takes a whole number"),
        ("ESRA_PARALLEL", " 7", "takes a whole number"),
        ("ESRA_PARALLEL", "\u0667", "takes a whole number"),
        ("ESRA_PARALLEL", "9" * 5000, "takes a whole number"),
        ("ESRA_PARALLEL", "0", "ESRA_PARALLEL: parallel: has to be at least 1"),
        ("ESRA_GOVERNANCE__LEEWAY", "nan", "takes a number"),
        ("ESRA_GOVERNANCE__LEEWAY", "1e1", "takes a number"),
        ("ESRA_GOVERNANCE__LEEWAY", "61", "has to be at most 60"),
        ("ESRA_GOVERNANCE__RETENTION", "ful", "takes one of full, .*, did you mean 'full'"),
        ("ESRA_PROVIDERS__SHOP__URL", "hunter2", "ESRA_PROVIDERS__SHOP__URL: providers.shop.url"),
        ("ESRA_SOURCES__PAGES__USAGE", "x://u:hunter2@h", "holds a password"),
    ],
)  # fmt: skip
def test_what_cannot_be_meant_is_refused_by_the_variables_name(catalog, variable, text, says):
    """A misspelt variable would be a setting that nobody has."""
    with pytest.raises(ConfigError, match=says) as refused:
        under(catalog, **{variable: text})
    assert str(refused.value).startswith(f"{variable}: ")
    assert "hunter2" not in str(refused.value)


def test_what_lacks_in_a_block_that_a_variable_made_lacks_for_the_variable(tmp_path):
    """The file would be blamed, in which nobody ever wrote a word of a model."""
    path = tmp_path / "c.toml"
    path.write_text(TEXT, "utf-8")
    with pytest.raises(ConfigError) as refused:
        under(path, ESRA_MODEL__MODEL="other")
    assert str(refused.value).startswith("ESRA_MODEL__MODEL: model.base_url: ")


def test_a_reference_that_leads_nowhere_names_the_variable(catalog):
    """A person would look for the mistake in the file."""
    written = read_catalog(catalog, {"ESRA_SOURCES__PAGES__PROVIDER": "shpo"})
    with pytest.raises(ConfigError, match="there is no provider 'shpo', did you mean 'shop'") as no:
        checked(written)
    assert str(no.value).startswith("ESRA_SOURCES__PAGES__PROVIDER: ")


def test_two_sources_that_are_spelled_alike_are_told_apart_in_the_file_only(tmp_path):
    """The wrong one of two would be switched off."""
    path = tmp_path / "c.toml"
    path.write_text(switched_on(*blocks()).replace('"tickets"', '"PAGES!"'), "utf-8")
    with pytest.raises(ConfigError, match="PAGES is more than one thing in sources"):
        under(path, ESRA_SOURCES__PAGES__ENABLED="false")


def test_two_variables_for_one_place_are_refused(catalog):
    """Which of them holds would be chance."""
    with pytest.raises(ConfigError, match="says the same place"):
        under(catalog, ESRA_SOURCES__PAGES__ENABLED="true", ESRA_SOURCES__pages__ENABLED="false")


def test_other_variables_are_left_alone(catalog):
    """A variable that holds a secret under a name of ours would be an error."""
    plain = read_catalog(catalog, {})
    others = {"ESRA_SHOP_URL": "x", "ESRA_HOME": "y", "OTHER__THING": "z", "ESRA_AUDIT_LOG": "l"}
    told = read_catalog(catalog, others)
    assert told.given == ()
    assert (told.file, told.version) == (plain.file, plain.version)


@pytest.mark.req("E044")
def test_the_version_changes_with_a_variable(catalog, monkeypatch):
    """What was remembered under other settings would go on being used."""
    before = load_catalog(catalog).catalog.version
    monkeypatch.setenv("ESRA_SOURCES__PAGES__ENABLED", "false")
    changed = load_catalog(catalog).catalog
    assert changed.version != before
    assert not changed.sources[0].enabled
