"""Numbers that order an arm instead of the recorded ones: a tuned file's, or a candidate's."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from esra.config.apply import read_file
from esra.config.strict import ConfigError
from esra.config.tuned import TunedFile, read_tuned
from esra.domain.capability import Scoring
from eval.runs.arm import Ordering


def of_file(path: Path, capability: str) -> Ordering:
    """The ordering of a tuned file, checked as strictly as the runtime checks one.

    ConfigError says why a file is refused.
    """
    raw = read_file(path)
    sources = named_in(raw, path)[1]
    file = read_tuned(raw, where=str(path), capability=capability, sources=sources)
    return Ordering(
        said=f"{path.name}, revision {file.revision}, {file.hash[:12]}",
        change=lambda numbers: changed(numbers, file),
        tuned_on=file.data,
    )


def changed(numbers: Scoring, file: TunedFile) -> Scoring:
    """The numbers with what the file tunes; what it leaves out stays (RULINGS 42).

    A ceiling or a shortlist above the recorded one is the recorded one: no more was asked.
    """
    own = file.tunables.model_dump(exclude_none=True, exclude={"sources"})
    if "shortlist" in own:
        own["shortlist"] = min(own["shortlist"], numbers.shortlist)
    sources = dict(numbers.sources)
    for id, tuned in file.tunables.sources.items():
        before, kept = numbers.of(id), tuned.model_dump(exclude_none=True)
        if "ceiling" in kept:
            kept["ceiling"] = min(kept["ceiling"], before.ceiling)
        sources[id] = replace(before, **kept)
    return replace(numbers, **own, sources=tuple(sorted(sources.items())))


def capability_of(path: Path) -> str:
    """Whose numbers the file says it holds; ConfigError where it is no tuned file."""
    return named_in(read_file(path), path)[0]


def named_in(raw: bytes, path: Path) -> tuple[str, frozenset[str]]:
    """Its capability and the sources it names, whatever they are; ConfigError where it is no tuned
    file.
    """
    try:
        body = json.loads(raw)
        return str(body["capability"]), frozenset(body["tunables"].get("sources", {}))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ConfigError(f"{path}: not a tuned file ({type(error).__name__})") from error
