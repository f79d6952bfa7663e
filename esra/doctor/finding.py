"""What the doctor may find: a closed set of faults, each with what to do."""

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """ERROR: users will meet it. WARNING: they may. OK: nothing was found."""

    ERROR = "error"
    WARNING = "warning"
    OK = "ok"


class Fault(StrEnum):
    NONE = "NONE"
    UNAVAILABLE = "UNAVAILABLE"
    NOTHING_TO_SEARCH = "NOTHING_TO_SEARCH"
    NOBODY_ADMITTED = "NOBODY_ADMITTED"
    POWERFUL_ROLE = "POWERFUL_ROLE"
    MESSAGE_LANGUAGE = "MESSAGE_LANGUAGE"
    ENCODING = "ENCODING"
    CLOCK_SKEW = "CLOCK_SKEW"
    RELATION_MISSING = "RELATION_MISSING"
    NOT_PERMITTED = "NOT_PERMITTED"
    COLUMN_MISSING = "COLUMN_MISSING"
    COLUMN_TYPE = "COLUMN_TYPE"
    LANGUAGE_UNKNOWN = "LANGUAGE_UNKNOWN"
    INDEX_MISSING = "INDEX_MISSING"
    INDEX_UNUSABLE = "INDEX_UNUSABLE"
    INDEX_UNSEEN = "INDEX_UNSEEN"
    NO_STATISTICS = "NO_STATISTICS"
    RELATION_EMPTY = "RELATION_EMPTY"
    NEVER_FILLED = "NEVER_FILLED"
    KEY_NOT_UNIQUE = "KEY_NOT_UNIQUE"
    ROW_SECURITY = "ROW_SECURITY"
    ROW_SECURITY_BYPASSED = "ROW_SECURITY_BYPASSED"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """``about`` is a provider or a mapping by its catalog's name, or the catalog itself; ``text``
    says what is wrong and ``advice`` what to do. None of them holds a secret, an address or a
    driver's words.
    """

    severity: Severity
    fault: Fault
    about: str
    text: str
    advice: str = ""


def error(fault: Fault, about: str, text: str, advice: str) -> Finding:
    return Finding(severity=Severity.ERROR, fault=fault, about=about, text=text, advice=advice)


def warning(fault: Fault, about: str, text: str, advice: str) -> Finding:
    return Finding(severity=Severity.WARNING, fault=fault, about=about, text=text, advice=advice)


def healthy(about: str) -> Finding:
    return Finding(severity=Severity.OK, fault=Fault.NONE, about=about, text="nothing found")
