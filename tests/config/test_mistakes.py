"""Each mistake in a catalog is answered with its file, its line and what was probably meant."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from esra.config.blocks import CatalogFile
from esra.config.catalog import load_catalog
from esra.config.lines import lines_of
from esra.config.shape import at, block, keys_of
from esra.config.strict import ConfigError
from tests.config.first import blocks, switched_on

WHOLE = switched_on(*blocks())


def refusal(path: Path, text: str) -> str:
    path.write_text(text, "utf-8")
    with pytest.raises(ConfigError) as refused:
        load_catalog(path)
    return str(refused.value)


# What stands there, what stands in its stead, and what is to be said of that line.
PLANTED = [
    ('rank = "rarity"', 'rnak = "rarity"',
     "sources.0.mappings.0.rnak: unknown key, did you mean 'rank'?"),
    ('rank = "rarity"', 'rerank = "local"',
     "rerank: unknown key, did you mean 'rank'?, it is a key of [[capabilities]]"),
    ('rank = "rarity"', 'rank = "raritY"',
     "takes one of 'coverage', 'density' or 'rarity', did you mean 'rarity'?"),
    ('rank = "rarity"', "rank = 7", "takes one of 'coverage', 'density' or 'rarity'"),
    ("snapshot = true", 'snapshot = "true"', "takes true or false, found text"),
    ("rows = 50", "rows = 50.5", "takes a whole number, found a number"),
    ("rows = 50", 'rows = "50"', "takes a whole number, found text"),
    ("rows = 50", "rows = 0", "sources.0.limits.rows: has to be at least 1"),
    ("rows = 50", "rows = 1001", "has to be at most 1000"),
    ("seconds = 5.0", "seconds = 0", "has to be above 0"),
    ("seconds = 5.0", "seconds = inf", "takes a finite number"),
    ("seconds = 5.0", "seconds = true", "takes a number, found true or false"),
    ("seconds = 5.0", "seconds = 1979-05-27", "takes a number, found a date or time"),
    ('usage = "Questions about esra itself."', "usage = []", "takes text in quotes, found a list"),
    ('tenants = ["acme"]', 'tenants = "acme"', "takes a list, found text"),
    ('any = ["staff"]', "any = []", "takes at least 1 entries; it has 0"),
    ('claim = "groups"\nany = ["staff"]', 'claim = ""\nany = ["staff"]', "may not be empty"),
    ('name = "Tickets"\nprovider', "provider", "sources.1.name: this key is missing"),
    ('id = "tickets"\nname = "Tickets"\nprovider', 'id = "pages"\nname = "Tickets"\nprovider',
     "sources.1.id: 'pages' stands twice"),
    ('provider = "shop"', 'provider = "shoop"',
     "there is no provider 'shoop', did you mean 'shop'?"),
    ('source = "pages"', 'source = "page"', "there is no source 'page', did you mean 'pages'?"),
    ("[capabilities.scoring.sources.pages]", "[capabilities.scoring.sources.page]",
     "there is no source 'page', did you mean 'pages'?"),
    ('capability = "guide"', 'capability = "giude"',
     "there is no capability 'giude', did you mean 'guide'?"),
    ('sources = ["pages"]', 'sources = ["pagse"]',
     "'pagse' is no source of this exposure, did you mean 'pages'?"),
    ('slug = "guide"', 'slug = "my_fetch"', "a slug is 1 to 26 of a-z, 0-9 and _"),
    ('slug = "guide"', 'slug = "Guide!"', "a slug is 1 to 26 of a-z, 0-9 and _"),
    ('url = "env:SHOP_URL"', 'url = "shop.internal"', "this is 'embedded' or a reference"),
    ("semantic_weight = 0.7\nlexical_weight = 0.3", "semantic_weight = 0\nlexical_weight = 0",
     "the two rerank weights are both 0"),
    ('tenant_claim = "org_id"', 'tenant_claim = "org_id"\ntenant = "acme"',
     "takes one of tenant and tenant_claim"),
    ('retention = "keyed_hash"', 'retention = "keyed_hash', "not TOML"),
    ('retention = "keyed_hash"', 'retention = "full"\nretention = "none"', "not TOML"),
]  # fmt: skip
# Whose line is not the changed one: the table's, the earlier key's or the next one.
ELSEWHERE = {
    "sources.1.name: this key is missing": '[[sources]]\nid = "tickets"',
    "the two rerank weights are both 0": "[capabilities.scoring]",
    "takes one of tenant and tenant_claim": "[[governance.issuers]]",
}


@pytest.mark.parametrize(("before", "after", "says"), PLANTED, ids=[p[1] for p in PLANTED])
def test_a_planted_mistake_is_named_with_its_line(tmp_path, before, after, says):
    """A person would search four hundred lines for one letter."""
    assert before in WHOLE
    start = WHOLE.index(before)
    anchor = WHOLE.rindex(ELSEWHERE[says], 0, start + 60) if says in ELSEWHERE else start
    line = WHOLE.count("\n", 0, anchor) + 1
    if "retention = " in after and "\n" in after:
        line += 1
    path = tmp_path / "c.toml"
    said = refusal(path, WHOLE.replace(before, after, 1))
    assert said.startswith(f"{path}:{line}: ")
    assert says in said.split(f"; {path}:")[0]
    assert "\n" not in said


SECRETS = ("hunter2-is-a-secret", "sk-1234567890abcdef")


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize(
    "where",
    ['rank = "rarity"', "rows = 50", 'key = "env:MODEL_KEY"', 'url = "env:SHOP_URL"',
     'tenants = ["acme"]', 'presence = "mandatory"', "snapshot = true",
     'prompt_key = "env:ESRA_PROMPT_KEY"'],
)  # fmt: skip
def test_no_error_repeats_what_stood_there(tmp_path, secret, where):
    """A secret in the wrong place would be in a log."""
    key = where.split(" = ")[0]
    said = refusal(tmp_path / "c.toml", WHOLE.replace(where, f'{key} = "{secret}"', 1))
    assert secret not in said


def test_a_key_of_control_characters_stays_on_its_line(tmp_path):
    """A file could write lines of its own into a log, or colours into a terminal."""
    said = refusal(tmp_path / "c.toml", WHOLE + '\n["a\\nESRA: ok\\u001b[31m"]\n')
    assert "a\\nESRA: ok\\x1b[31m: unknown key" in said
    assert said.isprintable()


def written_keys() -> list[tuple[int, int, str]]:
    """(line from 1, column from 0, key) of every key of the file that a model knows."""
    found = []
    for path, line in lines_of(WHOLE).items():
        around = block(at(CatalogFile, path[:-1]))
        if not isinstance(path[-1], str) or around is None or path[-1] not in keys_of(around):
            continue
        text = WHOLE.splitlines()[line - 1]
        names = text.partition("=")[0] if not text.startswith("[") else text
        for match in re.finditer(rf"\b{path[-1]}\b", names):
            found.append((line, match.start(), str(path[-1])))
    return sorted(set(found))


KEYS = written_keys()


def typos(key: str) -> list[str]:
    """Every single slip: a letter lost, doubled, changed to x, or swapped with the next."""
    slips = {key[:n] + key[n + 1 :] for n in range(len(key))}
    slips |= {key[:n] + key[n] + key[n:] for n in range(len(key))}
    slips |= {key[:n] + "x" + key[n + 1 :] for n in range(len(key))}
    slips |= {key[:n] + key[n + 1] + key[n] + key[n + 2 :] for n in range(len(key) - 1)}
    return sorted(slips - {key, ""})


def check_typo(folder: Path, place: tuple[int, int, str], typo: str) -> None:
    line, column, key = place
    lines = WHOLE.splitlines()
    text = lines[line - 1]
    lines[line - 1] = text[:column] + typo + text[column + len(key) :]
    said = refusal(folder / "c.toml", "\n".join(lines))
    assert re.search(rf":{line}: [^;]*\b{typo}: unknown key, did you mean '{key}'\?", said), said


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_any_slip_in_any_key_is_found_and_put_right(tmp_path_factory, data):
    """Some typing error would be the default in disguise, or be blamed on another line."""
    place = data.draw(st.sampled_from(KEYS))
    typo = data.draw(st.sampled_from(typos(place[2])))
    check_typo(tmp_path_factory.getbasetemp(), place, typo)


@pytest.mark.skipif(not os.environ.get("ESRA_LONG"), reason="long form: ESRA_LONG=1")
def test_every_slip_in_every_key_is_found_and_put_right(tmp_path):
    """The sample above could have missed the one key that matters."""
    for place in KEYS:
        for typo in typos(place[2]):
            check_typo(tmp_path, place, typo)
