"""Where a source is: a URL that a secret names, read strictly before a socket is opened.

libpq takes far more than an address from a connection string (``service``, files of passwords and
keys), so only the keys below are let through, and what it would look up by itself in the home
folder is pointed to nowhere. Nothing here is logged.
"""

from collections.abc import Callable
from os import environ

from psycopg.conninfo import conninfo_to_dict

# A secret by reference: it is resolved when a connection is made, and kept nowhere.
Address = Callable[[], str]

KEYS = frozenset(
    {
        "host",
        "hostaddr",
        "port",
        "dbname",
        "user",
        "password",
        "sslmode",
        "sslrootcert",
        "connect_timeout",
        "application_name",
        "channel_binding",
        "target_session_attrs",
    }
)
SSL_MODES = frozenset({"disable", "allow", "prefer", "require", "verify-ca", "verify-full"})


# No file can be there, and libpq takes a file that is not there for none.
_NOWHERE = "/dev/null/none"
# Given, each is not looked for in the environment and the home folder: passwords and a certificate
# of whoever runs this, options of the session.
OWN = {"passfile": _NOWHERE, "sslcert": _NOWHERE, "sslkey": _NOWHERE, "options": ""}


class Unresolved(Exception):
    """The secret that holds the address cannot be had."""


class Invalid(Exception):
    """The address is not one we connect to. The message names keys, never values."""


def resolve(address: Address) -> str:
    """The URL behind the reference; ``Unresolved`` whatever went wrong there."""
    try:
        url = address()
    except Exception as trouble:
        raise Unresolved(type(trouble).__name__) from trouble
    if not isinstance(url, str) or not url.strip():
        raise Unresolved("the reference resolves to nothing")
    return url


def read(url: str) -> dict[str, str]:
    """The parameters of a libpq URL or key-value string; ``Invalid`` for anything doubtful."""
    try:
        parts = {
            key: str(value) for key, value in conninfo_to_dict(url).items() if value is not None
        }
    except Exception as trouble:
        raise Invalid("not a connection string") from trouble
    if unknown := sorted(set(parts) - KEYS):
        raise Invalid(f"not allowed in an address: {', '.join(unknown)}")
    for port in parts.get("port", "5432").split(","):
        if not (port.isascii() and port.isdigit() and 1 <= int(port) <= 65_535):
            raise Invalid("a port lies in 1..65535")
    if "PGSERVICE" in environ:
        # The one variable that no parameter overrules: it would add a server of its own.
        raise Invalid("the variable PGSERVICE is set; unset it")
    if parts.get("sslmode", "prefer") not in SSL_MODES:
        raise Invalid("unknown sslmode")
    return parts
