"""What a sink takes, what it makes of it, and what happens when it can take nothing."""

import os
import stat
import subprocess
import sys
import time

import pytest

from esra.domain.codes import ErrorCode
from esra.domain.outcome import Refused
from esra.governance.audit import PostgresAudit
from esra.governance.audit.record import LONGEST_LINE
from esra.governance.clock import SystemClock
from esra.ports import AuditUnavailable
from tests.audit.desk import NOON, SECRET, Desk, begin, end
from tests.house import FakeEngine, ask, catalog, hit, house

HITS = {"news": ([hit("a", 1.0)],)}


def test_a_record_has_every_member_of_the_schema_whatever_the_event(desk):
    """Else each consumer of the log would have to know each event."""
    sink = desk.sink()
    sink.write([begin(prompt="p"), {"event": "of nobody"}])
    ask(house(catalog(), HITS, audit=sink))
    names = "version log sequence writer time event correlation invocation tenant subject"
    names += " identity exposure facts chain"
    records = desk.records()
    assert {tuple(record) for record in records} == {tuple(names.split())}
    assert records[0]["facts"] == {"prompt": "p"}
    assert [record["sequence"] for record in records] == list(range(1, len(records) + 1))


@pytest.mark.req("E006")
def test_every_record_of_a_call_names_its_tenant_and_correlation(desk):
    """Else the records of one call could not be put together, or would be another tenant's."""
    ask(house(catalog(), HITS, audit=desk.sink()), correlation="trace-7")
    records = desk.records()
    assert len(records) > 4
    assert {(record["tenant"], record["correlation"]) for record in records} == {("t", "trace-7")}
    assert len({record["invocation"] for record in records}) == 1


@pytest.mark.parametrize(
    "hostile",
    [
        'a"\r\n{"event":"esra.invocation.end"}',
        "a\x1b[2J\x1b]0;owned\x07b",
        "a\u2028\u2029\x85b",
        "a\x00\x08\x7f\x9b",
        "\u202eevil\u2066",
        "\ud800",
        '","chain":"' + "0" * 64 + '"}',
    ],
)
def test_hostile_text_stays_within_its_line(desk, hostile):
    """Else a caller could forge a record, or take over the terminal that shows one."""
    sink = desk.sink()
    sink.write([begin(prompt=hostile, tenant=hostile)])
    sink.write([end(correlation=hostile)])
    (path,) = desk.files()
    whole = path.read_bytes()
    assert whole.count(b"\n") == 2
    assert all(32 <= byte < 127 for byte in whole.replace(b"\n", b""))
    assert desk.records()[0]["facts"]["prompt"] == hostile
    assert desk.report().whole


def test_a_record_too_large_keeps_its_names_and_a_hash_of_its_facts(desk):
    """Else one record could fill the disk, or be left out."""
    desk.sink().write([begin(long="x" * 2 * LONGEST_LINE, tenant="t" * 2000)])
    (path,) = desk.files()
    (record,) = desk.records()
    assert path.stat().st_size < LONGEST_LINE
    assert set(record["facts"]) == {"cut", "sha256"}
    assert (record["invocation"], len(record["tenant"])) == ("i1", 512)


def test_the_longest_prompt_fits_whatever_it_is_made_of(desk):
    """Else retention "full" would keep less than was asked."""
    prompts = "\x01" * 32768, "\u20ac" * 10922, "\U0001f600" * 8192
    desk.sink().write([begin(prompt=prompt) for prompt in prompts])
    assert [record["facts"]["prompt"] for record in desk.records()] == list(prompts)


def test_only_its_owner_may_read_what_the_audit_keeps(desk):
    """Else whoever has an account on the machine would read who asked what."""
    desk.fill(1)
    kept = [path for path in desk.base.rglob("*") if path != desk.base]
    assert len(kept) > 4
    assert [path for path in kept if stat.S_IMODE(path.stat().st_mode) & 0o077] == []


def test_a_clock_that_runs_backwards_is_told(desk):
    """Else an order by time would be believed."""
    desk.fill(1)
    desk.fill(1, now=NOON - 100_000)
    desk.fill(1)
    assert (desk.report().whole, desk.report().setbacks) == (True, 1)


def test_a_record_that_waited_for_its_turn_is_no_setback(desk):
    """Else every call would be told as a clock that ran backwards, and a real one overlooked."""
    facts = {**begin(), "event": "esra.sources.select"}  # no time: the sink's, as it writes
    desk.sink(now=NOON + 1).write([begin(time=NOON), facts, end(time=NOON + 0.5)])
    assert [record["time"] for record in desk.records()] == [NOON, NOON + 1, NOON + 0.5]
    assert desk.report().setbacks == 0


def read_only(desk):
    desk.log.parent.mkdir(exist_ok=True)
    desk.log.write_text("a file where the folder would be")
    return desk.sink()


def no_head(desk):
    (desk.base / "head").write_text("a file where the folder would be")
    return desk.sink()


def no_key(desk):
    def missing():
        raise LookupError("env:NOT_SET: the variable is not set")

    sink = desk.sink()
    sink._secret = missing
    return sink


def short_key(desk):
    return Desk(desk.base, b"too short").sink()


def no_server(desk):
    return PostgresAudit(lambda: "postgresql://u@127.0.0.1:1/d", lambda: SECRET, SystemClock())


def full_device(desk):
    desk.fill(1)
    (path,) = desk.files()
    path.unlink()
    path.symlink_to("/dev/full")
    return desk.sink()


@pytest.mark.req("E005")
@pytest.mark.parametrize(
    "sink",
    [read_only, no_head, no_key, short_key, no_server, full_device],
    ids=lambda f: f.__name__,
)
def test_nothing_runs_while_the_audit_takes_no_records(desk, sink):
    """Else something would have been searched without a record of it."""
    engine = FakeEngine(HITS)
    with pytest.raises(Refused) as refused:
        ask(house(catalog(), engine=engine, audit=sink(desk)))
    assert (refused.value.code, engine.ran) == (ErrorCode.AUDIT_UNAVAILABLE, [])


FULL = """
import resource, sys
sys.path.insert(0, {root!r})
from pathlib import Path
from esra.domain.outcome import Refused
from tests.audit.desk import Desk
from tests.house import ask, catalog, hit, house
desk = Desk(Path({base!r}))
own = house(catalog(), {{"news": ([hit("a", 1.0)],)}}, audit=desk.sink())
resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, resource.RLIM_INFINITY))
answered = refused = 0
for number in range(60):
    try:
        ask(own)
        answered += 1
    except Refused as error:
        assert error.code == "ESRA_AUDIT_UNAVAILABLE"
        refused += 1
print(answered, refused)
"""


@pytest.mark.req("E005")
def test_a_disk_that_fills_up_withholds_answers_and_loses_none_it_acknowledged(desk):
    """Else a full disk would mean answers without records, or a log that no longer verifies."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))
    program = FULL.format(root=root, base=str(desk.base))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    answered, refused = map(int, done.stdout.split())
    assert answered > 3
    assert refused > 3
    assert desk.report().findings == ()
    sink = desk.sink()  # There is room again.
    sink.write([end("later")])
    report = desk.report()
    assert (report.findings, report.open, report.crash) == ((), (), "")
    ended = [r for r in desk.records() if r["event"] == "esra.invocation.end"]
    assert len(ended) == answered + 1


def test_a_lock_that_somebody_keeps_costs_the_patience_and_no_more(desk):
    """Else a stopped process would stop all others for ever."""
    import fcntl

    desk.fill(1)
    with desk.head.open("rb") as kept:
        fcntl.flock(kept, fcntl.LOCK_EX)
        started = time.monotonic()
        with pytest.raises(AuditUnavailable, match="lock"):
            desk.sink(patience=0.2).write([begin()])
        assert time.monotonic() - started < 1.5


def test_a_write_and_a_verification_are_as_fast_as_promised(desk):
    """Else the audit would be felt in every answer, or nobody would verify a large log.

    In seconds of this process's own work, so that a busy machine does not count.
    """
    sink = desk.sink()
    started = time.process_time()
    for number in range(300):
        sink.write([begin(f"i{number}")])
    assert (time.process_time() - started) / 300 < 0.001
    count = 100_000 if os.environ.get("ESRA_LONG") else 10_000
    for _ in range(count // 500):
        sink.write([end(f"i{n}", detail={"sources": ["a", "b"], "n": n}) for n in range(500)])
    started = time.process_time()
    report = desk.report()
    assert report.records == count + 300
    assert time.process_time() - started < count / 100_000 * 5
