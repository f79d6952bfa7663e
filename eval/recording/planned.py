"""What a recording depends on, and the folder that this names."""

import argparse
import hashlib
from dataclasses import dataclass
from pathlib import Path

from esra.config.strict import ConfigError
from esra.domain.capability import Capability
from esra.ports import House
from esra.wiring import models_of
from eval.recording import about, claims
from eval.recording.answers import secret_of
from eval.recording.as_of import WIDEST
from eval.recording.changed import Changes, refuse_missing_models
from eval.recording.ground import Ground
from eval.tune.folders import recording_key


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """``models``: the identity of each form's model. ``secret``: the key under which answers are
    kept and names masked. ``key``: of all that the recording depends on.
    """

    house: House
    capability: Capability
    models: dict[str, str]
    secret: bytes
    key: str
    folder: Path


def planned(
    arguments: argparse.Namespace, over: Ground, house: House, changes: Changes, base: Path
) -> Planned:
    """ConfigError where a model is missing or the folder holds something else."""
    capability = house.catalog.capability(over.capability.id)
    assert capability is not None
    refuse_missing_models(house, capability)
    models = models_of(
        capability,
        {
            "selectors": dict(house.selectors),
            "planners": dict(house.planners),
            "rerankers": dict(house.rerankers),
        },
    )
    secret = house.prompt_key or secret_of(base / "keys" / "answers.key")
    key = _key(over, house, models, arguments, changes, secret)
    return Planned(
        house=house,
        capability=capability,
        models=models,
        secret=secret,
        key=key,
        folder=_folder(arguments.out, base / "runs" / over.exposure / key[:16], key),
    )


def _key(
    over: Ground,
    house: House,
    models: dict[str, str],
    arguments: argparse.Namespace,
    changes: Changes,
    secret: bytes,
) -> str:
    """Of what the recording depends on; with nothing changed it names the folder that tune uses."""
    key = recording_key(house.catalog.version, over.labels.data, models)
    own = [
        *changes.told(),
        *((f"as_of={WIDEST}",) if arguments.as_of else ()),
        *((f"retention={arguments.retention}",) if arguments.retention else ()),
        *claims.identity(claims.stated(arguments.claims), house.retention, secret),
    ]
    if own:
        key = hashlib.sha256("\n".join([key, *own]).encode()).hexdigest()
    return key


def _folder(named: Path | None, own: Path, key: str) -> Path:
    """The folder that a person named, or else the recording's own."""
    folder = own
    try:
        if named is not None and named.absolute() != own.absolute():
            folder = named
            about.refuse_strange(folder)
        about.refuse_another(folder, key)
    except ValueError as error:
        raise ConfigError(str(error)) from error
    return folder
