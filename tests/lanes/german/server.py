"""A throw-away PostgreSQL that speaks German, in a folder of its own, under an ordinary account.

The locale is compiled into that folder and found there by ``LOCPATH``, so that nothing of the
machine's own settings is changed.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from esra.embedded import Database
from esra.embedded.account import server_account
from esra.embedded.database import at_socket

LOCALE = "de_DE.UTF-8"
SECONDS = 60


@contextmanager
def german(programs: Path) -> Iterator[Database]:
    base = Path(tempfile.mkdtemp(prefix="esra-german-"))
    account = server_account()
    try:
        account.own(base)
        _compile_locale(base / "locales")
        environment = {"LOCPATH": str(base / "locales"), "PATH": "/usr/bin:/bin"}
        run = {"env": environment, "cwd": base, **account.becoming()}
        data = base / "data"
        initdb = [programs / "initdb", "-D", data, "-U", "postgres", "--auth=trust", "-N"]
        subprocess.run([*initdb, "--locale", LOCALE], check=True, stdout=subprocess.DEVNULL, **run)
        settings = {
            "listen_addresses": "",
            "unix_socket_directories": str(base),
            "fsync": "off",
        }
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        yield from _served([programs / "postgres", "-D", data, *options], base, run)
    finally:
        shutil.rmtree(base, ignore_errors=True)


def _served(command: list[object], base: Path, run: dict[str, object]) -> Iterator[Database]:
    log = base / "log"
    with log.open("wb") as errors:
        server = subprocess.Popen(command, stdout=errors, stderr=errors, **run)
    try:
        yield _ready(server, base, log)
    finally:
        server.terminate()
        try:
            server.wait(10)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _ready(server: subprocess.Popen[bytes], base: Path, log: Path) -> Database:
    database = at_socket(base, "of Debian")
    end = time.monotonic() + SECONDS
    while server.poll() is None and time.monotonic() < end:
        try:
            psycopg.connect(database.url).close()
            return database
        except psycopg.OperationalError:
            time.sleep(0.1)
    raise RuntimeError(log.read_text("utf-8", "replace")[-2000:])


def _compile_locale(folder: Path) -> None:
    folder.mkdir()
    target = folder / LOCALE
    subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", str(target)], check=True)
    for path in (folder, target, *target.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
