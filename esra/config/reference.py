"""References to secrets: a configuration says where one is, never what it is.

What a person put in the wrong place is not repeated in the message: it may be the secret itself.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated

from pydantic import AfterValidator, WithJsonSchema

from esra.config.lines import Path
from esra.config.strict import Fault

_REFERENCE = re.compile(r"\A(env:[A-Za-z_][A-Za-z0-9_]*|file:[^\0]+|keyring:[^/\0]+/[^\0]+)\Z")
_SAID = "env:NAME, file:PATH or keyring:SERVICE/NAME, never the secret itself"
_PASSWORD = re.compile(r"\b[a-z][a-z0-9+.-]*://[^\s/?#:@]*:[^\s/?#@]+@", re.IGNORECASE)
_LIBPQ = re.compile(r"\bpassword\s*=\s*\S", re.IGNORECASE)
_KEY = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY")


def is_reference(text: str) -> bool:
    """Whether it says where a secret is, so that it may be shown."""
    return bool(_REFERENCE.match(text))


def _said_to_editors(also: str) -> WithJsonSchema:
    """The same pattern in the dialect of JSON Schema (ECMA 262)."""
    pattern = _REFERENCE.pattern.replace(r"\A(", f"^({also}").replace(r"\Z", "$")
    return WithJsonSchema({"type": "string", "pattern": pattern.replace(r"\0", r"\u0000")})


def _reference(value: str) -> str:
    if not is_reference(value):
        raise ValueError(f"this is a reference: {_SAID}")
    return value


def _address(value: str) -> str:
    if value != "embedded" and not is_reference(value):
        raise ValueError(f"this is 'embedded' or a reference: {_SAID}")
    return value


Reference = Annotated[str, AfterValidator(_reference), _said_to_editors("")]
Address = Annotated[str, AfterValidator(_address), _said_to_editors("embedded|")]


def literal_secrets(data: object, path: Path = ()) -> Iterator[Fault]:
    """Every place of a parsed file that holds a password in a URL or a private key.

    Only places are named, never what stands there.
    """
    if isinstance(data, Mapping):
        for key, value in data.items():
            yield from literal_secrets(value, (*path, str(key)))
    elif isinstance(data, list):
        for number, value in enumerate(data):
            yield from literal_secrets(value, (*path, number))
    elif isinstance(data, str) and (kind := _kind(data)):
        text = f"holds {kind}; move it elsewhere and name that place: {_SAID}"
        yield Fault(path=path, text=text)


def _kind(text: str) -> str:
    if _KEY.search(text):
        return "a private key"
    return "a password" if _PASSWORD.search(text) or _LIBPQ.search(text) else ""
