"""``esra config show``: what is in force, where it comes from, and no secret among it."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest

from esra.cli import main
from esra.cli.settings import SETTINGS
from esra.config.override import PREFIX
from esra.config.tuned import sealed_body
from esra.domain.codes import ErrorCode, WarningCode
from esra.domain.source import Limits
from tests.config.first import TEXT, blocks, switched_on

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def home(tmp_path, monkeypatch):
    for setting in SETTINGS:
        monkeypatch.delenv(setting.variable, raising=False)
    home = tmp_path / "home"
    monkeypatch.setenv("ESRA_HOME", str(home))
    (home / "catalogs").mkdir(parents=True)
    (home / "catalogs" / "guide.toml").write_text(TEXT, "utf-8")
    return home


def shown(capsys, *words: str) -> dict[str, dict]:
    assert main(["config", "show", "--json", *words]) == 0
    values = json.loads(capsys.readouterr().out)["values"]
    told = {value["key"]: value for value in values}
    assert len(told) == len(values)
    return told


def revision(home: Path, number: int, **tunables: object) -> None:
    numbers = {"semantic_weight": 0.4, "lexical_weight": 0.6, **tunables}
    body = {
        "capability": "guide", "revision": number, "tunables": numbers,
        "models": {}, "data": "", "evidence": {},
    }  # fmt: skip
    folder = home / "tuned" / "guide"
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(sealed_body(body, None))
    (folder / f"{number:04}.json").write_text(text, "utf-8")


def test_each_value_says_where_it_comes_from(home, monkeypatch, capsys):
    """Whoever wonders why would have to guess which of four places speaks."""
    monkeypatch.setenv("ESRA_SOURCES__PAGES__LIMITS__ROWS", "7")
    told = shown(capsys)
    file = home / "catalogs" / "guide.toml"
    line = TEXT[: TEXT.index("\nretention")].count("\n") + 2
    assert told["governance.retention"] == {
        "key": "governance.retention",
        "value": "keyed_hash",
        "origin": "file",
        "where": f"{file}:{line}",
        "note": "",
    }
    rows = told["sources.pages.limits.rows"]
    assert (rows["value"], rows["origin"]) == (7, "environment")
    assert rows["where"] == "ESRA_SOURCES__PAGES__LIMITS__ROWS"
    seconds = told["sources.pages.limits.seconds"]
    assert (seconds["value"], seconds["origin"]) == (Limits().seconds, "default")
    assert (told["catalog"]["value"], told["catalog"]["origin"]) == (str(file), "default")
    assert told["ESRA_HOME"]["origin"] == "environment"
    assert shown(capsys, "--catalog", "guide")["catalog"]["origin"] == "command line"


def test_tuned_numbers_are_shown_as_what_orders(home, capsys):
    """The file's numbers would be shown though others order."""
    revision(home, 1, match_bonus=0.05)
    revision(home, 2, shortlist=200, sources={"pages": {"ceiling": 20}})
    told = shown(capsys)
    name = "capabilities.guide.scoring"
    assert told[f"{name}.semantic_weight"]["value"] == 0.4
    assert told[f"{name}.semantic_weight"]["origin"] == "tuned"
    assert told[f"{name}.semantic_weight"]["where"] == "revision 2"
    assert (told[f"{name}.match_bonus"]["value"], told[f"{name}.match_bonus"]["origin"]) == (
        0.02,
        "default",
    )
    # A tuned shortlist or ceiling never exceeds the catalog's own.
    assert told[f"{name}.shortlist"]["value"] == 30
    assert told[f"{name}.shortlist"]["note"] == "200 is out of bounds"
    assert told[f"{name}.sources.pages.ceiling"]["value"] == 3


def test_a_clamped_number_is_shown_as_it_is_used(home, capsys):
    """A person would believe the number in his file."""
    file = home / "catalogs" / "guide.toml"
    scoring = 'rerank = "none"\n[capabilities.scoring]\nmatch_bonus = 5.0\n'
    file.write_text(TEXT.replace('rerank = "none"\n', scoring), "utf-8")
    bonus = shown(capsys)["capabilities.guide.scoring.match_bonus"]
    assert (bonus["value"], bonus["note"]) == (0.1, "5.0 is out of bounds")
    assert bonus["origin"] == "file"


def test_no_secret_is_shown(home, monkeypatch, capsys):
    """What is shown ends in a ticket or a chat."""
    secret = "hunter2"
    for setting in SETTINGS:
        if setting.shown != "path":
            monkeypatch.setenv(setting.variable, f"postgresql://u:{secret}@h/d")
    whole = switched_on(*blocks()).replace("jwks.json", f"jwks.json?key={secret}")
    (home / "catalogs" / "guide.toml").write_text(whole, "utf-8")
    for words in (["--origin"], ["--json"], []):
        assert main(["config", "show", *words]) == 0
        said = capsys.readouterr()
        assert secret not in said.out + said.err
        assert "env:SHOP_URL" in said.out
    monkeypatch.setenv("ESRA_AUDIT_KEY", "env:THE_KEY")
    assert shown(capsys)["ESRA_AUDIT_KEY"]["value"] == "env:THE_KEY"


def test_every_value_of_every_block_is_shown(home, capsys):
    """A setting nobody can see would be in force."""
    (home / "catalogs" / "guide.toml").write_text(switched_on(*blocks()), "utf-8")
    told = shown(capsys)
    off = [block for block in blocks() for block in block]
    keys = {re.match(r"#(\w+) =", TEXT.splitlines()[number]) for number in off}
    names = {key.split(".")[-1] for key in told} | {part for key in told for part in key.split(".")}
    assert {match[1] for match in keys if match} <= names


def test_text_is_one_line_a_value(home, capsys):
    """A name with a line break would look like another setting."""
    file = home / "catalogs" / "guide.toml"
    file.write_text(TEXT.replace('name = "Pages"', 'name = "a\\nparallel = 1"'), "utf-8")
    assert main(["config", "show", "--origin"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line.startswith("parallel = ")] == [
        "parallel = 32  # default"
    ]
    assert all(
        re.match(r"[\w.]+ = .+  # (default|file|environment|command)", line) for line in lines
    )


def test_a_wrong_catalog_is_told_as_one_document(home, capsys):
    """A script would read half a document."""
    (home / "catalogs" / "guide.toml").write_text("parallel = 'x'", "utf-8")
    assert main(["config", "show", "--json"]) == 3
    document = json.loads(capsys.readouterr().out)
    assert document["error"]["code"] == "CONFIGURATION"
    assert (
        "guide.toml:1: parallel: takes a whole number, found text" in document["error"]["message"]
    )


def test_every_variable_that_esra_reads_is_shown():
    """A variable nobody lists could change what is in force, unseen."""
    words = set()
    for file in (ROOT / "esra").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                words |= set(re.findall(r"\AESRA_[A-Z_]*[A-Z]\Z", node.value))
    closed = {code.value for code in (*ErrorCode, *WarningCode)}
    assert words - closed == {setting.variable for setting in SETTINGS}
    assert all(setting.variable.startswith(PREFIX) for setting in SETTINGS)
