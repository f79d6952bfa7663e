"""Thousands of damaged tuned files against a house that serves: none gets in, none stops it."""

import asyncio
import json
import os
import random
from pathlib import Path

import jsonschema
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from esra.config.strict import ConfigError
from esra.config.tuned import read_tuned, sealed_body
from esra.serve.reload import Result
from tests.config.damage import IN_CONTENT, away, leaves, of_another_kind, placed, sealed_again
from tests.config.living import MODELS, Living
from tests.serve.doors import run

COUNT = 20_000 if os.environ.get("ESRA_LONG") == "1" else 1_000
SCHEMA = Path(__file__).resolve().parents[2] / "docs" / "schema" / "tuned.schema.json"
NEXT = {
    "capability": "cap",
    "revision": 2,
    "tunables": {
        "semantic_weight": 0.9,
        "lexical_weight": 0.1,
        "match_bonus": 0.05,
        "shortlist": 20,
        "sources": {"news": {"priority": 2.0, "half_life": 30.0}},
    },
    "models": MODELS,
    "data": "d",
    "evidence": {"why": "a test", "curve": [0.1, 0.2], "nested": {"deep": [1]}},
}


def within_bounds(content: bytes) -> bool:
    """By the published schema and what it cannot say, not by the reader."""
    body = json.loads(content)
    known = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text("utf-8")))
    return (
        known.is_valid(body)
        and body["capability"] == "cap"
        and body["revision"] == 2
        and set(body["tunables"].get("sources", {})) <= {"news"}
    )


@pytest.mark.req("U13", "W66")
def test_no_damaged_file_stops_the_house_or_gets_in_out_of_bounds(tmp_path):
    """One bad file would reorder every answer, or end the service."""
    own, dice = Living(tmp_path), random.Random(7)
    own.promote(100)
    good, path = sealed_body(NEXT, None), tmp_path / "cap" / "0002.json"

    async def campaign() -> int:
        await own.taking.take_in()
        first, taken = own.door.catalog, 0
        for number in range(COUNT):
            if number % 20 == 0:
                of_another_kind(dice, path, json.dumps(good).encode())
            else:
                path.write_bytes(dice.choice(IN_CONTENT)(dice, good))
            results = await own.taking.take_in()
            assert Result.ERROR not in results
            if Result.LOADED in results:
                assert within_bounds(path.read_bytes()), path.read_bytes()
                taken += 1
            else:
                assert own.door.catalog == first or Result.UNCHANGED in results
                assert own.door.catalog.revision("cap").revision == 1
            if number % 25 == 0:
                assert (await own.ask())[1] in (1, 2)
            own.door.order_by(first)
            own.audit.records.clear()
            own.said.clear()
            away(path)
        assert await own.ask() == ("abc", 1)
        return taken

    accepted = asyncio.run(campaign())
    # Blanks that moved, a value within its bounds under a hash that fits.
    assert 0 < accepted < COUNT / 4


KEY = Ed25519PrivateKey.generate()
SIGNED = sealed_body(NEXT, KEY)
OTHERS = {int: 3, float: 0.25, str: "other", dict: {"x": 1}, list: [1]}


@pytest.mark.parametrize("path", leaves(SIGNED), ids=lambda path: ".".join(map(str, path)))
def test_whatever_is_changed_in_a_signed_file_is_found(path):
    """Evidence, models or the capability could be exchanged under somebody's signature."""
    value = SIGNED
    for step in path:
        value = value[step]
    changed = placed(SIGNED, path, OTHERS[type(value)])
    assert changed != SIGNED
    keys = (KEY.public_key(),)
    with pytest.raises(ConfigError):
        checked(json.dumps(changed).encode(), keys)
    if path[0] not in ("hash", "signature"):
        # Whoever can make a hash fit still has not the key.
        with pytest.raises(ConfigError):
            checked(sealed_again(changed), keys)


def checked(content: bytes, keys):
    return read_tuned(content, where="f", capability="cap", sources=frozenset({"news"}), keys=keys)


def test_a_good_signature_passes_and_an_unsigned_file_does_only_where_no_key_is_asked(tmp_path):
    """A check that refuses everything would look safe; an answer could claim a signature."""
    content = json.dumps(SIGNED).encode()
    assert checked(content, (KEY.public_key(),)).revision == 2
    assert checked(json.dumps(sealed_body(NEXT, None)).encode(), ()).revision == 2
    (tmp_path / "cap").mkdir()
    (tmp_path / "cap" / "0002.json").write_bytes(content)
    for keys, signed in (((KEY.public_key(),), True), ((), False)):
        own = Living(tmp_path, keys=keys)
        assert own.door.catalog.revision("cap").signed is signed
        assert run(own.ask())[1] == 2


def test_a_folder_that_anybody_may_write_is_not_believed(tmp_path):
    """Another user of the machine could put a file of his own there."""
    own = Living(tmp_path)
    own.promote(100)
    (tmp_path / "cap").chmod(0o777)
    applied = own.applied()
    assert applied.catalog.revision("cap").revision == 0
    assert "chmod o-w" in applied.refused[0]
