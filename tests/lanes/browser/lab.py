"""``./workbench lab`` on notebooks of a test's own, with a token, on this machine alone."""

from __future__ import annotations

import os
import secrets
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
# Of what JupyterLab fetches by itself nothing is to be had in a test.
QUIET = (
    "--no-browser",
    "--ServerApp.ip=127.0.0.1",
    "--ServerApp.port_retries=0",
    "--LabApp.news_url=None",
    "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    "--LabApp.extension_manager=readonly",
)


@contextmanager
def lab(notebooks: Path, home: Path) -> Iterator[str]:
    """The address of a notebook once its name is put between ``{}``."""
    token, port = secrets.token_hex(24), _free()
    environment = {
        **os.environ,
        "JUPYTER_TOKEN": token,  # not an argument: those are anybody's to read
        "ESRA_HOME": str(home / "esra"),
        **{f"JUPYTER_{kind}_DIR": str(home / kind) for kind in ("CONFIG", "DATA", "RUNTIME")},
    }
    words = ["lab", *QUIET, f"--ServerApp.port={port}", f"--ServerApp.root_dir={notebooks}"]
    home.mkdir(parents=True, exist_ok=True)
    said = home / "said.txt"
    with said.open("w") as log:
        process = subprocess.Popen(
            [str(ROOT / "workbench"), *words], cwd=ROOT, env=environment, stdout=log, stderr=log
        )
    try:
        _up(f"http://127.0.0.1:{port}/api/status?token={token}", process, said)
        yield f"http://127.0.0.1:{port}/lab/tree/{{}}?token={token}&reset"
    finally:
        process.terminate()
        process.wait(20)


def _free() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


def _up(url: str, process: subprocess.Popen, said: Path, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while True:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except (urllib.error.URLError, ConnectionError):
            assert process.poll() is None, said.read_text()
            assert time.monotonic() < end, said.read_text()
            time.sleep(0.2)
