"""The vectors that are kept: the same to the last bit, and what their file survives."""

from __future__ import annotations

import logging
import multiprocessing
import os
import sqlite3
from pathlib import Path

import pytest

from esra.llm.embedder import Embedder
from esra.llm.vector_cache import CachedEmbedder, EmbeddingCache
from tests.llm.toy import write_model

TEXTS = ["a cat sleeps on the sofa", "kittens nap on a couch", "the bank raised interest rates"]


@pytest.fixture(scope="module")
def model():
    return Embedder.find()


@pytest.fixture
def cache(tmp_path):
    return EmbeddingCache(tmp_path / "deep" / "vectors.sqlite")


def test_a_cached_vector_is_the_same_to_the_last_bit(model, cache):
    """A second run would order results otherwise than the first."""
    first = CachedEmbedder(model, cache)
    texts = [*TEXTS, TEXTS[0], "a\0b\ud800"]
    computed = first.embed(texts)
    assert (first.hits, first.misses) == (1, 4)
    again = CachedEmbedder(model, cache)
    assert again.embed(texts).tobytes() == computed.tobytes() == model.embed(texts).tobytes()
    assert (again.hits, again.misses) == (5, 0)
    assert again.embed([]).shape == (0, 384)
    assert again.identity == model.identity


def test_another_model_or_length_never_meets_the_cache(tmp_path, model, cache):
    """Vectors of two models would be compared with each other."""
    CachedEmbedder(model, cache).embed(["red"])
    for embedder, tokens in ((model, 32), (Embedder.find(write_model(tmp_path / "toy")), 64)):
        other = CachedEmbedder(embedder, cache)
        other.embed(["red"], max_tokens=tokens)
        assert (other.hits, other.misses) == (0, 1)


def test_many_texts_are_kept_in_steps(tmp_path, cache):
    """An interrupted recording would begin from nothing, and no progress would show."""
    toy, seen = Embedder.find(write_model(tmp_path / "toy")), []
    texts = [f"red {n} green {n % 7 * 'blue '}" for n in range(1300)]
    CachedEmbedder(toy, cache, lambda done, total: seen.append((done, total))).embed(texts)
    assert seen[0] == (64, 1300)
    assert seen[-1] == (1300, 1300)
    again = CachedEmbedder(toy, cache)
    assert again.embed(texts).tobytes() == toy.embed(texts).tobytes()
    assert again.misses == 0


def _spoil_header(path):
    path.write_bytes(b"not a database, at all " * 100)


def _spoil_pages(path):
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + bytes(255 for _ in whole[4096:]))


def _other_table(path):
    path.unlink()
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE vectors (something TEXT)")
    connection.close()


@pytest.mark.parametrize("spoil", [_spoil_header, _spoil_pages, _other_table])
def test_a_broken_file_is_set_aside(model, cache, spoil, tmp_path, caplog):
    """A torn cache file would end every run until a person deletes it."""
    expected = CachedEmbedder(model, cache).embed(TEXTS)
    path = tmp_path / "deep" / "vectors.sqlite"
    spoil(path)
    with caplog.at_level(logging.WARNING):
        after = CachedEmbedder(model, cache)
        assert after.embed(TEXTS).tobytes() == expected.tobytes()
    assert after.misses == 3
    assert "begun again" in caplog.text
    assert path.with_name("vectors.sqlite.broken").exists()
    rebuilt = CachedEmbedder(model, cache)
    rebuilt.embed(TEXTS)
    assert (rebuilt.hits, rebuilt.misses) == (3, 0)


def test_a_cache_that_cannot_be_written_costs_time_only(model, tmp_path, caplog):
    """A full disk or a wrong path would end the invocation."""
    (tmp_path / "file").write_text("in the way")
    for place in (tmp_path, tmp_path / "file" / "vectors.sqlite"):
        blocked = CachedEmbedder(model, EmbeddingCache(place))
        assert blocked.embed(TEXTS).tobytes() == model.embed(TEXTS).tobytes()
        assert "is not used" in caplog.text
        caplog.clear()


def _fill(folder: Path, cache: Path, start: int) -> int:
    worker = CachedEmbedder(Embedder.find(folder), EmbeddingCache(cache))
    worker.embed([f"red {n} blue" for n in range(start, start + 300)])
    return os.getpid()


def test_processes_share_one_file(tmp_path, caplog):
    """Two runs at once would lose each other's vectors, or fail with a locked database."""
    toy, cache = write_model(tmp_path / "toy"), tmp_path / "vectors.sqlite"
    cache.write_bytes(b"broken before anybody came " * 100)
    with multiprocessing.get_context("spawn").Pool(3) as pool:
        assert (
            len(pool.starmap(_fill, [(toy, cache, start) for start in (0, 150, 300)], chunksize=1))
            == 3
        )
    after = CachedEmbedder(Embedder.find(toy), EmbeddingCache(cache))
    after.embed([f"red {n} blue" for n in range(600)])
    assert (after.hits, after.misses) == (600, 0)
    assert not caplog.records
