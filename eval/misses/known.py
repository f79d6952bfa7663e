"""What no trace can tell of a right document: asked of the engines, and kept beside the traces.

``known.json`` of a run folder is written by ``record`` and ``tune``. Where it is not there nothing
is known, and a miss that rests on it is told as one that nobody looked into.
``hidden.tsv`` is a person's own list of what the recording's caller may not see, where the record
filter is not in the catalog: a source and a key on each line, with a tab between them.
"""

import json
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from pathlib import Path

from eval.runfolder import RunFolderError
from eval.whole import write_whole

FILE, HIDDEN = "known.json", "hidden.tsv"
SCHEMA = 1
BY_QUERY = ("later", "matched", "unmatched", "unsaid")

Record = tuple[str, str]  # (source, key), as judgements name one
ByQuery = Mapping[str, frozenset[Record]]
NONE: frozenset[Record] = frozenset()


class KnownUnusable(RunFolderError):
    """What is known beside the traces cannot be read; the message says what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """hidden: in its source, and its caller's record filter lets it not pass
    absent: no record of its source has this key
    masked: (source, mapping) of which every returned field is masked
    later: dated after their question, in a recording as of its date
    matched, unmatched: whether a query of the plan finds it, the row cap aside
    unsaid: behind a row cap, and the engine could not say which of the two it is
    sought: every record of which an engine said whether it is there; a label that came later is
        none of them
    silent: sources that could not say it of every record: which of the others are hidden or absent
        is not known
    """

    hidden: frozenset[Record] = frozenset()
    absent: frozenset[Record] = frozenset()
    masked: frozenset[tuple[str, str]] = frozenset()
    later: ByQuery = field(default_factory=dict)
    matched: ByQuery = field(default_factory=dict)
    unmatched: ByQuery = field(default_factory=dict)
    unsaid: ByQuery = field(default_factory=dict)
    sought: frozenset[Record] = frozenset()
    silent: frozenset[str] = frozenset()

    def matches(self, query: str, record: Record) -> bool | None:
        """None where no engine was asked, or none could say."""
        if record in self.matched.get(query, NONE):
            return True
        return False if record in self.unmatched.get(query, NONE) else None


def renewed(found: Known, former: Known, wanted: AbstractSet[Record], *, same: bool) -> Known:
    """What the engines say now, and of what they could not say, what they said before.

    wanted: all that they were to be asked of; same: the traces are those of before, so that what
    the plan's queries found then they find now
    """
    gone = wanted - found.sought
    sought = found.sought | gone & former.sought
    hidden = found.hidden | gone & former.hidden
    absent = found.absent | gone & former.absent
    later = {query: own & gone for query, own in former.later.items()}
    unsaid = {query: own - hidden - absent for query, own in found.unsaid.items()}
    before = unsaid if same else {}
    matched = {q: own & former.matched.get(q, NONE) for q, own in before.items()}
    unmatched = {q: own & former.unmatched.get(q, NONE) for q, own in before.items()}
    told = _joined(matched, unmatched)
    return replace(
        found,
        hidden=hidden,
        absent=absent,
        later=_joined(found.later, later),
        matched=_joined(found.matched, matched),
        unmatched=_joined(found.unmatched, unmatched),
        unsaid={q: left for q, own in unsaid.items() if (left := own - told.get(q, NONE))},
        sought=sought,
        silent=found.silent & {source for source, _ in wanted - sought},
    )


def _joined(one: ByQuery, other: ByQuery) -> dict[str, frozenset[Record]]:
    found = {query: one.get(query, NONE) | other.get(query, NONE) for query in {*one, *other}}
    return {query: own for query, own in found.items() if own}


def silence(known: Known) -> str:
    """Which sources left open what of their documents is hidden or absent; "" if none."""
    if not known.silent:
        return ""
    named = ", ".join(sorted(known.silent))
    return f"{named} could not say which right documents there are, hidden or not"


def write(folder: Path, known: Known) -> None:
    """Whole or not at all."""
    plain = {
        "schema": SCHEMA,
        **{
            name: _listed(getattr(known, name)) for name in ("hidden", "absent", "masked", "sought")
        },
        **{
            name: {q: _listed(own) for q, own in sorted(getattr(known, name).items()) if own}
            for name in BY_QUERY
        },
        "silent": sorted(known.silent),
    }
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(plain, separators=(",", ":"), allow_nan=False) + "\n"
    write_whole(folder / FILE, text.encode(), private=True)  # it names documents that are hidden


def read(folder: Path) -> Known:
    """With what ``hidden.tsv`` names besides. Raises ``KnownUnusable``."""
    found = said(folder)
    return replace(found, hidden=found.hidden | _hidden(folder / HIDDEN))


def said(folder: Path) -> Known:
    """What the engines said alone. Raises ``KnownUnusable``."""
    plain = _plain(folder / FILE)
    try:
        return Known(
            hidden=_pairs(plain["hidden"]),
            absent=_pairs(plain["absent"]),
            masked=_pairs(plain["masked"]),
            sought=_pairs(plain.get("sought", ())),
            **{
                name: {query: _pairs(own) for query, own in plain[name].items()}
                for name in BY_QUERY
                if name != "unsaid" or name in plain
            },
            silent=frozenset(plain.get("silent", ())),  # an older file lacks these three
        )
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise KnownUnusable(f"{folder / FILE}: {_OTHER}") from error


_OTHER = "not written by this version; remove it and record again, what is recorded stays"
_NOTHING: dict[str, object] = {
    "hidden": [], "absent": [], "masked": [], "later": {}, "matched": {}, "unmatched": {}
}  # fmt: skip


def _plain(path: Path) -> dict:
    try:
        plain = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return _NOTHING
    except ValueError as error:
        raise KnownUnusable(f"{path}: is damaged ({error}); remove it and record again") from error
    if not isinstance(plain, dict) or plain.get("schema") != SCHEMA:
        raise KnownUnusable(f"{path}: {_OTHER}")
    return plain


def _listed(found: Iterable[tuple[str, str]]) -> list[list[str]]:
    return sorted(map(list, found))


def _pairs(rows: Iterable[Iterable[str]]) -> frozenset[tuple[str, str]]:
    return frozenset((source, name) for source, name in rows)


def _hidden(path: Path) -> frozenset[Record]:
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        return frozenset()
    except UnicodeDecodeError as error:
        raise KnownUnusable(f"{path}: is not UTF-8: save it as UTF-8") from error
    rows = [line.split("\t") for line in text.split("\n") if line.strip()]
    if any(len(row) != 2 for row in rows):
        raise KnownUnusable(f"{path}: a line is source and key, with a tab between them")
    return _pairs(rows)
