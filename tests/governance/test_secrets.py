"""Secrets by reference: found where they are, refused where others reach them, told to nobody."""

import os
import sys
import types
from dataclasses import replace

import pytest

from esra.config.catalog import load_catalog
from esra.config.strict import ConfigError
from esra.domain.invocation import Retention
from esra.governance import admission
from esra.governance.secrets import SecretUnresolved, resolve, resolve_key
from tests.governance import catalogs
from tests.house import house

CANARY = "canary-7f3a9c"


def written(path, text=CANARY, mode=0o600):
    path.write_text(text)
    path.chmod(mode)
    return path


def refusal(reference, base):
    with pytest.raises(SecretUnresolved) as refused:
        resolve(reference, base)
    chain = [refused.value, refused.value.__cause__]
    assert CANARY not in repr(chain)
    return str(refused.value)


def test_a_secret_is_found_where_its_reference_leads(tmp_path, monkeypatch):
    """A house that finds no password opens no source."""
    monkeypatch.setenv("ESRA_TEST_SECRET", CANARY)
    written(tmp_path / "key", f"{CANARY}\n")
    assert resolve("env:ESRA_TEST_SECRET", tmp_path) == CANARY
    assert resolve("file:key", tmp_path) == CANARY
    assert resolve(f"file:{tmp_path / 'key'}", tmp_path.parent) == CANARY


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602, 0o777])
def test_a_file_of_ours_that_others_may_use_is_refused(tmp_path, mode):
    """Whoever shares the machine would share the password."""
    written(tmp_path / "key", mode=mode)
    assert "chmod 600" in refusal("file:key", tmp_path)


@pytest.mark.parametrize(("mode", "taken"), [(0o444, True), (0o464, False), (0o646, False)])
def test_a_mounted_secret_is_as_open_as_the_platform_made_it(tmp_path, monkeypatch, mode, taken):
    """A container's own secrets, root's and readable to all inside, could not be used."""
    written(tmp_path / "key", mode=mode)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    if taken:
        assert resolve("file:key", tmp_path) == CANARY
    else:
        assert "chmod 600" in refusal("file:key", tmp_path)


def test_what_is_no_secret_is_refused_in_one_line(tmp_path):
    """An empty password, a folder or a pipe without a writer would fail late, or never end."""
    written(tmp_path / "empty", " \n")
    written(tmp_path / "long", CANARY * 10_000)
    (tmp_path / "bytes").write_bytes(b"\xff" + CANARY.encode())
    (tmp_path / "bytes").chmod(0o600)
    os.mkfifo(tmp_path / "pipe", 0o600)
    for reference in (
        "file:empty",
        "file:long",
        "file:bytes",
        "file:pipe",
        "file:.",
        "file:nowhere",
        "env:ESRA_NO_SUCH_NAME",
        CANARY,
        f"postgres://u:{CANARY}@h/d",
    ):
        assert "\n" not in refusal(reference, tmp_path)


def test_a_keyring_is_asked_where_there_is_one(tmp_path, monkeypatch):
    """A reference to a keyring that is not there must say what to install."""
    monkeypatch.setitem(sys.modules, "keyring", None)
    assert "pip install keyring" in refusal("keyring:esra/db", tmp_path)

    class KeyringError(Exception):
        """As the package's own."""

    class Locked(KeyringError):
        """A back end that tells more than it should."""

    entries = {("esra", "db"): CANARY}

    def get_password(service, name):
        if service == "locked":
            raise Locked(CANARY)
        return entries.get((service, name))

    errors = types.SimpleNamespace(KeyringError=KeyringError)
    fake = types.SimpleNamespace(get_password=get_password, errors=errors)
    monkeypatch.setitem(sys.modules, "keyring", fake)
    monkeypatch.setitem(sys.modules, "keyring.errors", errors)
    assert resolve("keyring:esra/db", tmp_path) == CANARY
    assert "no such entry" in refusal("keyring:esra/other", tmp_path)
    assert refusal("keyring:locked/db", tmp_path).endswith("Locked")


def test_a_short_key_is_no_key(tmp_path):
    """A key that can be guessed protects nothing, and looks as if it did."""
    written(tmp_path / "key", "short")
    with pytest.raises(SecretUnresolved, match="16 bytes"):
        resolve_key("file:key", tmp_path)


@pytest.mark.req("W73")
def test_a_kept_prompt_is_a_hash_that_only_its_key_can_make():
    """A plain hash of a question gives the question away to whoever hashes questions."""
    own, other = house(prompt_key=b"k" * 16), house(prompt_key=b"l" * 16)
    kept = admission.kept_prompt("who earns what", own)
    # printf 'who earns what' | openssl dgst -sha256 -hmac kkkkkkkkkkkkkkkk
    digest = "a715b0de0675c4380c15b046d0e73971c76ff7d1bea276938c5240dae242c7c9"
    assert kept == f"hmac:{digest}"
    assert admission.kept_prompt("who earns what", other) != kept
    assert admission.kept_prompt("who earns what", house()) not in (kept, None)
    assert repr(own).count("kkkk") == 0


@pytest.mark.parametrize(
    ("retention", "kept"),
    [
        (Retention.FULL, "who earns what"),
        (Retention.REDACTED, "[redacted, 14 characters]"),
        (Retention.NONE, None),
    ],
)
def test_a_retention_class_bounds_what_is_kept(retention, kept):
    """More kept than the class allows is somebody's question in a log."""
    assert admission.kept_prompt("who earns what", replace(house(), retention=retention)) == kept


LITERALS = {
    "providers.own.url": f'url = "postgres://reader:{CANARY}@db/x"',
    "providers.own.url, libpq": f'url = "host=db password={CANARY}"',
    "providers.own.url, bare": f'url = "{CANARY}"',
    "model.key": f'key = "sk-{CANARY}"',
    "model.base_url": f'base_url = "https://me:{CANARY}@models.example/v1"',
    "governance.prompt_key": f'prompt_key = "{CANARY}"',
    "governance.issuers.0.keys": f'keys = "https://me:{CANARY}@id.example/keys"',
    "sources.0.description": f'description = "see https://me:{CANARY}@wiki.example"',
    "capabilities.0.description": f'description = """-----BEGIN PRIVATE KEY-----{CANARY}"""',
}
PLACES = {
    "providers.own.url": "url",
    "model.key": "key",
    "model.base_url": "base_url",
    "governance.prompt_key": "governance",
    "governance.issuers.0.keys": "issuer",
    "sources.0.description": "source",
    "capabilities.0.description": "capability",
}


@pytest.mark.parametrize("case", LITERALS)
def test_a_secret_written_into_a_catalog_is_refused_and_not_repeated(tmp_path, case):
    """Configuration is committed, mailed and pasted into tickets, and so are its errors."""
    place = case.partition(",")[0]
    file = catalogs.written(tmp_path, **{PLACES[place]: LITERALS[case]})
    with pytest.raises(ConfigError) as refused:
        load_catalog(file)
    assert place in str(refused.value)
    assert CANARY not in repr([refused.value, refused.value.__cause__])


def test_references_are_taken(tmp_path):
    """A catalog that only refers must load on a machine that holds none of the secrets."""
    loaded = load_catalog(catalogs.written(tmp_path))
    assert loaded.prompt_key == "env:ESRA_PROMPT_KEY"
    assert loaded.retention is Retention.KEYED_HASH
