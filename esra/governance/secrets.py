"""Secrets by reference: a configuration names where one is, never what it is."""

import os
from pathlib import Path


class SecretUnresolved(LookupError):
    """The reference leads nowhere. The message holds the reference, never a value."""


def resolve(reference: str, base: Path) -> str:
    """The secret behind ``env:NAME`` or ``file:PATH`` (relative to ``base``)."""
    kind, _, name = reference.partition(":")
    if kind == "env":
        value = os.environ.get(name, "")
        if not value:
            raise SecretUnresolved(f"{reference}: the variable is not set")
        return value
    if kind == "file":
        try:
            return (base / name).read_text("utf-8").strip()
        except OSError as error:
            raise SecretUnresolved(f"{reference}: cannot be read ({error.strerror})") from error
    raise SecretUnresolved(f"{reference}: a reference starts with env: or file:")
