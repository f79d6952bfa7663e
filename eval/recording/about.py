"""A run folder's ``about.json``: what a recording is of, beside its traces and labels.

It holds what a report needs and neither a trace nor a judgement tells: which queries were asked at
all, the labels of their sources, their tags and traffic, how large each source is, and as of when
the sources were searched.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from eval.whole import write_whole

FILE = "about.json"
SCHEMA = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """One query. ``right`` None: nobody said which sources; ``traffic`` None: not counted."""

    group: str
    tags: tuple[str, ...] = ()
    right: tuple[str, ...] | None = None
    nothing: bool = False
    timely: bool = False
    traffic: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """One source: its family, and how many records it holds (None: not counted)."""

    family: str
    documents: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """``arm`` names the recording; ``key`` is of all that a recording depends on, "" where it was
    written without one; ``claims`` are its caller's, as far as retention keeps them.
    """

    arm: str
    as_of: str = ""
    forms: Mapping[str, str] = field(default_factory=dict)
    shortlist: int = 0
    sources: Mapping[str, Held] = field(default_factory=dict)
    queries: Mapping[str, Labelled] = field(default_factory=dict)
    noise: Mapping[str, object] | None = None
    key: str = ""
    claims: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def write(folder: Path, about: About) -> None:
    """Whole or not at all."""
    plain = {"schema": SCHEMA, **asdict(about)}
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(plain, separators=(",", ":"), allow_nan=False) + "\n"
    write_whole(folder / FILE, text.encode())


def read(folder: Path) -> About | None:
    """None where the folder has none, as the runs of ``tune`` have not; ValueError if unusable."""
    path = folder / FILE
    try:
        plain = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise ValueError(f"{path}: is damaged ({error}); record it again") from error
    if not isinstance(plain, dict) or plain.pop("schema", None) != SCHEMA:
        raise ValueError(f"{path}: not written by this version; record it again")
    try:
        queries = {
            id: Labelled(**{**own, "tags": tuple(own["tags"]), "right": _some(own["right"])})
            for id, own in plain.pop("queries").items()
        }
        sources = {id: Held(**own) for id, own in plain.pop("sources").items()}
        claims = {name: tuple(own) for name, own in plain.pop("claims", {}).items()}
        plain.pop("hidden", None)  # of earlier versions, where it was always empty
        found = About(queries=queries, sources=sources, claims=claims, **plain)
        if not _sound(found):
            raise ValueError("a value of another kind")
        return found
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ValueError(f"{path}: not written by this version; record it again") from error


def _sound(about: About) -> bool:
    """Whether every value is of its kind: reports count on them, and could not say which is not."""
    texts: list[object] = [about.arm, about.as_of, about.key, *about.forms.values()]
    counts: list[object] = []
    flags: list[object] = []
    for one in about.queries.values():
        texts += [one.group, *one.tags, *(one.right or ())]
        flags += [one.nothing, one.timely]
        counts += [one.traffic]
    for held in about.sources.values():
        texts += [held.family]
        counts += [held.documents]
    floor = about.noise or {"measure": "", "floor": 0.0}
    return (
        all(isinstance(one, str) for one in [*texts, floor["measure"]])
        and all(one is None or (type(one) is int and one >= 0) for one in counts)
        and all(isinstance(one, bool) for one in flags)
        and type(floor["floor"]) in (int, float)
        and type(about.shortlist) is int
    )


def refuse_strange(folder: Path) -> None:
    """ValueError where a person's folder holds files and no recording: some of them may be called
    as a recording's are, and would be written over.
    """
    if not folder.is_dir():
        if folder.exists():
            raise ValueError(f"{folder}: is no folder; name a new one with --out")
        return
    names = sorted(path.name for path in folder.iterdir())
    own = [name for name in names if not name.startswith(f".{FILE}.")]  # of a write that was killed
    if own and FILE not in own:
        first = ", ".join(own[:3]) + (", ..." if len(own) > 3 else "")
        raise ValueError(f"{folder}: holds {first} and no recording; name a new folder with --out")


def refuse_another(folder: Path, key: str) -> None:
    """ValueError where the folder holds a recording of something else: what is there counts as
    done, and would go on under a name that is not its own.
    """
    there = read(folder)
    if there is not None and there.key not in ("", key):
        raise ValueError(
            f"{folder}: holds the recording {there.arm!r}, of another catalog, other labels or "
            "other options; name another folder with --out"
        )


def _some(right: list[str] | None) -> tuple[str, ...] | None:
    return None if right is None else tuple(right)
