"""The one schema of audit records: who, what, when, and in which place of the chain.

Pure. A record is one line of JSON in ASCII: its members in the order of ``Record``, then ``chain``.
Line breaks, terminal codes and look-alikes of both stand in it as escapes only.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields

VERSION = 1
LONGEST_LINE = 256 * 1024  # bytes; a prompt of 32 KiB in escapes has its place in it
LONGEST_NAME = 512  # characters of a name


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One record. ``time`` is in seconds since the epoch by the writer's clock; a clock may jump,
    so that the order is the sequence's. "" stands for what the event has not.
    """

    version: int = VERSION
    log: str  # 16 hex digits, the same in the whole chain
    sequence: int  # from 1, without a gap
    writer: str  # the process that wrote it
    time: float
    event: str
    correlation: str = ""
    invocation: str = ""
    tenant: str = ""
    subject: str = ""
    identity: str = ""
    exposure: str = ""
    facts: Mapping[str, object]  # what the event alone has to tell


def shaped(
    given: Mapping[str, object], *, log: str, sequence: int, writer: str, now: float
) -> Record:
    """The record of an event; what the schema does not name becomes one of its facts."""
    rest = dict(given)
    time = rest.pop("time", now)
    return Record(
        log=log,
        sequence=sequence,
        writer=writer,
        time=float(time) if isinstance(time, (int, float)) else now,
        event=_name(rest.pop("event", "")),
        correlation=_name(rest.pop("correlation", "")),
        invocation=_name(rest.pop("invocation", "")),
        tenant=_name(rest.pop("tenant", "")),
        subject=_name(rest.pop("subject", "")),
        identity=_name(rest.pop("identity", "")),
        exposure=_name(rest.pop("exposure", "")),
        facts=rest,
    )


def canonical(record: Record) -> bytes:
    """The bytes that are chained: the line without its ``chain``. ``ValueError``: no JSON."""
    values = {field.name: getattr(record, field.name) for field in fields(record)}
    try:
        body = _dumped(values)
        if len(body) > LONGEST_LINE:
            values["facts"] = {"cut": len(body), "sha256": hashlib.sha256(body).hexdigest()}
            body = _dumped(values)
    except (TypeError, RecursionError) as error:
        raise ValueError(f"the record of {record.event} is no JSON") from error
    return body


def parsed(line: bytes) -> Record | None:
    """The record in a line; None for whatever else stands there."""
    try:
        values = json.loads(line)
        values.pop("chain", None)
        record = Record(**values)
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None
    typed = type(record.sequence) is int and type(record.facts) is dict
    return record if typed else None


def plain(record: Record) -> dict[str, object]:
    """The record as JSON values."""
    return asdict(record)


def _dumped(values: Mapping[str, object]) -> bytes:
    text = json.dumps(values, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text[:-1].encode("ascii")


def _name(value: object) -> str:
    """A name in full, or its beginning and its hash, so that two names stay two."""
    text = "" if value is None else str(value)
    if len(text) <= LONGEST_NAME:
        return text
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{text[: LONGEST_NAME - 65]}#{digest}"
