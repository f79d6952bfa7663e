"""Logs to write, to tamper with and to verify."""

import json
from dataclasses import dataclass
from pathlib import Path

from esra.governance.audit import FileAudit
from esra.governance.audit.chain import keys_of
from esra.governance.audit.verify import Anchor, verify
from esra.governance.audit.view import of_files
from esra.governance.clock import StillClock

SECRET = b"an audit key for tests, 32 bytes and more"
NOON = 1_770_000_000.0  # 2026-02-02
WHO = {
    "correlation": "c1",
    "tenant": "t",
    "subject": "s",
    "identity": "local",
    "exposure": "ask",
}


def begin(invocation="i1", **more):
    return {**WHO, "invocation": invocation, "event": "esra.invocation.begin", **more}


def end(invocation="i1", **more):
    return {**WHO, "invocation": invocation, "event": "esra.invocation.end", **more}


@dataclass(frozen=True)
class Desk:
    """A log in a folder of its own."""

    base: Path
    secret: bytes = SECRET

    @property
    def log(self):
        return self.base / "log"

    @property
    def head(self):
        return self.base / "head" / "head"

    def sink(self, now=NOON, **more):
        secret = self.secret
        return FileAudit(self.log, self.base / "head", lambda: secret, StillClock(now), **more)

    def fill(self, invocations, **more):
        """Two records for each."""
        sink = self.sink(**more)
        for number in range(invocations):
            sink.write([begin(f"i{number}")])
            sink.write([end(f"i{number}")])
        sink.close()

    def files(self):
        return sorted(self.log.glob("*.jsonl"))

    def records(self):
        return [
            json.loads(line) for path in self.files() for line in path.read_bytes().splitlines()
        ]

    def report(self, *anchors, secret=None):
        keys = keys_of(secret or self.secret)
        view = of_files(self.log, self.base / "head", keys)
        return verify(view, keys, [Anchor.parse(text) for text in anchors])
