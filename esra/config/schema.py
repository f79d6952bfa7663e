"""What may stand in a file, as JSON Schema 2020-12: for editors that complete and check it.

A schema lets through whatever the runtime takes. The other way round it cannot say all: names that
lead nowhere, two that are alike and some bounds are found when the file is loaded.
"""

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from esra.config.blocks import CatalogFile
from esra.config.bounds import CAPABILITY, SOURCE
from esra.config.strict import Strict
from esra.config.tuned import TunedFile

DIALECT = "https://json-schema.org/draft/2020-12/schema"

Schema = dict[str, Any]


def catalog_schema() -> Schema:
    made = _schema(CatalogFile, "catalog", "A catalog of esra: what may be searched, and by whom")
    blocks: Schema = {CatalogFile.__name__: made, **made["$defs"]}
    for block, keys in about().items():
        for key, text in keys.items():
            blocks[block]["properties"][key]["description"] = text
    for block, bounds in (("ScoringBlock", CAPABILITY), ("OwnScoringBlock", SOURCE)):
        for key, bound in bounds.items():
            # No minimum and maximum: the loader takes such a number and clamps it.
            held = f" Clamped to {bound.low:g}..{bound.high:g}."
            blocks[block]["properties"][key]["description"] += held
    return made


def tuned_schema() -> Schema:
    return _schema(TunedFile, "tuned", "A tuned configuration of esra: numbers with their evidence")


SCHEMAS: dict[str, Callable[[], Schema]] = {"catalog": catalog_schema, "tuned": tuned_schema}


def about() -> dict[str, dict[str, str]]:
    """What is said of each key, by block."""
    return tomllib.loads((Path(__file__).parent / "about.toml").read_text("utf-8"))


def written(schema: Schema) -> str:
    """The schema as its file holds it."""
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _schema(model: type[Strict], name: str, title: str) -> Schema:
    made = model.model_json_schema(by_alias=True)
    _tidy(made)
    own = {"$schema": DIALECT, "$id": f"urn:esra:schema:{name}", "title": title}
    return {**own, **{key: value for key, value in made.items() if key != "title"}}


def _tidy(node: object) -> None:
    """Takes the titles away that only repeat a key."""
    if isinstance(node, dict):
        if isinstance(node.get("title"), str):
            del node["title"]
        for inner in node.values():
            _tidy(inner)
    elif isinstance(node, list):
        for inner in node:
            _tidy(inner)
