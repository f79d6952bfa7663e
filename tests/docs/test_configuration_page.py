"""docs/configuration.md is true: its variables, its commands and the errors it shows."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from esra.cli import parser
from esra.cli.settings import SETTINGS
from esra.config.strict import ConfigError
from esra.config.written import read_catalog
from tests.config.test_mistakes import WHOLE, refusal

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "configuration.md").read_text("utf-8")
COMMANDS, ERRORS = (
    block.splitlines() for block in re.findall(r"^```\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
)
MISTAKES = (
    ('rank = "rarity"', 'rnak = "rarity"'),
    ('source = "pages"', 'source = "page"'),
    ("rows = 50", 'rows = "50"'),
)


def test_every_variable_stands_on_the_page():
    """A variable nobody is told of could as well not be there."""
    section = PAGE.partition("## Other variables")[2].partition("## Secrets")[0]
    assert re.findall(r"`(ESRA_\w+)`", section) == [setting.variable for setting in SETTINGS]


@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_of_the_page_is_one(line):
    """The first thing a reader does is to type it."""
    words = shlex.split(re.split(r" {3,}", line)[0])
    assert words[0] == "esra"
    assert parser().parse_args(words[1:])


@pytest.mark.parametrize(("mistake", "shown"), list(zip(MISTAKES, ERRORS[:3], strict=True)))
def test_an_error_of_the_page_is_said(tmp_path, mistake, shown):
    """A reader would look for words that nobody says."""
    said = refusal(tmp_path / "shop.toml", WHOLE.replace(*mistake, 1))
    first = said.split("; ")[0]
    assert re.sub(r"^.*?shop\.toml:\d+: ", "", first) == re.sub(r"^shop\.toml:\d+: ", "", shown)


def test_the_error_of_a_variable_is_said(tmp_path):
    """A reader would look for words that nobody says."""
    path = tmp_path / "c.toml"
    path.write_text(WHOLE, "utf-8")
    with pytest.raises(ConfigError) as refused:
        read_catalog(path, {"ESRA_SOURCES__PAGSE__ENABLED": "true"})
    assert str(refused.value) == ERRORS[3]


def test_the_variables_of_the_page_stand_in_for_values(tmp_path):
    """An example would be refused."""
    path = tmp_path / "c.toml"
    text = WHOLE.replace('"tickets"', '"help-desk"').replace("[providers.shop]", "[providers.main]")
    path.write_text(text, "utf-8")
    given = dict(re.findall(r"^\| `(ESRA_\w+)=(\S+)` \|", PAGE, re.MULTILINE))
    assert len(given) == 5
    file = read_catalog(path, given).file
    assert (file.parallel, file.governance.retention) == (16, "none")
    assert file.providers["main"].url == "env:STAGING_URL"
    assert file.sources[1].limits.seconds == 2
    assert file.model is not None
    assert file.model.model == "other"
