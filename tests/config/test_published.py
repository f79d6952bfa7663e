"""Publishing under fire: killed writers, two writers at once, keys that would not do."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from esra.config.history import history, missing
from esra.config.revise import write_revision
from esra.config.strict import ConfigError
from eval import publish
from tests.claimed import claim_of
from tests.config.living import MODELS

ROOT = Path(__file__).resolve().parents[2]
KILLS = 200 if os.environ.get("ESRA_LONG") == "1" else 20
KINDS = (serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
PRIVATE = (
    serialization.Encoding.PEM,
    serialization.PrivateFormat.PKCS8,
    serialization.NoEncryption(),
)


def claim(share: int = 100) -> dict[str, object]:
    return claim_of("cap", share, MODELS, "d")


def test_a_killed_writer_leaves_the_old_revision_or_the_new_one_whole(tmp_path):
    """A power cut during a promotion would leave a service without its numbers."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.config.killed", str(tmp_path), str(KILLS), "3"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["kills"], told["unusable"], told["missing"]) == (KILLS, 0, 0)
    assert told["revisions"] > 3  # some ended their work
    assert told["leftovers"] > 0  # some were killed in the middle of it
    assert told["reads"] > KILLS


def test_writers_at_once_give_each_number_once_and_lose_no_claim(tmp_path):
    """Two promotions at one moment would be one, and nobody would know which."""
    cast = [
        subprocess.Popen(
            [
                sys.executable,
                "-c",
                "import sys; from pathlib import Path; from eval import publish\n"
                "from tests.claimed import claim_of\n"
                "for n in range(10):\n"
                "    body = claim_of('cap', int(sys.argv[2]) + n, {}, 'd')\n"
                "    publish.promote(Path(sys.argv[1]), body, {})",
                str(tmp_path),
                str(start),
            ],
            cwd=ROOT,
        )
        for start in (100, 200)
    ]
    assert [process.wait(60) for process in cast] == [0, 0]
    told = history(tmp_path, "cap", frozenset(), {}, ())
    shares = {round(1000 * one.file.tunables.semantic_weight) for one in told}
    assert (len(told), missing(told)) == (20, ())
    assert shares == {*range(100, 110), *range(200, 210)}


def test_what_killed_writers_left_is_swept_and_what_is_being_written_is_not(tmp_path):
    """A folder would fill up, or one writer would take another's file away."""
    old, fresh = tmp_path / ".new-1", tmp_path / ".new-2"
    for path in (old, fresh):
        path.write_text("{")
    os.utime(old, (time.time() - 7200,) * 2)
    write_revision(tmp_path, claim(), {})
    assert (old.exists(), fresh.exists()) == (False, True)


def keys(folder: Path, monkeypatch, *, sign: bool, verify: bool) -> None:
    ours, theirs = Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate()
    (folder / "sign.pem").write_bytes(ours.private_bytes(*PRIVATE))
    (folder / "own.pem").write_bytes(ours.public_key().public_bytes(*KINDS))
    (folder / "other.pem").write_bytes(theirs.public_key().public_bytes(*KINDS))
    if sign:
        monkeypatch.setenv("ESRA_SIGNING_KEY", str(folder / "sign.pem"))
    monkeypatch.setenv("ESRA_VERIFY_KEYS", str(folder / ("own.pem" if verify else "other.pem")))


def test_where_signatures_are_asked_for_a_revision_is_signed(tmp_path, monkeypatch):
    """A promotion would be written and then refused by every runtime."""
    keys(tmp_path, monkeypatch, sign=True, verify=True)
    path = publish.promote(tmp_path / "cap", claim(), {})
    assert json.loads(path.read_text())["signature"]["key"]


def test_a_new_key_signs_what_orders_already(tmp_path, monkeypatch):
    """Whoever brings a key in, or changes it, would have nothing left that orders on the day the
    old files are accepted no more: the claim stood there already, and nothing signed it.
    """
    folder = tmp_path / "cap"
    assert publish.promote(folder, claim(), {}).name == "0001.json"
    for name, number in (("first", "0002.json"), ("second", "0003.json")):
        place = tmp_path / name
        place.mkdir()
        keys(place, monkeypatch, sign=True, verify=True)
        monkeypatch.delenv("ESRA_VERIFY_KEYS")  # the key comes first, what asks for it later
        assert publish.promote(folder, claim(), {}).name == number
        assert publish.promote(folder, claim(), {}).name == number
        monkeypatch.setenv("ESRA_VERIFY_KEYS", str(place / "own.pem"))
        assert publish.promote(folder, claim(), {}).name == number


@pytest.mark.parametrize(
    ("variable", "text", "why"),
    [
        ("ESRA_VERIFY_KEYS", None, "cannot be read"),
        ("ESRA_VERIFY_KEYS", "sign.pem", "no public key"),
        ("ESRA_SIGNING_KEY", None, "cannot be read"),
        ("ESRA_SIGNING_KEY", "own.pem", "no private key"),
    ],
)
def test_a_key_that_cannot_be_used_is_told_with_its_variable(
    tmp_path, monkeypatch, variable, text, why
):
    """Two variables name files of keys; whoever swapped them would look at the wrong one."""
    keys(tmp_path, monkeypatch, sign=True, verify=True)
    monkeypatch.setenv(variable, str(tmp_path / (text or "nowhere.pem")))
    with pytest.raises(ConfigError, match=f"{variable}: .*{why}"):
        publish.promote(tmp_path / "cap", claim(), {})


@pytest.mark.parametrize(("sign", "why"), [(False, "asks for signatures"), (True, "none of")])
def test_a_revision_that_no_runtime_would_take_is_not_written(tmp_path, monkeypatch, sign, why):
    """Whoever promoted would believe that it orders."""
    keys(tmp_path, monkeypatch, sign=sign, verify=False)
    with pytest.raises(ConfigError, match=why):
        publish.promote(tmp_path / "cap", claim(), {})
    assert not (tmp_path / "cap").exists()


def test_no_number_is_left_after_a_name_that_nobody_gave(tmp_path):
    """A revision would be written under a number that no runtime reads."""
    (tmp_path / f"{10**15 - 1}.json").write_text("{")
    with pytest.raises(ConfigError, match="no number is left"):
        write_revision(tmp_path, claim(), {})
