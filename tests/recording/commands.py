"""The commands of a recording, in this process, over a server that a reader of its own reads."""

import importlib
import json
import os
from unittest import mock

from psycopg.conninfo import make_conninfo

from eval.__main__ import COMMANDS
from tests.said import said as command

READER = "esra_recorder"
LOADED = ("--name", "words", "--data")
FEW = ("--queries", "6")


def said(home, url, *words, code=0):
    """(stdout, stderr) of a command that reads the database at ``url``, in this process."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ESRA_")}
    reader = make_conninfo(url, user=READER)
    own = {**kept, "ESRA_HOME": str(home), "ESRA_DATABASE_URL": url, "ESRA_READER_URL": reader}
    name, *rest = words
    with mock.patch.dict(os.environ, own, clear=True):
        return command(importlib.import_module(COMMANDS[name]).main, *rest, code=code)


def run(home, url, *words, code=0):
    """(the document, stderr) of a command."""
    out, err = said(home, url, *words, "--json", code=code)
    return json.loads(out), err


def over(place, *words, code=0):
    home, url, catalog, _, _ = place
    folder = ("--data", home / "words")
    return run(home, url, "record", "--catalog", catalog, *folder, *FEW, *words, code=code)
