"""Whether a log is whole: reads it once along the chain, and again only if the chain breaks.

Nothing is repaired here. What a killed process left is told apart from tampering by the head: only
the one write that the head announces may be missing or torn, and that was never acknowledged.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from esra.domain.codes import AuditEvent
from esra.governance.audit.chain import Keys, genesis, seal, split
from esra.governance.audit.explain import explain
from esra.governance.audit.files import Line
from esra.governance.audit.findings import Finding, Kind, Open, Report, at_line
from esra.governance.audit.head import Head, WrongKey, exported
from esra.governance.audit.record import Record, parsed
from esra.governance.audit.view import View
from esra.governance.audit.writers import BEGINS, ENDS
from esra.typed import typed

# Seconds. A record's time is taken before its turn to be written comes, and a sink waits no longer
# than this for a turn: the next record may be that much older without any clock running backwards.
TURN = 2.0


@dataclass(slots=True)
class _Told:
    """What the records say, on the way along the chain."""

    records: int = 0
    open: dict[str, Open] = field(default_factory=dict)
    abandoned: int = 0
    torn: int = 0
    setbacks: int = 0
    time: float = 0.0

    def hear(self, record: Record) -> None:
        self.records += 1
        self.setbacks += record.time < self.time - TURN
        self.time = record.time
        self.torn += record.event == AuditEvent.AUDIT_TORN.value
        self.abandoned += record.event == AuditEvent.INVOCATION_ABANDONED.value
        if record.event in BEGINS:
            self.open[record.invocation] = Open(
                invocation=record.invocation,
                correlation=record.correlation,
                sequence=record.sequence,
            )
        elif record.event in ENDS:
            self.open.pop(record.invocation, None)


@dataclass(slots=True)
class _Walk:
    """How far along the chain one has come."""

    sequence: int
    chain: bytes
    told: _Told = field(default_factory=_Told)
    broken: bool = False
    rest: list[Line] = field(default_factory=list)  # behind the last record
    passed: dict[int, str] = field(default_factory=dict)  # the seals asked for, by sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """A head that was exported before: the log must still lead to it."""

    log: str
    sequence: int
    chain: str

    @classmethod
    def parse(cls, text: str) -> "Anchor":
        """``ValueError`` for a text that is none."""
        log, _, rest = text.strip().partition(":")
        sequence, _, chain = rest.partition(":")
        if not (log and sequence.isdecimal() and len(chain) == 64):
            raise ValueError(
                f"a head reads LOG:SEQUENCE:SEAL, as `{typed('audit head')}` printed it"
            )
        return cls(log=log, sequence=int(sequence), chain=chain)


def verify(view: View, keys: Keys, anchors: Sequence[Anchor] = ()) -> Report:
    head = view.head
    log = head.log if head else _named(view)
    start = genesis(keys, log)
    walk = _walked(view, keys, start, {anchor.sequence for anchor in anchors})
    found, crash = _judged(view, walk, keys, start)
    if not found:
        found += [_other(anchor) for anchor in anchors if not _holds(anchor, log, walk)]
    told = walk.told
    return Report(
        log=log,
        records=told.records,
        findings=tuple(found),
        crash=crash,
        open=tuple(told.open.values()),
        abandoned=told.abandoned,
        torn=told.torn,
        setbacks=told.setbacks,
        head=exported(head) if head else "",
    )


def _walked(view: View, keys: Keys, start: bytes, asked: set[int]) -> _Walk:
    walk, head = _Walk(sequence=0, chain=start), view.head
    if 0 in asked:
        walk.passed[0] = start.hex()
    for line in view.lines():
        parts = split(line.data) if line.ended and not walk.rest else None
        record = None
        if parts is not None and seal(keys, walk.chain, parts[0]) == parts[1]:
            record = parsed(line.data)
        if record is not None and parts is not None:
            walk.sequence, walk.chain = walk.sequence + 1, parts[1]
            walk.told.hear(record)
            if walk.sequence in asked:
                walk.passed[walk.sequence] = walk.chain.hex()
        elif head is None or walk.sequence < head.at.sequence:
            walk.broken = True
            return walk
        else:
            walk.rest.append(line)
    walk.broken = head is not None and walk.sequence < head.at.sequence
    return walk


def _judged(view: View, walk: _Walk, keys: Keys, start: bytes) -> tuple[list[Finding], str]:
    """(what was done to the log, what a crash left of its last write)."""
    head = view.head
    if head is None:
        kind = Kind.KEY if isinstance(view.trouble, WrongKey) else Kind.HEAD
        found = [Finding(kind=kind, text=str(view.trouble))]
        if walk.broken and kind is Kind.HEAD:
            found += explain(view.lines(), keys, start, None)
        return found, ""
    if walk.broken or (walk.rest and head.next is None):
        end = head.at.sequence, bytes.fromhex(head.at.chain)
        lines = (line for line in view.lines() if line.ended or head.next is None)
        return explain(lines, keys, start, end) or [_beside(head)], ""
    if head.at.file and head.at.size and head.at.file not in view.sizes:
        return [Finding(kind=Kind.EDITED, file=head.at.file, text="the file has another name")], ""
    return _behind(head, walk)


def _behind(head: Head, walk: _Walk) -> tuple[list[Finding], str]:
    """What stands behind the acknowledged records, where the chain up to there holds."""
    if head.next is None:
        late = walk.sequence > head.at.sequence
        return [_older()] if late else [], ""
    left = sum(len(line.data) + line.ended for line in walk.rest)
    most = max(head.next.size - head.at.size, head.torn.bytes if head.torn else 0)
    if walk.sequence > head.next.sequence or left > most:
        return [_stranger(line) for line in walk.rest] or [_older()], ""
    whole = walk.sequence == head.next.sequence and not left
    state = "is whole but was not acknowledged" if whole else "was cut by a crash"
    return [], f"the write after record {head.at.sequence} {state}; the next start goes on from it"


def _stranger(line: Line) -> Finding:
    return at_line(Kind.INSERTED, 0, line, "this line is no record of this log")


def _older() -> Finding:
    return Finding(kind=Kind.HEAD, text="the audit head is older than the log")


def _beside(head: Head) -> Finding:
    """Every record is there and genuine, and yet the file is not what was written."""
    text = "bytes beside the records were changed (a line break at a file's end)"
    return Finding(kind=Kind.EDITED, file=head.at.file, text=text)


def _named(view: View) -> str:
    """The log's name as its first readable record has it."""
    return next((r.log for r in (parsed(line.data) for line in view.lines()) if r), "")


def _holds(anchor: Anchor, log: str, walk: _Walk) -> bool:
    return anchor.log == log and walk.passed.get(anchor.sequence) == anchor.chain


def _other(anchor: Anchor) -> Finding:
    number = anchor.sequence
    text = f"the log does not lead to the exported head at record {number}: it was cut or replaced"
    return Finding(kind=Kind.ANCHOR, first=number, last=number, text=text)
