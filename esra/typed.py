"""How esra's command is typed by whoever started this process, for messages that name one.

In a checkout it is reached through ``./workbench``, unless somebody typed the installed script.
"""

import sys
from pathlib import Path

SCRIPT, CHECKOUT = "esra", "./workbench esra"

_WORKBENCH = Path(__file__).resolve().parents[1] / "workbench"


def typed(words: str = "") -> str:
    """The command with ``words`` behind it: ``esra doctor`` or ``./workbench esra doctor``."""
    is_script = Path(sys.argv[0]).stem == SCRIPT
    return f"{SCRIPT if is_script or not _WORKBENCH.is_file() else CHECKOUT} {words}".rstrip()
