"""The only room that names concrete adapters: puts a house together around a catalog."""

from esra.wiring.engines import READER, open_engine, open_engines
from esra.wiring.house import Opened, open_house
from esra.wiring.keeping import open_audit
from esra.wiring.models import identities_of, models_of
from esra.wiring.wishes import CannotOpen, Wishes, with_share

__all__ = [
    "READER",
    "CannotOpen",
    "Opened",
    "Wishes",
    "identities_of",
    "models_of",
    "open_audit",
    "open_engine",
    "open_engines",
    "open_house",
    "with_share",
]
