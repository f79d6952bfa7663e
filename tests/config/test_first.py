"""The first catalog explains every block there is, and each is good as it stands."""

from __future__ import annotations

import tomllib
from pathlib import Path

import jsonschema
import pytest

from esra.config.blocks import CatalogFile
from esra.config.catalog import load_catalog
from esra.config.schema import catalog_schema
from esra.config.shape import block, keys_of
from esra.sample.first import first_catalog
from tests.config.first import TEXT, blocks, switched_on

CHECKER = jsonschema.Draft202012Validator(catalog_schema())


def load(tmp_path: Path, text: str):
    path = tmp_path / "first.toml"
    path.write_text(text, "utf-8")
    return load_catalog(path)


@pytest.mark.parametrize(
    "off", blocks(), ids=lambda off: f"line {off.start + 1}: {TEXT.splitlines()[off.start]}"
)
def test_each_block_that_is_off_can_be_switched_on(tmp_path, off):
    """The first thing a person tries would be an error."""
    text = switched_on(off)
    assert tomllib.loads(text) != tomllib.loads(TEXT)
    assert load(tmp_path, text).clamped == ()
    CHECKER.validate(tomllib.loads(text))


def test_all_blocks_can_be_on_together(tmp_path):
    """Two blocks would get into each other's way."""
    loaded = load(tmp_path, switched_on(*blocks()))
    assert [source.id for source in loaded.catalog.sources] == ["pages", "tickets"]
    assert loaded.catalog.sources[0].hides_rows
    assert loaded.model is not None
    assert [one.issuer for one in loaded.trust.issuers] == ["https://id.example.com"]
    (exposure,) = loaded.catalog.exposures
    assert len(exposure.access.rules) == 2


def test_every_kind_of_block_stands_in_it():
    """A person would never learn that it can be set."""
    said = set()

    def walk(model, data):
        for key, annotation in keys_of(model).items():
            values = data.get(key) if isinstance(data, dict) else None
            for value in values if isinstance(values, list) else [values]:
                inner = block(annotation) or next(
                    (m for m in map(block, getattr(annotation, "__args__", ())) if m), None
                )
                if inner and value is not None:
                    said.add(inner.__name__)
                    for one in (value, *value.values()):
                        walk(inner, one)

    walk(CatalogFile, tomllib.loads(switched_on(*blocks())))
    assert said >= {
        "ProviderBlock", "SourceBlock", "MappingBlock", "FieldBlock", "RowRuleBlock", "LimitsBlock",
        "RetriesBlock", "BreakerBlock", "VocabularyBlock", "CapabilityBlock", "ScoringBlock",
        "OwnScoringBlock", "BindingBlock", "ExposureBlock", "AllowBlock", "ConditionBlock",
        "ModelBlock", "GovernanceBlock", "IssuerBlock", "LocalBlock",
    }  # fmt: skip


def test_a_name_is_in_all_the_places_that_carry_it(tmp_path):
    """Two first catalogs would share a tool, or the tuned numbers of one capability."""
    catalog = load(tmp_path, first_catalog("help_desk")).catalog
    assert catalog.exposures[0].slug == catalog.exposures[0].capability == "help_desk"
    assert catalog.capabilities[0].id == "help_desk"
    assert "{slug}" not in first_catalog("help_desk")
