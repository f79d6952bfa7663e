"""Which of the sixteen codes a SQLSTATE is: whole codes first, then their class.

Source: appendix A of PostgreSQL's manual. Errors that a retry cannot help (our own input was too
much for the parser) are not RESOURCE_EXHAUSTED, which is retried.
"""

from esra.domain.codes import FailureCode as Code

_EXACT: dict[str, Code] = {
    # A lock, an idle transaction, a transaction or a session took too long.
    **dict.fromkeys(("55P03", "25P03", "25P04", "57P05"), Code.TIMEOUT),
    # The server is going, gone or not there yet.
    **dict.fromkeys(("57P01", "57P02", "57P03"), Code.CONNECTION_REFUSED),
    "08P01": Code.UNKNOWN,  # protocol violation
    "57P04": Code.CONNECTION_TEMPLATE_INVALID,  # the database was dropped
    "3D000": Code.CONNECTION_TEMPLATE_INVALID,
    **dict.fromkeys(("28000", "28P01"), Code.AUTH_FAILED),
    **dict.fromkeys(("3F000", "42P01", "42703"), Code.RELATION_NOT_FOUND),
    "42704": Code.RELATION_NOT_FOUND,
    "42883": Code.SYNTAX_ERROR,
    # 25006: a write in a read-only transaction. It must never happen, and it did no harm.
    **dict.fromkeys(("42501", "2F003", "0LP01", "25006"), Code.PERMISSION_DENIED),
    # Materialised views that were never filled.
    "55000": Code.TEXT_INDEX_UNAVAILABLE,
    # Conflicts: with another transaction, or of a standby with its recovery.
    **dict.fromkeys(("40001", "40P01", "40003"), Code.RESOURCE_EXHAUSTED),
    "72000": Code.SNAPSHOT_ISOLATION_UNAVAILABLE,
}

_CLASS: dict[str, Code] = {
    "08": Code.CONNECTION_REFUSED,
    "22": Code.SYNTAX_ERROR,  # a value the engine cannot take
    "28": Code.AUTH_FAILED,
    "42": Code.SYNTAX_ERROR,
    "53": Code.RESOURCE_EXHAUSTED,
    "54": Code.SYNTAX_ERROR,  # program limits: our input, a retry is useless
}


def is_internal(sqlstate: str) -> bool:
    """Whether it tells of the server's own state: its system, its inside, its protocol."""
    return sqlstate[:2] in ("58", "XX") or sqlstate == "08P01"


def by_sqlstate(sqlstate: str) -> Code:
    """The code of a SQLSTATE. 57014 is decided elsewhere: it needs the clock."""
    return _EXACT.get(sqlstate) or _CLASS.get(sqlstate[:2], Code.UNKNOWN)
