"""The prompts of the three model steps: files a person can read, improve and tell apart.

Each file is a version and the text a model is given, whole and unchanged: nothing is ever filled
into it. What differs from call to call travels apart, fenced as data.
"""

import hashlib
import re
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

_FILE = re.compile(r"\A---\nversion: (\d{1,9})\n---\n(.*\S.*)\Z", re.DOTALL)
_FORM = "a prompt file is UTF-8 text: ---, version: N, ---, a line each, then the prompt"


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """``hash`` is 12 hex digits of SHA-256 over version and text, whatever the line ends."""

    version: int
    text: str
    hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompts:
    select: Prompt
    plan: Prompt
    rerank: Prompt


def load_prompts(folder: Path | None = None) -> Prompts:
    """The packaged prompts, or those of ``folder`` where it holds a file of the name.

    ``ValueError`` names the file that is no prompt.
    """
    return Prompts(
        select=_load("select.md", folder),
        plan=_load("plan.md", folder),
        rerank=_load("rerank.md", folder),
    )


def _load(name: str, folder: Path | None) -> Prompt:
    place: Path | Traversable = files(__name__) / name
    if folder is not None and (folder / name).exists():
        place = folder / name
    try:
        return read_prompt(place.read_bytes())
    except (OSError, ValueError) as error:
        raise ValueError(f"{place}: {error}") from error


def read_prompt(content: bytes) -> Prompt:
    """The prompt in a file's bytes; ``ValueError`` says what such a file looks like."""
    try:
        text = content.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise ValueError(_FORM) from error
    found = _FILE.match(text)
    if found is None:
        raise ValueError(_FORM)
    return Prompt(
        version=int(found.group(1)),
        text=found.group(2).strip(),
        hash=hashlib.sha256(text.encode()).hexdigest()[:12],
    )
