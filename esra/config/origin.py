"""What is in force, value by value, and where each comes from. Pure.

Of several that speak about one value the later in this list wins: the default, the file, the
environment, the command line. A tuned revision comes last of all and speaks about tunables only.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from pydantic import BaseModel

from esra.config.apply import tuned
from esra.config.catalog import Loaded
from esra.config.lines import Path
from esra.config.override import named
from esra.config.tuned import TunedFile
from esra.config.written import Written
from esra.domain.capability import Capability, Scoring, SourceScoring


class Origin(StrEnum):
    DEFAULT = "default"
    FILE = "file"
    ENVIRONMENT = "environment"
    COMMAND = "command line"
    TUNED = "tuned"


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """``where``: file and line, the variable, the option or the revision. ``note``: what was done
    to it on the way."""

    key: str
    value: object
    origin: Origin
    where: str = ""
    note: str = ""


def values(written: Written, loaded: Loaded, revisions: Mapping[str, TunedFile]) -> Iterator[Value]:
    """Every value of the catalog in the file's order; ``revisions`` by capability."""
    for path, name, value in _leaves(written.file, (), ""):
        if path[:1] != ("capabilities",) or path[2:3] != ("scoring",):
            yield _as_written(written, path, name, _shown(value))
    for number, capability in enumerate(loaded.catalog.capabilities):
        yield from _numbers(written, number, capability, revisions.get(capability.id))


def _numbers(
    written: Written, number: int, own: Capability, revision: TunedFile | None
) -> Iterator[Value]:
    """The numbers that order a capability's results."""
    before = written.file.capabilities[number].scoring
    scoring = own.scoring if revision is None else tuned(own, revision).scoring
    path, name = ("capabilities", number, "scoring"), f"capabilities.{own.id}.scoring"
    given = None if revision is None else revision.tunables
    here = _Numbers(written, revision, path, name)
    yield from here.of(scoring, before, given)
    for id, source in scoring.sources:
        below = _Numbers(written, revision, (*path, "sources", id), f"{name}.sources.{id}")
        its = None if given is None else given.sources.get(id)
        yield from below.of(source, before.sources.get(id), its)


@dataclass(frozen=True, slots=True)
class _Numbers:
    written: Written
    revision: TunedFile | None
    path: Path
    name: str

    def of(self, held: Scoring | SourceScoring, block: object, given: object) -> Iterator[Value]:
        """``block`` is what the file says of these numbers, ``given`` what the revision does."""
        for key in (field.name for field in fields(held) if field.name != "sources"):
            value, asked = getattr(held, key), getattr(given, key, None)
            name = f"{self.name}.{key}"
            if asked is not None and self.revision is not None:
                where, note = f"revision {self.revision.revision}", _bounded(asked, value)
                yield Value(key=name, value=value, origin=Origin.TUNED, where=where, note=note)
            else:
                note = _bounded(getattr(block, key, value), value)
                yield _as_written(self.written, (*self.path, key), name, value, note)


def _bounded(asked: object, value: object) -> str:
    return "" if asked == value else f"{asked} is out of bounds"


def _as_written(written: Written, path: Path, name: str, value: object, note: str = "") -> Value:
    origin, where = Origin.DEFAULT, ""
    if variable := next((one.variable for one in written.given if one.path == path), None):
        origin, where = Origin.ENVIRONMENT, variable
    elif (line := written.lines.get(path)) is not None:
        origin, where = Origin.FILE, f"{written.path}:{line}"
    return Value(key=name, value=value, origin=origin, where=where, note=note)


def _leaves(value: Any, path: Path, name: str) -> Iterator[tuple[Path, str, Any]]:
    """(place, name, value) of whatever is no block; blocks of a list are called by their name."""
    if isinstance(value, BaseModel):
        entries: list[tuple[str | int, str | int, Any]] = [
            (field.alias or key, field.alias or key, getattr(value, key))
            for key, field in type(value).model_fields.items()
        ]
    elif isinstance(value, dict) and value:
        entries = [(key, key, inner) for key, inner in value.items()]
    elif isinstance(value, list) and value and isinstance(value[0], BaseModel):
        entries = [(number, named(inner) or number, inner) for number, inner in enumerate(value)]
    else:
        yield path, name, value
        return
    for step, called, inner in entries:
        yield from _leaves(inner, (*path, step), f"{name}.{called}" if name else str(called))


def _shown(value: object) -> object:
    """An address without the parts in which secrets are put."""
    if not isinstance(value, str) or "://" not in value:
        return value
    parts = urlsplit(value)
    plain = urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
    return plain if plain == value else f"{plain} (the rest is not shown)"
