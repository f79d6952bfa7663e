"""Gathers the term statistics of sources, and keeps them in files so that a command need not.

Reads title and text alone, which every caller who may search the source may see. A source that
hides rows from some caller is never counted: its counts would tell of them (RULINGS 47). A source
that cannot be read in time is refused with its code and searched as if evidence were off: it never
stops a start.
"""

import asyncio
import hashlib
import json
import logging
import os
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

from esra.domain.codes import FailureCode
from esra.domain.outcome import Failed
from esra.domain.source import Relation, Source
from esra.sources.evidence import RECIPE, ROWS, WIDEST, Statistics, statistics, together

# Seconds for one relation. A large table is read in part; a view of millions of rows takes longer.
PATIENCE = 20.0
# Beyond the engine's own timeout, before a relation is given up without it.
GRACE = 1.0
# Seconds for which a kept file is as good as a new one.
KEPT = 86_400.0

_SUFFIX = ".terms.json"
_log = logging.getLogger(__name__)

# What reading a file of anybody's making can raise.
_UNUSABLE = (
    OSError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    ArithmeticError,
    RecursionError,
)


class Samples(Protocol):
    """An engine that gives (title and text of) a fixed choice of a relation's rows."""

    async def sample(
        self, relation: Relation, *, rows: int, widest: int, seconds: float
    ) -> tuple[str, ...] | Failed: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """Statistics by source id, and why a source has none."""

    statistics: Mapping[str, Statistics]
    refused: Mapping[str, FailureCode]


class StatisticsFiles:
    """Files in ``folder``, one a relation and catalog version, readable by their owner alone."""

    def __init__(self, folder: Path, *, version: str) -> None:
        self._folder, self._version = folder, version

    def read(self, relation: Relation, now: float) -> Statistics | None:
        """What was kept at most ``KEPT`` seconds before ``now``, else None."""
        try:
            kept = json.loads(self._path(relation).read_text("utf-8"))
            if not 0 <= now - kept["gathered"] <= KEPT:
                return None
            return _statistics(kept)
        except FileNotFoundError:
            return None
        except _UNUSABLE as trouble:
            _log.warning("kept statistics are gathered again: %s", type(trouble).__name__)
            return None

    def write(self, relation: Relation, found: Statistics, now: float) -> None:
        """Keeps them whole or not at all; a folder in trouble costs time only."""
        text = json.dumps({"gathered": now, **asdict(found)}, separators=(",", ":"))
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._forget_old(now)
            handle, name = tempfile.mkstemp(dir=self._folder)
            try:
                with os.fdopen(handle, "w", encoding="utf-8") as file:
                    file.write(text)
                os.replace(name, self._path(relation))
            except BaseException:
                Path(name).unlink(missing_ok=True)
                raise
        except OSError as trouble:
            _log.warning("statistics are not kept: %s", type(trouble).__name__)

    def _path(self, relation: Relation) -> Path:
        told = json.dumps([RECIPE, self._version, asdict(relation)], sort_keys=True)
        return self._folder / f"{hashlib.sha256(told.encode()).hexdigest()[:32]}{_SUFFIX}"

    def _forget_old(self, now: float) -> None:
        # Every edit of the catalog names new files; without this the old ones would stay for ever.
        for path in self._folder.glob(f"*{_SUFFIX}"):
            with suppress(OSError):
                if path.stat().st_mtime < now - KEPT:
                    path.unlink()


def _statistics(kept: Mapping[str, Any]) -> Statistics:
    """What a kept file holds; ``ValueError`` for numbers that no counting gives."""
    counts = {str(word): int(count) for word, count in kept["counts"].items()}
    records, running = int(kept["records"]), int(kept["running"])
    if records < 0 or running < sum(counts.values()) or min(counts.values(), default=1) < 1:
        raise ValueError("no counts of words")
    return Statistics(records=records, running=running, counts=counts)


async def gather(
    sources: Iterable[Source],
    engines: Mapping[str, Samples],
    files: StatisticsFiles,
    now: float,
    *,
    seconds: float = PATIENCE,
) -> Gathered:
    """The statistics of those ``sources`` that hide no rows, kept or read now.

    ``now`` in seconds since the epoch.
    """
    given = tuple(source for source in sources if not source.hides_rows)
    found = await asyncio.gather(
        *(_source(source, engines[source.provider], files, now, seconds) for source in given)
    )
    pairs = [(source.id, one) for source, one in zip(given, found, strict=True)]
    return Gathered(
        statistics={id: one for id, one in pairs if isinstance(one, Statistics)},
        refused={id: one.code for id, one in pairs if isinstance(one, Failed)},
    )


async def _source(
    source: Source, engine: Samples, files: StatisticsFiles, now: float, seconds: float
) -> Statistics | Failed:
    """All of a source's relations together: half of them would speak for another source."""
    parts: list[Statistics] = []
    for relation in dict.fromkeys(mapping.relation for mapping in source.mappings):
        part = await _kept_or_read(relation, engine, files, now, seconds)
        if isinstance(part, Failed):
            return part
        parts.append(part)
    return together(parts)


async def _kept_or_read(
    relation: Relation, engine: Samples, files: StatisticsFiles, now: float, seconds: float
) -> Statistics | Failed:
    kept = files.read(relation, now)
    if kept is not None:
        return kept
    found = await _read(relation, engine, seconds)
    if isinstance(found, Statistics):
        files.write(relation, found, now)
    return found


async def _read(relation: Relation, engine: Samples, seconds: float) -> Statistics | Failed:
    try:
        async with asyncio.timeout(seconds + GRACE):
            texts = await engine.sample(relation, rows=ROWS, widest=WIDEST, seconds=seconds)
    except TimeoutError:
        return Failed(code=FailureCode.TIMEOUT)
    if isinstance(texts, Failed):
        return texts
    # Some megabytes of text are counted: in a thread, so that the loop goes on.
    return await asyncio.to_thread(statistics, texts)
