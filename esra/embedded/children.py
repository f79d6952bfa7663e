"""How PostgreSQL's programs are started: clean, and never outliving us."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from .account import Account
from .trouble import EmbeddedError

# Nothing of the user's: PGDATA, PGOPTIONS, LD_LIBRARY_PATH would change the server.
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"}
_PR_SET_PDEATHSIG = 1


def start_child(
    arguments: Sequence[str | Path],
    account: Account,
    *,
    inherits: int,
    last_signal: signal.Signals,
) -> subprocess.Popen[bytes]:
    """Starts a program that writes to our log, as ``account``.

    ``inherits`` is the lock it shares; ``last_signal`` reaches it if we are killed
    (Linux only; elsewhere the next start tells that it is still there).
    """
    try:
        return subprocess.Popen(
            [str(argument) for argument in arguments],
            stdin=subprocess.DEVNULL,
            stdout=2,
            env=ENVIRONMENT,
            cwd="/",
            pass_fds=(inherits,),
            # Runs after the change of account, which would have cleared the request.
            preexec_fn=_dying_with(os.getpid(), last_signal),
            **account.becoming(),
        )
    except OSError as error:
        raise EmbeddedError(
            f"{arguments[0]} cannot be started as the account {account.name} "
            f"({error.strerror}); set ESRA_DATABASE_URL to use another server"
        ) from error


def _dying_with(parent: int, last_signal: signal.Signals) -> Callable[[], None]:
    try:
        import ctypes

        prctl = ctypes.CDLL(None).prctl
    except (ImportError, AttributeError, OSError):
        return _nothing

    def request() -> None:
        prctl(_PR_SET_PDEATHSIG, int(last_signal), 0, 0, 0)
        # The parent may have died before the request was made.
        if os.getppid() != parent:
            os._exit(1)

    return request


def _nothing() -> None:
    """This system has no such request."""
