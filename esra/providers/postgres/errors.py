"""Names any exception as one of the sixteen codes, and writes what the driver said to the log.

Total over ``BaseException``. The order of decision: what we know ourselves (secret, address, a
missing index, our own deadline), then the SQLSTATE, then for errors without one the stage, the
type and, as a last resort, the server's English. Text that is not recognised is UNKNOWN, never a
retryable code.
What the driver said goes to the logger ``esra.providers.postgres`` with the bound values cut out,
and nowhere else.
"""

import asyncio
import logging
from dataclasses import dataclass
from enum import StrEnum

import psycopg

from esra.domain.codes import FailureCode
from esra.providers.postgres.pool import Busy
from esra.providers.postgres.sqlstate import by_sqlstate, is_internal
from esra.providers.postgres.verdicts import NotSearchable

LOG = logging.getLogger("esra.providers.postgres")
LOG.addHandler(logging.NullHandler())
# What the driver itself has to say names user, host and database: without a log, nobody's business.
logging.getLogger("psycopg").addHandler(logging.NullHandler())

# A cancel that comes this close to the statement timeout is the timeout: both are 57014, and the
# text that tells them apart is translated by the server.
NEARLY = 0.95


class Stage(StrEnum):
    """How far a command had come."""

    SECRET = "secret"
    ADDRESS = "address"
    HOST = "host"
    SNAPSHOT = "snapshot"
    CONNECT = "connect"
    RUN = "run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """What we know beside the exception. ``elapsed`` and ``allowed`` in seconds."""

    stage: Stage
    elapsed: float = 0.0
    allowed: float = float("inf")
    language: str = ""
    values: tuple[object, ...] = ()


class SnapshotLost(Exception):
    """The state of the data that others were answered from is not to be had any more."""


class Trouble(Exception):
    """A driver's exception (its cause) with the circumstances it came in."""

    def __init__(self, circumstances: Circumstances) -> None:
        super().__init__(circumstances.stage.value)
        self.circumstances = circumstances


def classify(trouble: BaseException) -> FailureCode:
    """The code of ``trouble``; logs it."""
    known = Circumstances(stage=Stage.RUN)
    cause = trouble
    if isinstance(trouble, Trouble):
        known, cause = trouble.circumstances, trouble.__cause__ or trouble
    code = _code(cause, known)
    LOG.warning(
        "%s at %s: %s %s: %s",
        code.value,
        known.stage.value,
        type(cause).__name__,
        getattr(cause, "sqlstate", None) or "-",
        _without(_said(cause), known.values),
    )
    return code


def internal(trouble: BaseException) -> bool:
    """Whether ``trouble`` says that the server itself is broken."""
    cause = trouble.__cause__ if isinstance(trouble, Trouble) else trouble
    sqlstate = getattr(cause, "sqlstate", None)
    broken = isinstance(sqlstate, str) and is_internal(sqlstate)
    return broken and cause is not None and not _our_terms(cause)


def _our_terms(cause: BaseException) -> bool:
    # The parser of text queries gives up with an internal error, which is not translated.
    return getattr(cause, "sqlstate", None) == "XX000" and "tsquery" in _said(cause)


def _code(cause: BaseException, known: Circumstances) -> FailureCode:
    if isinstance(cause, NotSearchable):
        return cause.code
    if isinstance(cause, SnapshotLost):
        return FailureCode.SNAPSHOT_ISOLATION_UNAVAILABLE
    if known.stage is Stage.SECRET:
        return FailureCode.SECRET_UNRESOLVED
    if known.stage is Stage.ADDRESS:
        return FailureCode.CONNECTION_TEMPLATE_INVALID
    if known.stage is Stage.HOST:
        return FailureCode.HOST_NOT_ALLOWED
    sqlstate = getattr(cause, "sqlstate", None)
    if isinstance(sqlstate, str):
        return _named(sqlstate, cause, known)
    return _unnamed(cause, known)


# What a server or a pooler says that does not know the transaction asked for.
_NOT_OFFERED = ("0A000", "22023", "25001")


def _named(sqlstate: str, cause: BaseException, known: Circumstances) -> FailureCode:
    said = _said(cause)
    if known.stage is Stage.SNAPSHOT and sqlstate in _NOT_OFFERED:
        return FailureCode.SNAPSHOT_ISOLATION_UNAVAILABLE
    if _our_terms(cause):
        return FailureCode.SYNTAX_ERROR
    if sqlstate == "57014":
        late = known.elapsed >= NEARLY * known.allowed or "statement timeout" in said
        return FailureCode.TIMEOUT if late else FailureCode.CANCELLED
    if sqlstate == "42704":
        about_language = bool(known.language) and known.language in said
        return (
            FailureCode.TEXT_INDEX_UNAVAILABLE if about_language else FailureCode.RELATION_NOT_FOUND
        )
    if sqlstate == "42883":
        # Names of types and functions are not translated.
        about_text = any(name in said for name in ("tsvector", "tsquery", "ts_rank"))
        return FailureCode.TEXT_INDEX_UNAVAILABLE if about_text else FailureCode.SYNTAX_ERROR
    return by_sqlstate(sqlstate)


_OURS = (psycopg.ProgrammingError, psycopg.DataError, UnicodeError, OverflowError, ValueError)


def _unnamed(cause: BaseException, known: Circumstances) -> FailureCode:
    match cause:
        case asyncio.CancelledError():
            return FailureCode.CANCELLED
        case psycopg.errors.ConnectionTimeout() | TimeoutError():
            return FailureCode.TIMEOUT
        case Busy() | MemoryError():
            return FailureCode.RESOURCE_EXHAUSTED
        case psycopg.OperationalError() if "number of parameters" in str(cause):
            return FailureCode.SYNTAX_ERROR
        case psycopg.OperationalError():
            return _connecting(str(cause), known)
        case psycopg.InterfaceError() | ConnectionError():
            return FailureCode.CONNECTION_REFUSED
    return FailureCode.SYNTAX_ERROR if isinstance(cause, _OURS) else FailureCode.UNKNOWN


_SAYINGS: tuple[tuple[FailureCode, tuple[str, ...]], ...] = (
    (
        FailureCode.AUTH_FAILED,
        (
            "password authentication failed",
            "no password supplied",
            "no pg_hba.conf entry",
            "pg_hba.conf rejects",
            "authentication failed for user",
        ),
    ),
    (
        FailureCode.RESOURCE_EXHAUSTED,
        ("too many connections", "too many clients", "remaining connection slots"),
    ),
    (
        FailureCode.CONNECTION_REFUSED,
        (
            "the database system is",
            "failed to resolve host",
            "could not translate host name",
            "connection refused",
            "connection reset",
            "no such file or directory",
            "no route to host",
            "network is unreachable",
            "server closed the connection",
            "the connection is closed",
            "connection to server was lost",
            "consuming input failed",
            "connection is bad",
            "terminating connection",
        ),
    ),
    (
        FailureCode.CONNECTION_TEMPLATE_INVALID,
        (
            "server does not support ssl",
            "certificate verify failed",
            "does not match host name",
            "root certificate file",
        ),
    ),
)


def _connecting(said: str, known: Circumstances) -> FailureCode:
    """An error without SQLSTATE: every failure to connect is one (the server's text is all)."""
    fatal = said.lower()
    if known.stage is Stage.CONNECT and "does not exist" in fatal:
        role = 'role "' in fatal
        return FailureCode.AUTH_FAILED if role else FailureCode.CONNECTION_TEMPLATE_INVALID
    for code, sayings in _SAYINGS:
        if any(saying in fatal for saying in sayings):
            return code
    return FailureCode.UNKNOWN


def _said(cause: BaseException) -> str:
    diag = getattr(cause, "diag", None)
    primary = getattr(diag, "message_primary", None)
    return primary if isinstance(primary, str) else str(cause)


def _without(said: str, values: tuple[object, ...]) -> str:
    """The message without any bound value, nor a word of one, on one line."""
    texts = {piece for value in values for piece in _pieces(value)}
    for text in sorted(texts, key=len, reverse=True):
        said = said.replace(text, "…")
    return " ".join(said.split())


def _pieces(value: object) -> set[str]:
    if isinstance(value, (list, tuple)):
        return {piece for item in value for piece in _pieces(item)}
    if value is None or isinstance(value, bool):
        return set()
    text = str(value)
    return {piece for piece in (text, *text.split()) if len(piece) > 1}
