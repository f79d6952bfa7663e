"""``--catalog`` means one thing, whichever command it is typed at."""

from __future__ import annotations

import json

import pytest

from esra.cli import main
from esra.cli.catalogs import meant
from tests.config.first import TEXT

SHOWN = ["mcp", "config", "--client", "claude-code"]


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """The folder of an esra in which the catalogs guide and shop are kept."""
    monkeypatch.setenv("ESRA_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "home" / "catalogs"
    folder.mkdir(parents=True)
    for name in ("guide", "shop"):
        (folder / f"{name}.toml").write_text(TEXT, "utf-8")
    return folder


@pytest.mark.parametrize("name", ["guide", "esra_guide"])
def test_a_snippet_is_had_by_the_name_init_gave(kept, name, capsys):
    """Else what works for the doctor would be refused by the command named next to it."""
    assert main([*SHOWN, "--catalog", name]) == 0
    words = json.loads(capsys.readouterr().out)["mcpServers"]["esra"]["args"]
    assert words[-1] == str(kept / "guide.toml")


def test_a_file_goes_before_a_name_and_a_folder_does_not(kept, tmp_path):
    """A folder called like a capability stands in many a project and is no catalog."""
    (tmp_path / "guide").mkdir()
    assert meant("guide") == kept / "guide.toml"
    (tmp_path / "shop").write_text(TEXT, "utf-8")
    assert meant("shop") == tmp_path / "shop"


@pytest.mark.parametrize(
    "words",
    [
        [*SHOWN, "--catalog", "nosuch"],
        ["doctor", "--catalog", "nosuch"],
        ["config", "show", "--catalog", "nosuch"],
        ["config", "history", "guide", "--catalog", "nosuch"],
        ["retrieve", "nosuch", "x"],
        ["retrieve", "guide", "x", "--catalog", "nosuch"],
    ],
    ids=" ".join,
)
def test_a_name_nobody_keeps_is_answered_with_those_there_are(kept, words, capsys):
    """'No such file' would leave somebody to look for the folder."""
    assert main(words) == 3
    assert capsys.readouterr().err == (
        "esra: CONFIGURATION: there is no catalog nosuch; those kept are guide, shop\n"
    )


def test_one_of_several_has_to_be_named(kept, capsys):
    """The first of them would be somebody's guess."""
    assert main(SHOWN) == 3
    assert "name one with --catalog: guide, shop" in capsys.readouterr().err


def test_where_none_is_kept_it_says_how_to_make_one(tmp_path, monkeypatch, capsys):
    """A newcomer would not know what a catalog is or where one comes from."""
    monkeypatch.setenv("ESRA_HOME", str(tmp_path))
    for words in (SHOWN, ["doctor"], ["config", "verify"], ["retrieve", "guide", "x"]):
        assert main(words) == 3
        assert "esra init" in capsys.readouterr().err
