"""Which account runs the server. PostgreSQL refuses to run as root.

Nobody but this account and root reaches the server's sockets. What else root lets
run as that account does reach them: root should set ESRA_DATABASE_URL where that matters.
"""

from __future__ import annotations

import os
import pwd
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .trouble import EmbeddedError

# Accounts of every usual system, the least powerful first.
UNPRIVILEGED = ("nobody", "daemon")


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """``foreign`` means that a child process has to change into it."""

    name: str
    uid: int
    gid: int
    foreign: bool

    def becoming(self) -> Mapping[str, Any]:
        """What ``subprocess.Popen`` needs to start a child as this account."""
        if not self.foreign:
            return {}
        return {"user": self.uid, "group": self.gid, "extra_groups": []}

    def own(self, path: Path) -> None:
        """Hands over a file or folder that was just made."""
        if self.foreign:
            os.chown(path, self.uid, self.gid)

    def reaches(self, folder: Path) -> bool:
        """Whether this account may walk down to ``folder``, which exists."""
        real = folder.resolve()
        return not self.foreign or all(self._enters(step) for step in (real, *real.parents))

    def _enters(self, folder: Path) -> bool:
        found = folder.stat()
        bit = 0o100 if found.st_uid == self.uid else 0o001
        return bool(found.st_mode & bit)


def server_account() -> Account:
    """Ourselves, or for root an existing account without privileges."""
    uid = os.geteuid()
    if uid != 0:
        return Account(name=str(uid), uid=uid, gid=os.getegid(), foreign=False)
    for name in UNPRIVILEGED:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(name=name, uid=entry.pw_uid, gid=entry.pw_gid, foreign=True)
    raise EmbeddedError(
        f"root cannot run PostgreSQL and none of the accounts {', '.join(UNPRIVILEGED)} exists; "
        "run as an ordinary user or set ESRA_DATABASE_URL"
    )
