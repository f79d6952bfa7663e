"""What may stand in a file, as JSON Schema 2020-12: for editors that complete and check it.

A schema lets through whatever the runtime takes. The other way round it cannot say all: names that
lead nowhere, two that are alike and some bounds are found when the file is loaded.
"""

import json
from collections.abc import Callable
from typing import Any

from esra.config.blocks import CatalogFile
from esra.config.strict import Strict
from esra.config.tuned import TunedFile

DIALECT = "https://json-schema.org/draft/2020-12/schema"

Schema = dict[str, Any]


def catalog_schema() -> Schema:
    return _schema(CatalogFile, "catalog", "A catalog of esra: what may be searched, and by whom")


def tuned_schema() -> Schema:
    return _schema(TunedFile, "tuned", "A tuned configuration of esra: numbers with their evidence")


SCHEMAS: dict[str, Callable[[], Schema]] = {"catalog": catalog_schema, "tuned": tuned_schema}


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
