"""Under which ids records go out: those another tool knows them by, as its map says.

The way back of an import with the same map. A record of several ids goes out under each of them;
one without an id of its own keeps its key, so that nothing is lost, and all of them are named.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from eval.exchange.idmap import IdMap
from eval.exchange.matching import Match
from eval.formats.findings import Findings, quoted
from eval.formats.sheet import Sheet

MISSING = "record without an id in --id-map, kept under its key"
SEVERAL = "record of several ids in --id-map, written under each"
FIRST = "record of several ids in --id-map, written under the first"
SHARED = "record whose id is another's too, kept under its key"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ids:
    """``of[key]``: the ids of a record; ``missing`` and ``ambiguous`` are keys."""

    of: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    ambiguous: tuple[str, ...] = ()

    def told(self, match: Match) -> Match:
        """The match of the keys with the records there are, with what the map lacks."""
        lacking = dict.fromkeys([*match.missing, *self.missing])
        unclear = dict.fromkeys([*match.ambiguous, *self.ambiguous])
        return Match(
            found=tuple(key for key in match.found if key not in lacking and key not in unclear),
            missing=tuple(lacking),
            ambiguous=tuple(unclear),
        )

    def sheet(self, sheet: Sheet) -> Sheet:
        """The sheet in the ids of its records."""
        return replace(
            sheet,
            judgements=tuple(
                replace(one, document=id)
                for one in sheet.judgements
                for id in self.of[one.document]
            ),
            open=tuple((query, id) for query, key in sheet.open for id in self.of[key]),
            failures=tuple(
                replace(one, document=id) for one in sheet.failures for id in self.of[one.document]
            ),
        )


def leaving(
    keys: Iterable[str],
    mapped: IdMap | None,
    there: Collection[str] | None,
    file: Path,
    findings: Findings,
    *,
    one: bool = False,
) -> Ids:
    """The ids of records; without a map their keys. With ``one`` no record has several.

    ``there`` are the keys of the records there are, None where nobody knows: any other key is an id
    that an import left as it was. Refused are a record that the map would read back as another
    one, and two that would go out as one: the judgements of the one would become the other's.
    """
    if mapped is None:
        return Ids(of={key: (key,) for key in keys})
    of: dict[str, tuple[str, ...]] = {}
    taken: dict[str, str] = {}
    missing, ambiguous = [], []
    for key in keys:
        record = there is None or key in there
        ids = mapped.ids(key) if record or mapped.listed else ()
        of[key] = (ids[:1] if one else ids) or (key,)
        for id in of[key]:
            if taken.setdefault(id, key) != key:
                said = f"keys {quoted(taken[id])} and {quoted(key)} both go out as {quoted(id)}"
                findings.refuse(file, 0, f"{said}: make them one")
        if len(ids) == 1 or not record:
            continue
        kind = (FIRST if one else SEVERAL) if ids else SHARED if mapped.shared(key) else MISSING
        (missing if kind == MISSING else ambiguous).append(key)
        findings.count(kind, file, 0, quoted(key))
        others = [other for other in mapped.keys(key) if there is None or other in there]
        if not ids and others not in ([], [key]):
            said = f"key {quoted(key)} has no id in --id-map, where it is the id of another record"
            findings.refuse(file, 0, f"{said}: give it an id of its own")
    return Ids(of=of, missing=tuple(missing), ambiguous=tuple(ambiguous))
