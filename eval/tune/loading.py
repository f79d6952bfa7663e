"""Folders into the database: what was tolerated, who may read it, where the secret of that lies."""

import os
from pathlib import Path

from esra import embedded
from esra.config.catalog import load_catalog
from esra.config.strict import ConfigError
from esra.wiring import READER
from eval.dataset import Federation
from eval.load import Loaded, load
from eval.progress import Progress


def notes_of(federation: Federation) -> tuple[str, ...]:
    """What was tolerated in the folders, without the path of anybody's machine."""
    return tuple(
        f"{Path(f.file).parent.name}/{Path(f.file).name}"
        f"{f':{f.line}' if f.line else ''}: {f.message}"
        for f in federation.findings
    )


def refuse_loss(catalog: Path, slug: str, name: str, federation: Federation) -> None:
    """Refuses what would take from a capability that answers: its data for another name of the same
    tool, or a source for want of its folder. ``ConfigError``.
    """
    known = load_catalog(catalog).catalog if catalog.exists() else None
    there = known.capability(slug) if known is not None else None
    if known is None or there is None:
        return
    if there.name != name:
        raise ConfigError(
            f"--name {name!r} and {there.name!r} are both the tool esra_{slug}; "
            f"choose another name, or remove {catalog}"
        )
    bound = {binding.source for binding in there.bindings}
    loaded = {
        source.id
        for source in known.sources
        if any(mapping.relation.schema == schema_of(slug) for mapping in source.mappings)
    }
    lost = sorted((bound & loaded) - {source.name for source in federation.sources})
    if lost:
        raise ConfigError(
            f"{name!r} has the source {lost[0]!r} too, which it would lose: name that folder as "
            f"well, or another --name; `record --catalog {slug}` asks over some of its folders. "
            f"To take a source out for good, remove {catalog}"
        )


def schema_of(slug: str) -> str:
    """Where the capability's folders are loaded."""
    return f"esra_{slug}"


def load_into(
    federation: Federation,
    slug: str,
    database: embedded.Database,
    base: Path,
    progress: Progress,
) -> tuple[Loaded, str]:
    """(what was loaded, the reference under which the catalog finds the reader's URL)."""
    given = os.environ.get("ESRA_READER_URL", "")
    loaded = load(
        federation,
        database.url,
        schema=schema_of(slug),
        reader=_user_of(given) if given else None,
        say=progress.say,
    )
    if database.embedded:
        return loaded, "embedded"
    if given:
        return loaded, "env:ESRA_READER_URL"
    secret = base / "secrets" / "reader.url"
    if loaded.password is None and not secret.exists():
        raise ConfigError(
            f"the role {READER} is on that server already and its password is not in {secret}; "
            "set ESRA_READER_URL to a role that may read, or remove the role"
        )
    if loaded.password is not None:
        _keep_secret(secret, reader_url(database.url, READER, loaded.password))
    return loaded, f"file:{secret}"


def reader_url(url: str, user: str, password: str) -> str:
    """The same server and database for another role."""
    from psycopg.conninfo import make_conninfo

    return make_conninfo(url, user=user, password=password)


def _user_of(url: str) -> str:
    from psycopg.conninfo import conninfo_to_dict

    user = conninfo_to_dict(url).get("user")
    if not user:
        raise ConfigError("ESRA_READER_URL names no user; add one, it needs no right but to read")
    return str(user)


def _keep_secret(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
