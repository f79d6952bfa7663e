"""The ledger of openings: what counts as one, what survives a kill, what an edit does."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from eval.evidence import NO_LEDGER, BrokenLedger, Ledger
from eval.evidence.chain import FIELDS, read_chain
from eval.evidence.ledger import NEW
from tests.evidence.tables import NOW

MARKS = [f"{i:016x}" for i in range(20)]
ROOT = Path(__file__).resolve().parents[2]


def opened(
    ledger: Ledger, *, marks=MARKS, known=None, candidate="c1", measure="nDCG@10", verdict=None
):
    return ledger.open(
        marks=marks,
        known=known or {},
        candidate=candidate,
        measure=measure,
        now=NOW,
        inputs={"qrels": "abc"},
        test=lambda number, level: verdict or {"number": number, "level": level},
    )


def run(code: str, path: Path) -> subprocess.Popen:
    """Another process with `ledger`, `opened` and `os` at hand."""
    head = (
        "import os, signal, sys\nfrom pathlib import Path\n"
        "from eval.evidence import ledger as module\n"
        "from tests.evidence.test_ledger import Ledger, MARKS, opened\n"
        f"ledger = Ledger(Path({str(path)!r}))\n"
    )
    return subprocess.Popen([sys.executable, "-c", head + code], cwd=ROOT, stderr=subprocess.PIPE)


def test_the_same_three_open_once(ledger):
    """A borderline candidate could be tested again until it passes."""
    first = opened(ledger, verdict={"p": 0.03})
    again = opened(ledger, verdict={"p": 0.01})
    assert (first.fresh, again.fresh) == (True, False)
    assert again.verdict == {"p": 0.03}
    assert again.date == "2026-03-01T12:00:00+00:00"
    assert len(ledger.read().records) == 1


@pytest.mark.parametrize("other", [{"candidate": "c2"}, {"measure": "MRR"}])
def test_another_candidate_or_measure_is_the_next_opening(ledger, other):
    """Trying many candidates, or many measures, would prove one of them by luck."""
    opened(ledger)
    second = opened(ledger, **other)
    third = opened(ledger, candidate="c3")
    assert (second.number, second.level) == (2, 0.0125)
    assert (third.number, third.level) == (3, 0.00625)
    assert third.verdict == {"number": 3, "level": 0.00625}


@pytest.mark.parametrize(("shared", "number"), [(2, 1), (3, 2)])
def test_a_tenth_of_shared_groups_is_the_border(ledger, shared, number):
    """Dropping or adding a few queries would make a used set look unused."""
    opened(ledger)
    marks = MARKS[:shared] + [f"f{i}" for i in range(20 - shared)]
    assert opened(ledger, marks=marks, candidate="c2").number == number


@pytest.mark.parametrize(("renamed", "number"), [(2, 1), (3, 2)])
def test_a_group_under_another_name_is_known_by_its_questions(ledger, renamed, number):
    """Naming the needs of a used set would make it look unused.

    The new groups hold ten questions each, and all but a few are about something else: it is groups
    that are counted, not questions.
    """
    opened(ledger)
    marks = [f"need {i}" for i in range(20)]
    known = {mark: [f"{mark} said {i}" for i in range(10)] for mark in marks}
    known |= {mark: [MARKS[i]] for i, mark in enumerate(marks[:renamed])}
    assert ledger.due(marks, known) == 0.025 / number
    assert opened(ledger, marks=marks, known=known, candidate="c2").number == number
    # And back: the questions alone are the set that had needs.
    assert opened(ledger, marks=known[marks[-1]], candidate="c3").number == number + 1


def test_a_lineage_continues_through_the_sets_between(ledger):
    """A set changed a little at a time would leave its own openings behind."""
    opened(ledger)
    opened(ledger, marks=MARKS[10:] + [f"f{i}" for i in range(10)], candidate="c2")
    third = opened(ledger, marks=[f"f{i}" for i in range(10)], candidate="c3")
    assert third.number == 3
    assert third.lineage == ledger.read().records[0]["lineage"]


def test_a_set_that_joins_two_lineages_counts_both(ledger):
    """Two used sets put together would count as used once."""
    opened(ledger)
    opened(ledger, marks=[f"f{i}" for i in range(20)])
    joined = opened(ledger, marks=MARKS + [f"f{i}" for i in range(20)], candidate="c2")
    assert joined.number == 3


def test_a_new_ledger_says_so_and_reading_makes_none(ledger):
    """A ledger that was deleted would not be missed."""
    assert ledger.head is None
    assert not ledger.path.exists()
    assert opened(ledger).notes == (NEW,)
    assert opened(ledger, candidate="c2").notes == ()
    assert ledger.head == ledger.read().records[-1]["hash"]


def lines(ledger):
    return ledger.path.read_bytes().splitlines(keepends=True)


def edited(ledger):
    first, *rest = lines(ledger)
    return [first.replace(b'"p":0.5', b'"p":0.01'), *rest]


@pytest.mark.parametrize(
    "harm",
    [
        edited,
        lambda ledger: lines(ledger)[1:],
        lambda ledger: [lines(ledger)[i] for i in (1, 0, 2)],
        lambda ledger: [lines(ledger)[i] for i in (0, 2)],
        lambda ledger: [lines(ledger)[i] for i in (0, 0, 1, 2)],
        lambda ledger: [b"{}\n", *lines(ledger)],
        lambda ledger: [b"not JSON\n", *lines(ledger)[1:]],
        lambda ledger: [b"garbage"],
        lambda ledger: [*lines(ledger), b"garbage"],
    ],
    ids=[
        "edited",
        "first removed",
        "swapped",
        "removed",
        "doubled",
        "foreign",
        "blotted out",
        "overwritten",
        "scribbled under",
    ],
)
def test_a_changed_ledger_is_noticed(ledger, harm):
    """A verdict could be edited, or an opening struck out, and the next level be too mild."""
    for candidate in ("c1", "c2", "c3"):
        opened(ledger, candidate=candidate, verdict={"p": 0.5})
    before = ledger.read().records
    ledger.path.write_bytes(b"".join(harm(ledger)))
    with pytest.raises(BrokenLedger, match="edited, moved or removed"):
        ledger.read()
    with pytest.raises(BrokenLedger):
        opened(ledger, candidate="c4")
    assert len(before) == 3


def test_a_cut_tail_changes_the_head(ledger):
    """The last opening could be struck out and the evidence that names it not tell."""
    opened(ledger)
    opened(ledger, candidate="c2")
    head = ledger.head
    ledger.path.write_bytes(lines(ledger)[0])
    assert ledger.head != head


def test_a_ledger_without_a_head_that_evidence_names_is_refused(ledger):
    """Cutting the last openings off would give the next candidate the mild level of the first."""
    heads = [opened(ledger, candidate=f"c{i}").head for i in range(3)]
    ledger.require([heads[2], heads[0], NO_LEDGER])
    ledger.path.write_bytes(b"".join(lines(ledger)[:2]))
    ledger.require(heads[:2])
    with pytest.raises(BrokenLedger, match=f"opening {heads[2]} is missing.*restore the file"):
        ledger.require(heads)


def test_a_ledger_that_is_gone_is_missed_by_its_evidence_alone(ledger):
    """A deleted ledger would start afresh, or the very first decision be refused."""
    ledger.require([])
    ledger.require([NO_LEDGER])
    head = opened(ledger).head
    ledger.path.unlink()
    with pytest.raises(BrokenLedger, match="is missing"):
        ledger.require([head])
    assert not ledger.path.exists()


def test_every_beginning_of_a_line_is_torn_and_nothing_else_is(ledger):
    """A kill would lock a team out, or a scribbled-over ledger count as one that a kill tore."""
    opened(ledger, verdict={"p": 0.5, "interval": [-0.1, 1e-05], "outcome": "promoted"})
    (line,) = lines(ledger)
    assert tuple(json.loads(line)) == FIELDS
    for end in range(1, len(line) - 1):
        chain = read_chain(line[:end], "x")
        assert (chain.records, chain.torn, len(chain.notes)) == ((), True, 1)
    for planted in (
        b"garbage",
        b" ",
        b"1",
        b"\0" * 20,
        b'{"x',
        b'{"candidate":1',
        b'{"candidate":"c1","level":1,',
        b'{"candidate":"c1"}x',
        b'{"candidate":"c1",garbage',
        line[:200] + b"\0",
        line[50:-1],
    ):
        with pytest.raises(BrokenLedger, match="x, line 1: this opening"):
            read_chain(planted, "x")


def test_the_same_candidate_on_unrelated_queries_is_tested(ledger):
    """A verdict on other queries would be handed on as if these had shown it."""
    first = opened(ledger, verdict={"p": 0.01})
    other = opened(ledger, marks=[f"f{i}" for i in range(20)], verdict={"p": 0.5})
    assert (other.fresh, other.number, other.verdict) == (True, 1, {"p": 0.5})
    assert other.lineage != first.lineage


@pytest.mark.parametrize("part", ["len(data) // 2", "len(data) - 1", "1"])
def test_a_kill_in_the_middle_of_an_append_costs_nothing(ledger, part):
    """One kill -9 would lock a team out of its ledger, or lose an opening that was shown."""
    opened(ledger)
    code = f"""
def torn(file, data, write=module.write_some):
    write(file, data[: {part}])
    os.kill(os.getpid(), signal.SIGKILL)
module.write_some = torn
opened(ledger, candidate="c2")
"""
    assert run(code, ledger.path).wait(60) == -signal.SIGKILL
    chain = ledger.read()
    if part == "len(data) - 1":
        # Everything but the newline is there: the opening stands.
        assert [r["candidate"] for r in chain.records] == ["c1", "c2"]
    else:
        assert [r["candidate"] for r in chain.records] == ["c1"]
        assert "torn by a command that was killed" in chain.notes[0]
    again = opened(ledger, candidate="c2")
    assert (again.number, again.level) == (2, 0.0125)
    assert opened(ledger, candidate="c3").number == 3
    assert [r["opening"] for r in ledger.read().records] == [1, 2, 3]


def test_a_kill_before_the_append_opens_nothing(ledger):
    """An opening that nobody saw would halve the level of the next."""
    code = "module._append = lambda *a, **k: os.kill(os.getpid(), signal.SIGKILL)\nopened(ledger)"
    assert run(code, ledger.path).wait(60) == -signal.SIGKILL
    assert ledger.read().records == ()
    assert opened(ledger).number == 1


def test_two_commands_at_once_are_two_openings(ledger):
    """Two commands started together would both be the first opening of the lineage."""
    each = "for i in range(15): opened(ledger, candidate=f'%s{i}')"
    writers = [run(each % name, ledger.path) for name in ("a", "b")]
    assert [writer.wait(120) for writer in writers] == [0, 0]
    assert [r["opening"] for r in ledger.read().records] == list(range(1, 31))


def test_two_commands_with_one_candidate_are_one_opening(ledger):
    """The same candidate would be tested twice, and the better verdict kept."""
    writers = [run("opened(ledger)", ledger.path) for _ in range(3)]
    assert [writer.wait(120) for writer in writers] == [0, 0, 0]
    assert len(ledger.read().records) == 1


def test_a_test_that_fails_opens_nothing(ledger):
    """An error in the test would leave an opening without a verdict."""

    def fails(number, level):
        raise ArithmeticError("no figure")

    with pytest.raises(ArithmeticError):
        ledger.open(marks=MARKS, candidate="c", measure="m", now=NOW, inputs={}, test=fails)
    assert ledger.read().records == ()


def test_no_figure_that_is_not_a_number_is_stored(ledger):
    """The ledger would hold a line that strict JSON readers refuse."""
    with pytest.raises(ValueError, match="JSON"):
        opened(ledger, verdict={"p": float("nan")})
    assert ledger.read().records == ()


def test_lines_are_plain_json_without_the_queries(ledger):
    """The ledger, which is shared with a team, would hold what users asked."""
    opened(ledger)
    record = json.loads(lines(ledger)[0])
    assert record["sealed"] == MARKS
    of_the_opening = {"lineage", "candidate", "measure", "opening", "level", "date", "verdict"}
    assert set(record) == of_the_opening | {"inputs", "sealed", "previous", "hash"}
