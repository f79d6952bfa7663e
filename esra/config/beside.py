"""The JSON Schema beside a catalog, and the line by which an editor finds it.

Editors that know TOML (taplo, Even Better TOML) read ``#:schema`` in a file's first comments. The
path is relative to the file, so the two can be moved together and no host is asked.
"""

import os
from pathlib import Path

from esra.config.schema import catalog_schema, written

NAME = "catalog.schema.json"
LINE = f"#:schema ./{NAME}\n"


def keep_beside(catalog: Path) -> Path | None:
    """Writes the schema into the catalog's folder; ``None`` where another file has its name.

    Raises ``OSError`` where the folder cannot be written.
    """
    schema = catalog_schema()
    path = catalog.parent / NAME
    if (path.exists() or path.is_symlink()) and not _is_ours(path, schema["$id"]):
        return None
    fresh = path.with_name(f".{NAME}.{os.getpid()}")
    fresh.write_text(written(schema), "utf-8")
    fresh.replace(path)
    return path


def _is_ours(path: Path, id: str) -> bool:
    return path.is_file() and f'"$id": "{id}"' in path.read_text("utf-8", "replace")
