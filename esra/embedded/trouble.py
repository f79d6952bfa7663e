"""The one error of the embedded database. Its message says what to do."""

from __future__ import annotations

from pathlib import Path


class EmbeddedError(Exception):
    """No database could be given; the message names the cause and the way out."""


def impossible(base: Path, error: OSError) -> EmbeddedError:
    """What the system refused: a full disk, a folder without permission, an account."""
    where = error.filename or base
    return EmbeddedError(
        f"the database in {base} cannot be used ({error.strerror or error}: {where}); "
        "put that right or set ESRA_DATABASE_URL to another server"
    )
