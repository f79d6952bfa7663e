"""What schemathesis makes of the HTTP face's own description, with and without tokens."""

import subprocess
import sys

import pytest

from esra.serve.http import Front
from tests.serve.doors import door, listening, served_house
from tests.serve.measured import LONG
from tests.serve.tokens import RESOURCE, Tokens

EXAMPLES = 300 if LONG else 5


@pytest.mark.parametrize("face", ["open", "guarded"] if LONG else ["guarded"])
def test_no_request_gets_an_answer_that_the_description_does_not_foresee(face, tmp_path):
    """A client made from the description would break on the first odd day."""
    house = served_house()
    if face == "open":
        own, front, more = door(house), Front(), []
    else:
        own, front = door(house, Tokens(house.catalog)), Front(resource=RESOURCE)
        more = ["--header", "Authorization: Bearer good"]
    with listening(own, front) as url:
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "schemathesis.cli",
                "run",
                f"{url}/openapi.json",
                "--max-examples",
                str(EXAMPLES),
                "--seed",
                "1",
                "--no-color",
                "--generation-database",
                "none",
                *more,
            ],
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
    assert done.returncode == 0, done.stdout[-4_000:]
