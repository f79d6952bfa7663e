"""A process that dies at each of its steps in turn, before, amid and after; and again in mending.

The kernel cannot be asked to kill a process between two bytes of a write; here every system call of
the sink is a place to die, and a write dies with half of its bytes written, too.
"""

import itertools
import os

import pytest

from tests.audit.desk import WHO, begin, end

CALLS = ("write", "pwrite", "ftruncate", "replace")
STEPS = 7  # pointing at the begin record; then twice the head, the lines, the head
PARTS = ("before", "amid", "after")


class Killed(BaseException):
    """Nothing in the sink catches it, as nothing catches SIGKILL."""


class Death:
    """Comes at call number ``at`` (from 0) of those that change a file; None for never."""

    def __init__(self, monkeypatch, at, part):
        self.left, self.part = at, part
        for name in CALLS:
            monkeypatch.setattr(os, name, self._mortal(name, getattr(os, name)))

    def _mortal(self, name, real):
        def call(*arguments):
            self.left -= 1
            if self.left != -1:
                return real(*arguments)
            if self.part == "after":
                real(*arguments)
            elif self.part == "amid" and name == "write":
                handle, data = arguments
                real(handle, data[: len(data) // 2])
            raise Killed

        return call


def dies(desk, at, part, work):
    """Whether ``work`` died of it; its lock goes as the kernel would take it."""
    sink = desk.sink()
    with pytest.MonkeyPatch.context() as patch:
        death = Death(patch, at, part)
        try:
            work(sink)
        except Killed:
            pass
        else:
            assert death.left >= 0, "somebody caught what nobody can catch"
    died = death.left < 0
    del sink
    return died


def called(invocation):
    """A call as the runtime records it; the end comes with the stages'."""

    def work(sink):
        sink.write([begin(invocation)])
        stages = [{**WHO, "invocation": invocation, "event": f"stage {n}"} for n in range(3)]
        sink.write([*stages, end(invocation)])

    return work


def whole_again(desk, sign):
    """The records after the next start, which closes what is open."""
    sink = desk.sink()
    sink.write([end(sign)])
    sink.close()
    said = desk.report()
    assert (said.findings, said.crash, said.open) == ((), "", ())
    return desk.records()


def check(records):
    sequences = [record["sequence"] for record in records]
    assert sequences == list(range(1, len(records) + 1))
    ends = {}
    for record in records:
        if record["event"] in ("esra.invocation.end", "esra.invocation.abandoned"):
            ends[record["invocation"]] = ends.get(record["invocation"], 0) + 1
    begun = [r["invocation"] for r in records if r["event"] == "esra.invocation.begin"]
    assert begun.count("first") == 1
    assert all(ends[invocation] == 1 for invocation in begun)


@pytest.mark.parametrize("part", PARTS)
def test_a_death_at_any_step_leaves_a_log_that_verifies(make, part):
    """Else a crash would look like tampering, or hide a call that was begun."""
    for at in itertools.count():
        desk = make()
        called("first")(sink := desk.sink())
        sink.close()
        died = dies(desk, at, part, called("second"))
        assert desk.report().findings == ()
        records = whole_again(desk, "third")
        check(records)
        if not died:
            break
    assert at == STEPS


@pytest.mark.parametrize("part", PARTS)
def test_a_death_while_mending_what_a_death_left_is_mended_too(make, part):
    """Else the second crash would lose what the first one left."""
    deaths = 0
    for first, second in itertools.product(range(STEPS), range(2 * STEPS)):
        desk = make()
        called("first")(sink := desk.sink())
        sink.close()
        dies(desk, first, "amid", called("second"))
        deaths += dies(desk, second, part, called("third"))
        assert desk.report().findings == ()
        check(whole_again(desk, "fourth"))
    assert deaths > 7 * STEPS


def test_a_torn_line_is_kept_aside_and_recorded(make):
    """Else bytes that somebody may ask for would be gone without a word."""
    desk = make()
    torn(desk)
    assert "cut by a crash" in desk.report().crash
    (told,) = [r for r in whole_again(desk, "x") if r["event"] == "esra.audit.torn"]
    kept = desk.log / told["facts"]["kept"]
    assert kept.stat().st_size == told["facts"]["bytes"] > 0
    assert desk.report().torn == 1


def torn(desk):
    """The file of a log whose last write ended amid a line."""
    called("first")(sink := desk.sink())
    sink.close()
    assert dies(desk, STEPS - 2, "amid", called("second"))
    (path,) = desk.files()
    assert not path.read_bytes().endswith(b"\n")
    return path


def test_a_tail_that_no_write_announced_is_no_crash(make):
    """Else an intruder's half line would pass for a torn one."""
    desk = make()
    called("first")(sink := desk.sink())
    sink.close()
    (path,) = desk.files()
    with path.open("ab") as file:
        file.write(b'{"version":1,"log":')
    (finding,) = desk.report().findings
    assert (finding.kind, finding.line) == ("inserted", 6)
    # It stays to be found when the log goes on, and costs no record.
    sink = desk.sink()
    sink.write([end("later")])
    sink.close()
    (finding,) = desk.report().findings
    assert (finding.kind, finding.line) == ("inserted", 6)


def test_more_than_the_announced_write_is_no_crash(make):
    """Else whatever somebody appends after a crash would be covered by it."""
    desk = make()
    with torn(desk).open("ab") as file:
        file.write(b"x" * 4096)
    assert {finding.kind for finding in desk.report().findings} == {"inserted"}
