"""A tuned file's numbers on top of the recorded ones, read as strictly as the runtime reads it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from esra.config.apply import read_file, tuned
from esra.config.tuned import read_tuned
from esra.domain.capability import Capability, Scoring
from eval.publish import measured_against


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """today: what the file's claim was measured against

    opened_on: the recording, and how many of its queries, whose sealed part was opened for it; None
    where none was
    """

    today: Scoring
    numbers: Scoring
    opened_on: tuple[object, object] | None


def arms_of_file(path: Path, capability: str, own: Scoring, sources: frozenset[str]) -> Tried:
    """``own`` with the file's tunables, beside what they are held against.

    That is ``own`` itself where the file does not say. ``ConfigError`` where the runtime would
    refuse the file.
    """
    known = sources | {id for id, _ in own.sources}
    file = read_tuned(read_file(path), where=str(path), capability=capability, sources=known)
    bare = Capability(id=capability, name=capability, bindings=(), scoring=own)
    before = measured_against(file)
    return Tried(
        today=own if before is None else tuned(bare, before).scoring,
        numbers=tuned(bare, file).scoring,
        opened_on=_opened_on(file.evidence),
    )


def _opened_on(evidence: Mapping[str, object]) -> tuple[object, object] | None:
    if not isinstance(evidence.get("sealed"), dict):
        return None
    return evidence.get("recording"), evidence.get("queries")
