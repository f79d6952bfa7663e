"""Where the audit is: log, head and key, from the environment or in esra's own folder.

``ESRA_AUDIT_LOG`` and ``ESRA_AUDIT_HEAD`` name two folders, ``ESRA_AUDIT_KEY`` refers to the key
(``env:NAME``, ``file:PATH``). With ``ESRA_AUDIT_URL`` the log and its head are tables there.
"""

import os
import secrets as random
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from esra.governance import places, secrets
from esra.governance.audit import files
from esra.governance.audit.file import HEAD


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """``key`` None: a file of esra's own, made at the first start."""

    base: Path
    log: Path
    head: Path
    key: str | None
    in_tables: bool


def settings(base: Path, environment: Mapping[str, str] = os.environ) -> Settings:
    log, head = environment.get("ESRA_AUDIT_LOG"), environment.get("ESRA_AUDIT_HEAD")
    return Settings(
        base=base,
        log=Path(log).expanduser() if log else places.audit_folder(base),
        head=Path(head).expanduser() if head else places.audit_head_folder(base),
        key=environment.get("ESRA_AUDIT_KEY") or None,
        in_tables=bool(environment.get("ESRA_AUDIT_URL")),
    )


def address(own: Settings) -> str:
    """The URL of the tables' role."""
    return secrets.resolve("env:ESRA_AUDIT_URL", own.base)


def existing_key(own: Settings) -> bytes:
    """The key, as text in UTF-8; ``SecretUnresolved`` where there is none."""
    return secrets.resolve(own.key or f"file:{places.audit_key_file(own.base)}", own.base).encode()


def key(own: Settings) -> bytes:
    """The key. esra's own is made where nothing was written yet; ``SecretUnresolved`` later.

    Two processes that start at once make one key: the file appears whole or not at all.
    """
    path = places.audit_key_file(own.base)
    if own.key is None and not path.exists() and not files.size_of(own.head, HEAD):
        files.make_folder(path.parent)
        part = path.with_name(f".{path.name}.{random.token_hex(8)}")
        handle = os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600)
        try:
            files.write_all(handle, random.token_hex(32).encode() + b"\n")
        finally:
            os.close(handle)
        with suppress(FileExistsError):  # the other one's key is as good
            os.link(part, path)
        part.unlink()
    return existing_key(own)
