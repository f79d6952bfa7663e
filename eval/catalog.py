"""Writes a catalog for labelled folders: one capability, one exposure, a source a folder.

The file is for a person to read and edit. One that was edited is never written over: its first
line holds the hash of what was generated, and a file that no longer fits it is left alone.
"""

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from esra.config.beside import LINE, keep_beside
from eval.whole import write_whole

MARK = "# generated "
LONGEST_SLUG = 26


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogSource:
    """What the catalog says of one source. ``examples`` are titles that say what it holds."""

    id: str
    table: str
    documents: int
    examples: tuple[str, ...]
    dated: bool
    language: str = "english"
    rank: str = "rarity"


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """The forms and sizes the generated capability starts with."""

    select: str = "all"
    rerank: str = "local"
    shortlist: int = 30


class SlugError(ValueError):
    """A name from which no tool name can be made."""


def slug_of(name: str) -> str:
    """``a-z0-9_``, at most 26 characters, not ending in ``_fetch`` (RULINGS 28)."""
    slug = re.sub(r"[^a-z0-9]+", "_", name.casefold()).strip("_")[:LONGEST_SLUG].strip("_")
    if not slug:
        raise SlugError(f"--name {name!r} holds no letter a-z and no digit; choose another")
    if slug.endswith("_fetch"):
        raise SlugError(f"--name {name!r}: a name may not end in _fetch; choose another")
    return slug


def catalog_text(
    slug: str,
    name: str,
    schema: str,
    url: str,
    sources: Sequence[CatalogSource],
    choices: Choices,
    data: str,
) -> str:
    """The whole file, its first line the hash of the rest."""
    body = "\n".join(
        [
            _head(slug, name, url),
            *(_source(source, schema) for source in sources),
            _capability(slug, name, sources, choices, data),
            _exposure(slug),
        ]
    )
    return f"{MARK}{hashlib.sha256(body.encode()).hexdigest()}\n{body}"


def is_untouched(text: str) -> bool:
    """Whether a catalog is still as it was generated."""
    first, _, body = text.partition("\n")
    return first == f"{MARK}{hashlib.sha256(body.encode()).hexdigest()}"


def _head(slug: str, name: str, url: str) -> str:
    return f"""\
{LINE}# The catalog of {_comment(name)}: what may be searched, and the numbers that order it.
# Edit it freely: an edited catalog is never written over. Try a change with
#   ./workbench esra retrieve {slug} "a question" --explain

[providers.main]
engine = "postgres"
# Where the engine is: "embedded", "env:NAME" or "file:PATH". Never a password itself.
url = {_text(url)}
"""


def _source(source: CatalogSource, schema: str) -> str:
    holds = "; ".join(source.examples)
    about = f"{source.documents} documents, such as: {holds}" if holds else ""
    timestamp = '\ntimestamp = "timestamp"' if source.dated else ""
    return f"""
[[sources]]
id = {_text(source.id)}
name = {_text(source.id)}
provider = "main"
# What a selecting model reads of this source. Say what it holds and when it is the wrong place.
description = {_text(about)}
usage = ""
exclusions = ""

[[sources.mappings]]
id = "documents"
name = "Documents"
schema = {_text(schema)}
table = {_text(source.table)}
key = "key"
title = "title"
text = "text"
vector = "vector"{timestamp}
# How a word is reduced to its stem: a text search configuration of the server.
language = {_text(source.language)}
# How a match is scored: coverage, density or rarity.
rank = {_text(source.rank)}
"""


def _capability(
    slug: str, name: str, sources: Sequence[CatalogSource], choices: Choices, data: str
) -> str:
    bindings = "".join(
        f'\n[[capabilities.bindings]]\nsource = {_text(source.id)}\npresence = "optional"\n'
        for source in sources
    )
    return f"""
[[capabilities]]
id = {_text(slug)}
name = {_text(name)}
# select: all, local (the model on this machine) or statistics (the sources' own words);
# plan: template, or local (with the sources' own vocabulary); rerank: none or local.
# Each may be "model" where a [model] block names a language model: base_url, model and key.
select = {_text(choices.select)}
plan = "template"
rerank = {_text(choices.rerank)}
data = {_text(data)}

[capabilities.scoring]
# final = semantic_weight x semantic + lexical_weight x weighted. A tuned revision replaces them.
semantic_weight = 0.7
lexical_weight = 0.3
match_bonus = 0.02
bonus_cap = 0.1
# How much a source counts whose own words speak against the question; 1: as much as any.
evidence_floor = 1.0
# How many candidates the reranker sees.
shortlist = {choices.shortlist}
{bindings}"""


def _exposure(slug: str) -> str:
    return f"""
[[exposures]]
slug = {_text(slug)}
capability = {_text(slug)}
# explain shows native scores; take it out for an audience that must not see them.
modes = ["brief", "full", "explain"]
"""


def _text(value: str) -> str:
    """A TOML basic string: JSON's escapes are TOML's, but for DEL."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _comment(value: str) -> str:
    return "".join(char if char.isprintable() else " " for char in value)


def keep_or_write(path: Path, text: str) -> bool:
    """Writes the catalog unless a person edited the one that is there; True when written."""
    if path.exists() and not is_untouched(path.read_text("utf-8", errors="replace")):
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    keep_beside(path)
    write_whole(path, text.encode())
    return True
