"""A catalog file as it was written, with where each of its values came from."""

import hashlib
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path as File
from typing import Any

from pydantic import ValidationError

from esra.config.blocks import CatalogFile
from esra.config.lines import Path, lines_of, nearest_line
from esra.config.override import Override, overridden, overrides
from esra.config.reference import literal_secrets
from esra.config.strict import ConfigError, Fault, explain, refused, unknown_keys

LARGEST = 4 * 1024 * 1024  # bytes
# The end of tomllib's messages.
_AT = re.compile(r"\(at line (\d+), column \d+\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """``given`` are the variables that stand in for values; ``lines`` the places in the file."""

    path: File
    file: CatalogFile
    lines: Mapping[Path, int]
    given: tuple[Override, ...]
    version: str

    def refused(self, faults: list[Fault]) -> ConfigError:
        return refused(lambda path: place(self.path, self.lines, self.given, path), faults)


def read_catalog(path: File, environment: Mapping[str, str] = os.environ) -> Written:
    """The file with what the environment puts in its place; ``ConfigError`` says what is wrong."""
    raw = _read(path)
    data, lines = _parsed(path, raw)
    given = overrides(environment, data, CatalogFile)
    data = overridden(data, given)

    def where(at: Path) -> str:
        return place(path, lines, given, at)

    if literal := list(literal_secrets(data)):
        raise refused(where, literal)
    try:
        file = CatalogFile.model_validate(data)
    except ValidationError as error:
        raise explain(where, error, CatalogFile) from error
    return Written(path=path, file=file, lines=lines, given=given, version=_version(raw, given))


def place(file: File, lines: Mapping[Path, int], given: tuple[Override, ...], at: Path) -> str:
    """``shop.toml:12``, or the variable that speaks in the file's stead.

    What lacks in a block that is not in the file lacks for the variable that made the block.
    """
    if variable := next((one.variable for one in given if one.path == at), None):
        return variable
    around = at[:-1]
    if around and around not in lines:
        made = (one.variable for one in given if one.path[:-1] == around)
        if variable := next(made, None):
            return variable
    line = nearest_line(lines, at)
    return str(file) if line is None else f"{file}:{line}"


def _read(path: File) -> bytes:
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror})") from error
    if len(raw) > LARGEST:
        raise ConfigError(f"{path}: larger than {LARGEST} bytes")
    return raw


def _parsed(path: File, raw: bytes) -> tuple[dict[str, Any], dict[Path, int]]:
    try:
        text = raw.decode("utf-8")
        return tomllib.loads(text), lines_of(text)
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise ConfigError(f"{path}:{line}: not text in UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        raise _not_toml(path, text, error) from error
    except RecursionError as error:
        raise ConfigError(f"{path}: nested too deeply") from error


def _not_toml(path: File, text: str, error: tomllib.TOMLDecodeError) -> ConfigError:
    """TOML finds some misspelt names where they get into another's way, lines further down."""
    found = _AT.search(str(error))
    if found is None:
        return ConfigError(f"{path}: not TOML: {error}")
    before = "\n".join(text.split("\n")[: int(found[1]) - 1])
    cause = "".join(f"{path}:{line}" for line in _unknown(before))
    return ConfigError(f"{cause}{path}:{found[1]}: not TOML: {error}")


def _unknown(text: str) -> Iterator[str]:
    """The unknown keys of the part of a file that is TOML."""
    try:
        CatalogFile.model_validate(tomllib.loads(text))
    except (tomllib.TOMLDecodeError, RecursionError):
        return
    except ValidationError as error:
        lines = lines_of(text)
        for fault in unknown_keys(error, CatalogFile)[:1]:
            yield f"{nearest_line(lines, fault.path)}: {fault.path[-1]}: {fault.text}; "


def _version(raw: bytes, given: tuple[Override, ...]) -> str:
    """Changes with whatever changes the catalog, so that nothing remembered outlives it."""
    told = "".join(f"{one.path!r}={one.value!r}\n" for one in given)
    return hashlib.sha256(raw + told.encode()).hexdigest()[:16]
