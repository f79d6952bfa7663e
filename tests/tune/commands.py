"""The two commands, run as a person would run them."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def command(home: Path, *words: str, code: int = 0, **environment: str):
    """A finished `python -m WORDS` with its own data folder; fails on another exit code."""
    own = {k: v for k, v in os.environ.items() if not k.startswith("ESRA_")}
    own |= {"ESRA_HOME": str(home), **environment}
    done = subprocess.run(
        [sys.executable, "-m", *words], cwd=ROOT, env=own, capture_output=True, text=True
    )
    assert done.returncode == code, done.stderr
    return done


def tune(home: Path, name: str, *folders_and_more: object, **environment: str):
    """(the one capability of the JSON document, what stood on stderr)."""
    more = [str(word) for word in folders_and_more]
    words = ("eval", "tune", "--name", name, "--no-notebooks", "--json", "--data", *more)
    done = command(home, *words, **environment)
    document = json.loads(done.stdout)
    assert list(document) == ["capabilities"]
    (capability,) = document["capabilities"]
    return capability, done.stderr
