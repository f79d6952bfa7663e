"""Where esra keeps its things: one folder of the user's, ``ESRA_HOME`` to have it elsewhere."""

import os
from pathlib import Path

import platformdirs


def home() -> Path:
    """The folder of catalogs, tuned configurations, runs, caches and the embedded database."""
    given = os.environ.get("ESRA_HOME")
    return Path(given).expanduser().resolve() if given else Path(platformdirs.user_data_dir("esra"))


def catalog_file(base: Path, capability: str) -> Path:
    return base / "catalogs" / f"{capability}.toml"


def tuned_folder(base: Path) -> Path:
    return base / "tuned"


def audit_folder(base: Path) -> Path:
    return base / "audit"


def audit_head_folder(base: Path) -> Path:
    """Apart from the log: whoever may tidy up logs should not reach it."""
    return base / "audit-head"


def audit_key_file(base: Path) -> Path:
    return base / "keys" / "audit.key"


def words_folder(base: Path) -> Path:
    return base / "cache" / "words"


def embeddings_file(base: Path) -> Path:
    return base / "cache" / "embeddings.sqlite"
