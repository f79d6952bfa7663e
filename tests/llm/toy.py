"""A sentence model of four words, written byte by byte: an ONNX export and its tokenizer.

The export looks its tokens up in a table. The wire format is protobuf: a field is
``number << 3 | kind``, then a varint (kind 0) or a length and that many bytes (kind 2). Field
numbers are those of onnx.proto.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

WORDS = {"[UNK]": 0, "red": 1, "green": 2, "blue": 3}
TABLE = np.array([[0, 0, 0], [3, 0, 0], [0, 4, 0], [0, 0, 5]], dtype=np.float32)
_FLOAT, _INT32, _INT64 = 1, 6, 7


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
