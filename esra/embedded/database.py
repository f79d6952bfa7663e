"""Where a database is reached. Opens nothing."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from .trouble import EmbeddedError

SUPERUSER = "postgres"
# Only names the socket file; nothing listens on a network port.
PORT = 5432
NOT_ASKED = "not asked"

_IDENTITY = {"user", "password", "passfile"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Database:
    """A PostgreSQL server as libpq reaches it.

    ``url`` is a libpq URL (PostgreSQL manual, 32.1.1.2); a server of the
    user's own may hide a password in it, so it stays out of ``repr``.
    ``version`` is the server's, such as ``18.6``, or ``not asked`` for a
    server of the user's own, which is never connected to from here.
    """

    url: str = field(repr=False)
    embedded: bool
    version: str

    def as_user(self, user: str, database: str | None = None) -> str:
        """The same server for another role, and another database if named.

        The password does not go along: it belongs to the role left behind.
        """
        parts = urlsplit(self.url)
        servers = parts.netloc.rpartition("@")[2]
        dropped = _IDENTITY if database is None else _IDENTITY | {"dbname"}
        path = parts.path if database is None else "/" + quote(database, safe="")
        # Not parse_qsl: libpq reads a plus sign as a plus sign.
        kept = [item for item in parts.query.split("&") if _key(item) not in dropped]
        query = "&".join(filter(None, kept))
        address = f"{parts.scheme}://{quote(user, safe='')}@{servers}{path}"
        return f"{address}?{query}" if query else address


def at_socket(sockets: Path, version: str) -> Database:
    """The superuser's door to the server that listens in the folder ``sockets``."""
    host = quote(os.fsencode(sockets), safe="")
    url = f"postgresql://{SUPERUSER}@/postgres?host={host}&port={PORT}"
    return Database(url=url, embedded=True, version=version)


def at_url(url: str) -> Database:
    """A server of the user's own; EmbeddedError where it is not a libpq URL."""
    # The value is not repeated: it may hold a password.
    if not url.startswith(("postgresql://", "postgres://")):
        raise EmbeddedError(
            "ESRA_DATABASE_URL is not a URL; write it as postgresql://user@host:5432/database"
        )
    return Database(url=url, embedded=False, version=NOT_ASKED)


def _key(item: str) -> str:
    return unquote(item.partition("=")[0])
