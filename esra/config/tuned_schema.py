"""The JSON Schema (2020-12) of a tuned configuration, made of the model and the table of bounds.

``docs/schema/tuned.schema.json`` is this, kept equal by a test. It cannot say everything: whose
sources, which pipeline, that the hash fits and who signed is checked where a file is read.
"""

from collections.abc import Mapping
from typing import Any

from esra.config.bounds import CAPABILITY, SOURCE, Bounds
from esra.config.tuned import TunedFile

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def tuned_schema() -> dict[str, Any]:
    """The schema as JSON values."""
    schema = TunedFile.model_json_schema(by_alias=True)
    _bound(schema["$defs"]["Tunables"]["properties"], CAPABILITY)
    _bound(schema["$defs"]["OwnTunables"]["properties"], SOURCE)
    schema["title"] = "A tuned configuration of esra"
    return {"$schema": DIALECT, "$id": "urn:esra:tuned:1", **schema}


def _bound(properties: dict[str, Any], bounds: Mapping[str, Bounds]) -> None:
    for name, bound in bounds.items():
        number = next(part for part in properties[name]["anyOf"] if part["type"] != "null")
        number |= {"minimum": bound.low, "maximum": bound.high}
