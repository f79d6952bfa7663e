"""Finds the decision that somebody means, and says whether it may be promoted."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from esra.config.apply import read_file, revision_files
from esra.config.keys import verify_keys
from esra.config.strict import ConfigError
from esra.config.tuned import BadSignature, TunedFile, read_tuned
from esra.governance import places
from eval import publish
from eval.evidence import NO_LEDGER, Ledger, Outcome
from eval.runs.folders import NoSuchRun, meant
from eval.runs.ordering import named_in

RESULT, NUMBERS = "result.json", "numbers-*.json"
EXPLORED = "explored.json"  # where `tune --explore` leaves its candidate


class NotFound(ValueError):
    """No decision goes by this name; the message says where they come from."""


class NotPromoted(ValueError):
    """The evidence does not carry the claim; the message is the decision's own reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """A promoted decision: the checked file that holds its claim and its evidence."""

    path: Path
    file: TunedFile

    @property
    def claim(self) -> dict[str, object]:
        """What is being claimed, as `tune` made it."""
        return _claim(self.file)


def decided(base: Path, name: str | None, ledger: Ledger) -> Decided:
    """The decision of a tuned or candidate file, of a run's folder or id, or the latest of all.

    NotPromoted where it was none for a change; NotFound, ConfigError and BrokenLedger say why a
    file cannot be used.
    """
    path = _path(base, name)
    file = read_decision(path)
    evidence = file.evidence
    if evidence.get("promoted") is not True:
        why = evidence.get("why")
        raise NotPromoted(
            f"{file.capability}, {_what(file)}: {why}{_in_force(base, file.capability)}"
            if isinstance(why, str)
            else f"{path}: holds no decision of `tune`, so there is nothing that speaks for it"
        )
    _vouched(file, ledger)
    return Decided(path=path, file=file)


def _in_force(base: Path, capability: str) -> str:
    """Where the numbers are that somebody may have meant instead."""
    newest = revision_files(places.tuned_folder(base) / capability)[:1]
    return "".join(f" The newest revision is {path}; name that file for it" for path in newest)


def _what(file: TunedFile) -> str:
    """Which number the reason speaks of; `tune` without --parameter decides on the share."""
    way = file.evidence.get("way")
    return way if isinstance(way, str) else "semantic share"


def read_decision(path: Path) -> TunedFile:
    """The file, checked as a runtime checks one but for whose sources it names."""
    raw = read_file(path)
    capability, sources = named_in(raw, path)
    try:
        return read_tuned(
            raw, where=str(path), capability=capability, sources=sources, keys=verify_keys()
        )
    except BadSignature as error:
        raise ConfigError(
            f"{error}; `./workbench tune` decides and signs anew, and docs/tuned-configuration.md "
            "says how a key is brought in or changed"
        ) from error


def _vouched(file: TunedFile, ledger: Ledger) -> None:
    """A hash is anybody's to make: the ledger says what came of these numbers, or a key signed."""
    head = file.evidence.get("ledger")
    if verify_keys():
        return
    if not isinstance(head, str) or head == NO_LEDGER:
        raise NotPromoted(f"{file.capability}: its evidence names no opening of a sealed part")
    ledger.require([head])
    tried = file.evidence.get("tried")
    opened = publish.candidate_hash(_claim(file), tried) if isinstance(tried, str) else ""
    told = {r["verdict"]["outcome"] for r in ledger.read().records if r["candidate"] == opened}
    if Outcome.PROMOTED not in told:
        how = f"says {', '.join(sorted(told))}" if told else "holds no opening"
        raise NotPromoted(
            f"{file.capability}: the ledger here {how} for these numbers; "
            "`./workbench tune` decides anew"
        )


def _claim(file: TunedFile) -> dict[str, object]:
    return {
        "capability": file.capability,
        "tunables": file.tunables.model_dump(exclude_none=True, exclude_defaults=True),
        "models": file.models.model_dump(),
        "data": file.data,
    }


def _path(base: Path, name: str | None) -> Path:
    given = None if name is None else Path(name).expanduser()
    if given is not None and given.is_file():
        return given
    if given is not None and given.is_dir():
        return _of_folder(given)
    return _of_folder(_folder(base, name))


def _folder(base: Path, name: str | None) -> Path:
    """The run's folder that an id, its beginning, a capability, or nothing at all means."""
    folders = (base / "runs").glob("*/*")
    every = {f"{own.parent.name}/{own.name}": own for own in folders if _decisions(own)}
    try:
        own = [every[id] for id in (every if name is None else meant(every, name))]
    except NoSuchRun as error:
        raise NotFound(str(error)) from error
    if not own:
        raise NotFound(
            f"no decision {'yet' if name is None else f'of {name!r}'}; `./workbench tune` "
            "reaches one, and its folder, its id or a file of it can be named here"
        )
    return max(own, key=lambda folder: _rank(_decisions(folder)[0]))


def _decisions(folder: Path) -> list[Path]:
    """A run's decisions, the latest first: of the share, and of the other numbers."""
    return sorted([*folder.glob(RESULT), *folder.glob(NUMBERS)], key=_rank, reverse=True)


def _rank(path: Path) -> tuple[bool, float, str]:
    """A look decides nothing, so it stands behind whatever was decided, however long ago."""
    return not _looked(path), path.stat().st_mtime, path.name


def _looked(path: Path) -> bool:
    try:
        return Path(str(_told(path).get("config", ""))).name == EXPLORED
    except ConfigError:
        return False  # what is wrong with it is said where it is read


def _of_folder(folder: Path) -> Path:
    decisions = _decisions(folder)
    if not decisions:
        raise NotFound(f"{folder}: holds no decision; name the folder of a finished `tune`")
    told = _told(decisions[0])
    path = Path(str(told.get("config", "")))
    if not path.is_file():
        raise NotFound(f"{decisions[0]}: its file {path} is not there; name the tuned file itself")
    return path


def _told(path: Path) -> Mapping[str, object]:
    try:
        told = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: cannot be read ({type(error).__name__})") from error
    if not isinstance(told, dict):
        raise ConfigError(f"{path}: not a decision of `tune`")
    return told
