"""Vectors that are kept: one SQLite file, and an embedder that computes a text once.

Promises: a kept vector is the computed one to the last bit, and a file in trouble costs time only.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import logging
import os
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import TypeVar

import numpy as np

from esra.llm.embedder import Embedder, Vectors, readable

_T = TypeVar("_T")

_TABLE = """CREATE TABLE IF NOT EXISTS vectors (model TEXT, max_tokens INTEGER, text BLOB,
 vector BLOB, PRIMARY KEY (model, max_tokens, text)) WITHOUT ROWID"""
_READ = "SELECT text, vector FROM vectors WHERE model = ? AND max_tokens = ? AND text IN ({marks})"
_WRITE = "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?)"
# The oldest SQLite allows 999 variables; an interrupt loses what came since the last keeping.
_ROWS, _KEEP_EVERY, _BUSY_SECONDS = 500, 64, 30.0
# Our statements are constant: one that fails as such met a table that is not ours.
_BROKEN = ("SQLITE_NOTADB", "SQLITE_CORRUPT", "SQLITE_ERROR")

_log = logging.getLogger(__name__)


class EmbeddingCache:
    """Vectors in one SQLite file that processes share; it may be deleted at any time.

    Each call opens the file anew, so that no fork or thread inherits a connection, and has it for
    itself: a lock file gives turns and ends with its process (SQLite's write-ahead log lost
    writes of processes that create or replace the file at once). A broken file is renamed to
    ``*.broken`` and begun again; other trouble (a full disk, no permission) reads as an empty
    cache. Both are logged as warnings. Nothing is evicted.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self, model: str, max_tokens: int, digests: Sequence[bytes]) -> dict[bytes, Vectors]:
        """The vectors that are known, by digest."""

        def work(connection: sqlite3.Connection) -> dict[bytes, Vectors]:
            found: dict[bytes, Vectors] = {}
            for start in range(0, len(digests), _ROWS):
                some = digests[start : start + _ROWS]
                query = _READ.format(marks=",".join("?" * len(some)))
                for text, blob in connection.execute(query, (model, max_tokens, *some)):
                    found[text] = np.frombuffer(blob, dtype="<f4").astype(np.float32)
            return found

        return self._attempt(work) or {}

    def write(self, model: str, max_tokens: int, vectors: Mapping[bytes, Vectors]) -> None:
        """Keeps ``vectors``, all of them or none."""
        rows = [(model, max_tokens, key, v.astype("<f4").tobytes()) for key, v in vectors.items()]
        self._attempt(lambda connection: connection.executemany(_WRITE, rows))

    def _attempt(self, work: Callable[[sqlite3.Connection], _T]) -> _T | None:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(f"{self._path}.lock", timeout=_BUSY_SECONDS)) as turn:
                turn.execute("BEGIN EXCLUSIVE")
                return self._mended(work)
        except (sqlite3.Error, OSError) as trouble:
            _log.warning("embedding cache %s is not used: %s", self._path.name, trouble)
            return None

    def _mended(self, work: Callable[[sqlite3.Connection], _T]) -> _T:
        try:
            return self._once(work)
        except sqlite3.DatabaseError as trouble:
            if not str(getattr(trouble, "sqlite_errorname", "")).startswith(_BROKEN):
                raise
            _log.warning("embedding cache %s is broken, begun again: %s", self._path.name, trouble)
        for suffix in ("", "-journal"):
            with suppress(FileNotFoundError):
                os.replace(f"{self._path}{suffix}", f"{self._path}.broken{suffix}")
        return self._once(work)

    def _once(self, work: Callable[[sqlite3.Connection], _T]) -> _T:
        with closing(sqlite3.connect(self._path)) as connection, connection:
            connection.execute(_TABLE)
            return work(connection)


class CachedEmbedder:
    """An embedder that computes a text once; ``hits`` and ``misses`` count kept and computed ones.

    ``progress(done, total)`` counts the distinct texts of one call that must be computed.
    """

    def __init__(
        self,
        embedder: Embedder,
        cache: EmbeddingCache,
        progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> None:
        self._embedder, self._cache, self._progress = embedder, cache, progress
        self.hits = self.misses = 0

    @property
    def identity(self) -> str:
        """The identity of the model behind the cache."""
        return self._embedder.identity

    def embed(self, texts: Sequence[str], max_tokens: int = 64) -> Vectors:
        """As ``Embedder.embed``, to the last bit."""
        if not texts:
            return self._embedder.embed(texts, max_tokens)
        # Another release of the engine may round otherwise, so its vectors are kept apart.
        model = f"{self.identity} onnxruntime-{importlib.metadata.version('onnxruntime')}"
        digests = [hashlib.sha256(readable(text, max_tokens).encode()).digest() for text in texts]
        known = self._cache.read(model, max_tokens, list(dict.fromkeys(digests)))
        missing = {key: text for key, text in zip(digests, texts, strict=True) if key not in known}
        self.hits += len(texts) - len(missing)
        self.misses += len(missing)
        for start in range(0, len(missing), _KEEP_EVERY):
            some = dict(list(missing.items())[start : start + _KEEP_EVERY])
            vectors = self._embedder.embed(list(some.values()), max_tokens)
            fresh = dict(zip(some, vectors, strict=True))
            self._cache.write(model, max_tokens, fresh)
            known |= fresh
            self._progress(start + len(some), len(missing))
        return np.stack([known[key] for key in digests])
