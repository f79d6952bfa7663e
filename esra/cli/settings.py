"""The variables that esra reads besides a catalog's own: one table, and what each says now.

An address or a key never shows, only the variable or the reference that leads to it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from esra.config.origin import Value


class Shown(StrEnum):
    """How a variable's value may be shown."""

    PATH = "path"
    REFERENCE = "reference"
    ADDRESS = "address"


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    variable: str
    about: str
    shown: Shown = Shown.PATH


SETTINGS = (
    Setting(variable="ESRA_HOME", about="where esra keeps its things"),
    Setting(
        variable="ESRA_DATABASE_URL",
        about="a server of your own in the embedded one's stead",
        shown=Shown.ADDRESS,
    ),
    Setting(
        variable="ESRA_READER_URL",
        about="that server for the role that only reads",
        shown=Shown.ADDRESS,
    ),
    Setting(
        variable="ESRA_STORE_URL",
        about="where instances share what they remember",
        shown=Shown.ADDRESS,
    ),
    Setting(
        variable="ESRA_CACHE_KEY",
        about="the key of what instances share",
        shown=Shown.REFERENCE,
    ),
    Setting(variable="ESRA_AUDIT_LOG", about="the folder of the audit"),
    Setting(variable="ESRA_AUDIT_HEAD", about="the folder of the audit's head"),
    Setting(variable="ESRA_AUDIT_KEY", about="the audit's key", shown=Shown.REFERENCE),
    Setting(variable="ESRA_AUDIT_URL", about="the audit in a PostgreSQL", shown=Shown.ADDRESS),
    Setting(variable="ESRA_VERIFY_KEYS", about="public keys of tuned configurations"),
    Setting(variable="ESRA_SIGNING_KEY", about="the key the workbench signs with"),
    Setting(variable="ESRA_MODEL_DIR", about="a folder with the model on this machine"),
)


def settings(base: Path, environment: Mapping[str, str]) -> Iterator["Value"]:
    """Each setting as it is now; ``base`` is esra's folder."""
    from esra.config.origin import Origin, Value
    from esra.governance import places

    defaults = {
        "ESRA_HOME": str(base),
        "ESRA_AUDIT_LOG": str(places.audit_folder(base)),
        "ESRA_AUDIT_HEAD": str(places.audit_head_folder(base)),
        "ESRA_AUDIT_KEY": f"file:{places.audit_key_file(base)}",
    }
    for one in SETTINGS:
        if text := environment.get(one.variable):
            yield Value(
                key=one.variable,
                value=_shown(one, text),
                origin=Origin.ENVIRONMENT,
                where=one.variable,
            )
        else:
            yield Value(key=one.variable, value=defaults.get(one.variable), origin=Origin.DEFAULT)


def _shown(one: Setting, text: str) -> str:
    from esra.config.reference import is_reference

    if one.shown is Shown.ADDRESS:
        return f"env:{one.variable}"
    if one.shown is Shown.REFERENCE and not is_reference(text):
        return "(no reference; what it holds is not shown)"
    return text
