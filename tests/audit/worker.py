"""A program of its own that asks real questions with a real audit; made to be killed.

``worker.py FILES|URL FOLDER`` forks a child for each line that it reads and says its pid. A child
asks until it dies, and writes to FOLDER/acknowledged what it was told: begun, answered.
"""

import asyncio
import os
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import psycopg  # noqa: F401  (once, and not in every child)

from esra.governance.admission import admit
from esra.governance.audit import PostgresAudit
from esra.governance.clock import SystemClock
from esra.pipeline import retrieve
from tests.audit.desk import SECRET, Desk
from tests.house import catalog, hit, house, request, source

HITS = {"news": ([hit("a", 1.0), hit("b", 0.5)],), "law": ([hit("x", 9.0, source="law")],)}


def sink_of(where, folder):
    if where == "FILES":
        return Desk(folder).sink(most=50_000)
    return PostgresAudit(lambda: where, lambda: SECRET, SystemClock(), patience=20.0)


def ask_on(where, folder, questions=None):
    """Until killed, or so many questions."""
    told = os.open(folder / "acknowledged", os.O_APPEND | os.O_CREAT | os.O_WRONLY)
    own = house(catalog(source("news"), source("law")), HITS, audit=sink_of(where, folder))
    asked = 0
    while asked != questions:
        admitted = admit(request(f"question {asked}"), own)
        os.write(told, f"begun {admitted.call.id}\n".encode())
        asyncio.run(retrieve(admitted, own))
        os.write(told, f"answered {admitted.call.id}\n".encode())
        asked += 1
    own.audit.close()


def main(where, folder):
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            ask_on(where, folder, int(line) if line.strip() else None)
            os._exit(0)
        print(child, flush=True)
        if not line.strip():
            os.waitpid(child, 0)
            print("gone", flush=True)
    while True:
        try:
            os.wait()
        except ChildProcessError:
            return


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    main(sys.argv[1], Path(sys.argv[2]))
