"""A place to record: a loaded folder, and a catalog whose model is on loopback."""

from pathlib import Path

import psycopg
import pytest

from tests.llm.double import running
from tests.recording.commands import FEW, LOADED, READER, run
from tests.schemas import role
from tests.tune import labelled


@pytest.fixture(scope="module")
def place(tmp_path_factory, database):
    """(home, the server's URL, a catalog that names a language model, that model's endpoint)."""
    home = tmp_path_factory.mktemp("home")
    folder = labelled.write(home / "words")
    # A role of this file's own: the server is shared, and what others made there may be there.
    with psycopg.connect(database.url, autocommit=True) as owner:
        role(owner, READER)
    first, told = run(home, database.url, "record", *LOADED, folder, *FEW, "--rerank", "none")
    assert first["status"] == "complete"
    assert "no paid call" in told
    with running() as server:
        text = (home / "catalogs" / "words.toml").read_text("utf-8")
        model = f'[model]\nbase_url = "{server.url}"\nmodel = "small"\nprice = [10.0, 50.0]\n\n'
        catalog = home / "own.toml"
        catalog.write_text(model + text, "utf-8")
        yield home, database.url, catalog, server, Path(first["run"])
