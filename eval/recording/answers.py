"""Answers of models that were paid for, kept in one file so that none is asked for twice.

The key is a keyed hash of the model's identity (which names its settings and its prompt), the
input and the draw: repeated recordings are further draws. Nothing of a question can be read from a
key; an answer may hold words of a question, as a plan does, so that the file is used only where
retention allows what is derived from prompts (RULINGS 18). Result ids are fresh in each invocation
and stand in no key: an answer is kept with their places and comes back with the new ones.
"""

import hashlib
import hmac
import json
import os
import re
import secrets
import sqlite3
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from esra.briefs import PlanBrief, RerankBrief, SelectBrief
from esra.domain.usage import Usage
from esra.ports import Reply

Brief = SelectBrief | PlanBrief | RerankBrief

_TABLE = "CREATE TABLE IF NOT EXISTS answers (key BLOB PRIMARY KEY, text TEXT, usage TEXT)"
_READ = "SELECT text, usage FROM answers WHERE key = ?"
_WRITE = "INSERT OR REPLACE INTO answers VALUES (?, ?, ?)"
_BUSY_SECONDS = 60.0


class AnswersUnusable(RuntimeError):
    """The file cannot be used; without it money would be spent twice, so nothing is asked."""


class Answers:
    """``secret`` keys the hashes. Each write is on disk when it returns."""

    def __init__(self, path: Path, secret: bytes) -> None:
        self._path, self._secret = path, secret
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
            self._connection = sqlite3.connect(path, timeout=_BUSY_SECONDS)
            with self._connection:
                self._connection.execute(_TABLE)
        except (sqlite3.Error, OSError) as error:
            raise self._unusable(error) from error

    def key(self, identity: str, step: str, draw: int, brief: Brief) -> bytes:
        plain = asdict(brief)
        for place, candidate in enumerate(plain["candidates"] if step == "rerank" else ()):
            candidate["resultId"] = place
        told = json.dumps([identity, step, draw, plain], sort_keys=True)
        return hmac.new(self._secret, told.encode(), hashlib.sha256).digest()

    def read(self, key: bytes, brief: Brief) -> Reply | None:
        """The answer as it would come now, with what it cost then; None where there is none."""
        try:
            row = self._connection.execute(_READ, (key,)).fetchone()
        except sqlite3.Error as error:
            raise self._unusable(error) from error
        if row is None:
            return None
        ids = result_ids(brief)
        pieces = (ids[one] if isinstance(one, int) else one for one in json.loads(row[0]))
        return Reply(text="".join(pieces), usage=Usage(**json.loads(row[1])))

    def write(self, key: bytes, brief: Brief, reply: Reply) -> None:
        text = json.dumps(pieces_of(reply.text, result_ids(brief)))
        try:
            with self._connection:
                usage = json.dumps(asdict(reply.usage))
                self._connection.execute(_WRITE, (key, text, usage))
        except sqlite3.Error as error:
            raise self._unusable(error) from error

    def close(self) -> None:
        self._connection.close()

    def _unusable(self, error: Exception) -> AnswersUnusable:
        said = f"{self._path}: answers of models cannot be kept here ({error})"
        return AnswersUnusable(f"{said}; remove the file, or make room")


def result_ids(brief: Brief) -> list[str]:
    """The fresh ids of a reranking's candidates in their order; of other briefs none."""
    return [one.resultId for one in brief.candidates] if isinstance(brief, RerankBrief) else []


def pieces_of(text: str, ids: list[str]) -> list[str | int]:
    """The text in pieces, each id in it as its place."""
    if not ids:
        return [text]
    place = {id: number for number, id in enumerate(ids)}
    return [place.get(one, one) for one in re.split(f"({'|'.join(map(re.escape, ids))})", text)]


def secret_of(path: Path) -> bytes:
    """The key in ``path``, made where there is none yet."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not path.exists():
        fresh = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
        with os.fdopen(os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
            file.write(secrets.token_bytes(32))
        # A link never replaces: whoever comes first decides, and the key is whole or not there.
        with suppress(FileExistsError):
            os.link(fresh, path)
        fresh.unlink()
    return path.read_bytes()
