"""Secrets by reference: a configuration names where one is, never what it is.

``env:NAME``, ``file:PATH`` or, where the package ``keyring`` is installed,
``keyring:SERVICE/NAME``. A secret is read when it is needed and kept nowhere; no error holds one.
"""

import os
import stat
from pathlib import Path

LONGEST = 64 * 1024  # bytes of a file that holds one
SHORTEST_KEY = 16  # bytes: a shorter key is guessed
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


class SecretUnresolved(LookupError):
    """The reference leads nowhere. The message holds the reference, never a value."""


def resolve(reference: str, base: Path) -> str:
    """The secret behind a reference; a file's path is relative to ``base``."""
    kind, _, name = reference.partition(":")
    if kind == "env":
        value = os.environ.get(name, "")
        if not value:
            raise SecretUnresolved(f"{reference}: the variable is not set")
        return value
    if kind == "file":
        return _from_file(reference, base / name)
    if kind == "keyring":
        return _from_keyring(reference, *name.partition("/")[::2])
    # What stands there instead may be the secret itself, so it is not repeated.
    raise SecretUnresolved("a reference starts with env:, file: or keyring:")


def resolve_key(reference: str, base: Path) -> bytes:
    """The key behind a reference, as its text in UTF-8."""
    key = resolve(reference, base).encode()
    if len(key) < SHORTEST_KEY:
        raise SecretUnresolved(f"{reference}: a key has {SHORTEST_KEY} bytes at least")
    return key


def _from_file(reference: str, path: Path) -> str:
    try:
        # Opened once, so that what is judged is what is read; a pipe without a writer never waits.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(handle, "rb") as file:
            _refuse_open_file(reference, os.fstat(file.fileno()), file.fileno())
            data = file.read(LONGEST + 1)
        text = data.decode("utf-8").strip()
    except OSError as error:
        raise SecretUnresolved(f"{reference}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise SecretUnresolved(f"{reference}: is no text in UTF-8") from None
    if not text or len(data) > LONGEST:
        raise SecretUnresolved(f"{reference}: is empty, or longer than {LONGEST} bytes")
    return text


def _refuse_open_file(reference: str, found: os.stat_result, handle: int) -> None:
    """Refuses a file that others may write, and one that others may read though we could shut it.

    A secret that a container platform mounts read-only is as open as the platform made it.
    """
    if not stat.S_ISREG(found.st_mode):
        raise SecretUnresolved(f"{reference}: is not a regular file")
    ours = found.st_uid == os.geteuid() and not os.fstatvfs(handle).f_flag & os.ST_RDONLY
    if found.st_mode & (_OTHERS if ours else _OTHERS_WRITE):
        raise SecretUnresolved(f"{reference}: others on this machine may use it; `chmod 600` it")


def _from_keyring(reference: str, service: str, name: str) -> str:
    try:
        # Not a dependency: whoever keeps secrets there has it.
        import keyring  # type: ignore[import-not-found,unused-ignore]
        from keyring.errors import KeyringError  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        raise SecretUnresolved(
            f"{reference}: the package keyring is not installed; `pip install keyring`, "
            "or name env:NAME or file:PATH"
        ) from None
    try:
        value = keyring.get_password(service, name)
    except KeyringError as error:
        raise SecretUnresolved(f"{reference}: {type(error).__name__}") from None
    if not value:
        raise SecretUnresolved(f"{reference}: there is no such entry")
    return str(value)
