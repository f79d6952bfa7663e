"""A tuned file's numbers on top of the recorded ones, read as strictly as the runtime reads it."""

from pathlib import Path

from esra.config.apply import read_file, tuned
from esra.config.tuned import read_tuned
from esra.domain.capability import Capability, Scoring


def numbers_of_file(path: Path, capability: str, own: Scoring) -> Scoring:
    """``own`` with the file's tunables; ``ConfigError`` where the runtime would refuse the file."""
    sources = frozenset(id for id, _ in own.sources)
    file = read_tuned(read_file(path), where=str(path), capability=capability, sources=sources)
    bare = Capability(id=capability, name=capability, bindings=(), scoring=own)
    return tuned(bare, file).scoring
