"""The published schema of catalogs says what the loader does, and editors find it."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import jsonschema
import pytest

from esra.cli import main
from esra.config.beside import LINE, NAME, keep_beside
from esra.config.catalog import load_catalog
from esra.config.schema import DIALECT, SCHEMAS, about, catalog_schema, written
from esra.config.strict import ConfigError
from eval.catalog import CatalogSource, Choices, catalog_text
from tests.config.first import blocks, switched_on
from tests.config.test_mistakes import PLANTED, WHOLE

ROOT = Path(__file__).resolve().parents[2]
CHECKER = jsonschema.Draft202012Validator(catalog_schema())


@pytest.mark.parametrize("kind", SCHEMAS)
def test_the_published_file_is_the_schema(kind, capsys):
    """An editor would check against what the runtime no longer does."""
    file = (ROOT / "docs" / "schema" / f"{kind}.schema.json").read_text("utf-8")
    assert file == written(SCHEMAS[kind]()), f"write it anew: esra config schema {kind}"
    jsonschema.Draft202012Validator.check_schema(json.loads(file))
    assert main(["config", "schema", kind]) == 0
    assert capsys.readouterr().out == file


def test_each_key_says_what_it_is():
    """An editor would show a name that everybody can read already."""
    made = catalog_schema()
    blocks = {"CatalogFile": made, **made["$defs"]}
    said = about()
    assert {name: set(block["properties"]) for name, block in blocks.items()} == {
        name: set(keys) for name, keys in said.items()
    }
    shortlist = blocks["ScoringBlock"]["properties"]["shortlist"]["description"]
    assert shortlist == "Candidates the reranker sees. Clamped to 5..200."


def test_it_names_no_host():
    """An editor would ask somebody's server for it."""
    text = written(catalog_schema()).replace(DIALECT, "")
    assert set(re.findall(r"https?://[^/\"]+", text)) == {"http://127.0.0.1:8080"}


def test_what_the_loader_takes_the_schema_takes():
    """An editor would underline what is right."""
    source = CatalogSource(id="a", table="a", documents=1, examples=("x",), dated=True)
    generated = catalog_text("mine", "Mine", "esra_mine", "embedded", [source], Choices(), "f0")
    for text in (switched_on(), switched_on(*blocks()), generated):
        CHECKER.validate(tomllib.loads(text))
    # Clamped with a word by the loader, so no error to an editor either.
    CHECKER.validate(tomllib.loads(WHOLE.replace("match_bonus = 0.02", "match_bonus = 5.0")))


# What stands in a file's shape; the rest is found when names and lists are compared.
SHAPES = ("unknown key", "takes ", "has to be", "may not", "is missing", "this is ")


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [p for p in PLANTED if any(word in p[2] for word in SHAPES) and "one of tenant" not in p[2]],
    ids=lambda value: value[:40],
)
def test_what_the_loader_refuses_for_its_shape_the_schema_refuses(tmp_path, before, after, says):
    """An editor would let a mistake pass that the next start trips over."""
    text = WHOLE.replace(before, after, 1)
    path = tmp_path / "c.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(ConfigError):
        load_catalog(path)
    if "finite" in says:
        pytest.skip("JSON has no infinity, so no schema speaks of it")
    assert not CHECKER.is_valid(tomllib.loads(text))


def test_the_schema_beside_a_catalog_is_renewed(tmp_path):
    """An editor would check by the schema of last year's esra."""
    old = tmp_path / NAME
    old.write_text('{"$id": "urn:esra:schema:catalog"}', "utf-8")
    assert keep_beside(tmp_path / "c.toml") == old
    assert old.read_text("utf-8") == written(catalog_schema())
    assert f"#:schema ./{NAME}\n" == LINE
    assert [path.name for path in tmp_path.iterdir()] == [NAME]
