"""What a client may say to a tool: three arguments, read strictly and never echoed.

The schema that is advertised is the model that is applied: an SDK's own reading takes ``true`` for
1, drops what it does not know and repeats a bad value to the client. ``mended`` comes before it at
the MCP door only and takes the few forms that clients are known to mangle, where they can mean one
thing alone.
"""

import re
from collections.abc import Mapping
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from esra.domain.codes import ErrorCode
from esra.domain.outcome import Refused
from esra.strict_json import strict_json

MOST = 1_000  # results; what a caller gets is the tightest of his limits
LONGEST = 32 * 1024  # characters; the admission counts bytes (RULINGS 16)

# No NUL, and something besides space. \x00 means the same to ECMA-262, Python and Rust.
TEXT = r"^[^\x00]*[^\s\x00][^\x00]*$"


class Arguments(BaseModel):
    """The arguments of ``esra_{slug}``."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    prompt: str = Field(
        min_length=1, max_length=LONGEST, pattern=TEXT, description="The question, in plain words."
    )
    limit: int = Field(
        default=10, ge=1, le=MOST, description="How many results at the most; policy may lower it."
    )
    mode: Literal["brief", "full", "explain"] = Field(
        default="brief", description="How much is shown of each result; policy may lower it."
    )

    @field_validator("limit", mode="before")
    @classmethod
    def _whole(cls, value: object) -> object:
        """To JSON Schema 7.0 is an integer, and some languages write no other."""
        return int(value) if isinstance(value, float) and value.is_integer() else value


class Body(Arguments):
    """The body of ``POST /v1/retrieve``."""

    exposure: str = Field(
        pattern=r"^[a-z0-9_]{1,26}$", description="The tool's name without esra_ before it."
    )


# What is said of a field that does not fit. Nothing here comes from the caller.
RULES = {
    "exposure": "exposure: 1 to 26 of a-z, 0-9 and _",
    "prompt": f"prompt: text of 1 to {LONGEST} characters, not blank, without NUL or surrogates",
    "limit": f"limit: a whole number from 1 to {MOST}",
    "mode": "mode: brief, full or explain",
}

_DIGITS = re.compile(r"\A[1-9][0-9]{0,3}\Z")  # no sign, space, zero or fraction before it


def mended(raw: object) -> object:
    """``raw`` with the mangled forms that mean one thing put right; anything else as it was."""
    values = _unwrapped(raw)
    if not isinstance(values, dict):
        return values
    prompt, limit, mode = (values.get(name) for name in ("prompt", "limit", "mode"))
    if isinstance(prompt, list) and len(prompt) == 1 and isinstance(prompt[0], str):
        values["prompt"] = prompt[0]
    if isinstance(limit, str) and _DIGITS.match(limit):
        values["limit"] = int(limit)
    if isinstance(mode, str):
        values["mode"] = mode.strip().lower()
    for name in ("limit", "mode"):
        if name in values and values[name] in (None, ""):
            del values[name]
    return values


def _unwrapped(raw: object) -> object:
    """The object meant by None, by an object as JSON text, or by one wrapped in "arguments"."""
    if raw is None:
        return {}
    if isinstance(raw, str):
        raw = _object(raw)
    if isinstance(raw, Mapping) and set(raw) == {"arguments"}:
        inner = raw["arguments"]
        inner = _object(inner) if isinstance(inner, str) else inner
        raw = inner if isinstance(inner, Mapping) else raw
    return dict(raw) if isinstance(raw, Mapping) else raw


def _object(text: str) -> object:
    try:
        found = strict_json(text)
    except ValueError:
        return text
    return found if isinstance(found, dict) else text


def read_arguments(raw: object) -> Arguments:
    """``Refused`` with ESRA_INVALID_REQUEST and a text that names our fields alone."""
    return _read(Arguments, raw)


def read_body(raw: object) -> Body:
    """As ``read_arguments``, with the exposure."""
    return _read(Body, raw)


Read = TypeVar("Read", bound=Arguments)


def _read(model: type[Read], raw: object) -> Read:
    try:
        return model.model_validate(raw)
    except ValidationError as error:
        places = [item["loc"] for item in error.errors(include_input=False, include_url=False)]
    except (ValueError, RecursionError):
        places = [()]
    # Outside the handler: a validation error in the chain of causes would carry the input along.
    raise Refused(ErrorCode.INVALID_REQUEST, _said(model, [(*at, "")[0] for at in places]))


def _said(model: type[Arguments], wrong: list[Any]) -> str:
    names = [name for name in model.model_fields if name in wrong]
    said = [RULES[name] for name in sorted(names)]
    if any(name not in model.model_fields for name in wrong):
        known = ", ".join(sorted(model.model_fields))
        said.append(f"the arguments are one JSON object with no others than {known}")
    return "; ".join(said)
