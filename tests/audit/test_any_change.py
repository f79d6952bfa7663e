"""Any single change to a log that verifies is found, wherever it is made."""

import os
import shutil

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.audit.desk import NOON, Desk, begin, end

DAY = 86_400


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """Sixty records in three files."""
    desk = Desk(tmp_path_factory.mktemp("original"))
    for day in range(3):
        sink = desk.sink(NOON + day * DAY)
        for number in range(10):
            sink.write([begin(f"i{day}-{number}")])
            sink.write([end(f"i{day}-{number}")])
        sink.close()
    assert desk.report().whole
    assert len(desk.files()) == 3
    return desk


def change(desk, data):
    """One edit of bytes, lines or files."""
    path = data.draw(st.sampled_from(desk.files()), "file")
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    at = data.draw(st.integers(0, len(lines) - 1), "line")
    match data.draw(
        st.sampled_from(
            [
                "byte",
                "bytes in",
                "bytes out",
                "line out",
                "copy",
                "move",
                "cut",
                "file out",
                "empty",
            ]
        ),
        "change",
    ):
        case "byte":
            place = data.draw(st.integers(0, len(whole) - 1), "place")
            other = data.draw(st.integers(1, 255), "flip")
            whole = whole[:place] + bytes([whole[place] ^ other]) + whole[place + 1 :]
        case "bytes in":
            place = data.draw(st.integers(0, len(whole)), "place")
            whole = whole[:place] + data.draw(st.binary(min_size=1, max_size=9)) + whole[place:]
        case "bytes out":
            place = data.draw(st.integers(0, len(whole) - 1), "place")
            whole = whole[:place] + whole[place + data.draw(st.integers(1, 400), "count") :]
        case "line out":
            whole = b"".join(lines[:at] + lines[at + 1 :])
        case "copy":
            to = data.draw(st.integers(0, len(lines)), "to")
            whole = b"".join([*lines[:to], lines[at], *lines[to:]])
        case "move":
            rest = lines[:at] + lines[at + 1 :]
            to = data.draw(st.integers(0, len(rest)).filter(lambda n: n != at), "to")
            whole = b"".join([*rest[:to], lines[at], *rest[to:]])
        case "cut":
            whole = whole[: data.draw(st.integers(0, len(whole) - 1), "end")]
        case "empty":
            whole = b""
        case "file out":
            path.unlink()
            return
    path.write_bytes(whole)


@settings(
    max_examples=2000 if os.environ.get("ESRA_LONG") else 120,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_any_single_change_of_the_log_is_found(original, tmp_path_factory, data):
    """Else there would be a way to change what was recorded."""
    copy = Desk(tmp_path_factory.getbasetemp() / "changed")
    shutil.rmtree(copy.base, ignore_errors=True)
    shutil.copytree(original.base, copy.base)
    change(copy, data)
    report = copy.report()
    assert report.findings, "nothing was found"


@settings(max_examples=200, deadline=None)
@given(place=st.integers(0, 1023), flip=st.integers(1, 255))
def test_any_change_of_the_head_is_found_or_changes_nothing(original, place, flip):
    """Else who reaches the head could cut the log to fit."""
    from esra.governance.audit.chain import keys_of
    from esra.governance.audit.head import HeadUnusable, opened

    keys = keys_of(original.secret)
    data = bytearray(original.head.read_bytes())
    before = opened(bytes(data), keys)
    data[place] ^= flip
    try:
        assert opened(bytes(data), keys) == before
    except HeadUnusable:
        return


def test_a_log_in_which_a_whole_file_is_missing_says_which_records(original, tmp_path):
    """Else somebody who tidies up would leave a riddle."""
    copy = Desk(tmp_path / "copy")
    shutil.copytree(original.base, copy.base)
    copy.files()[1].unlink()
    (finding,) = copy.report().findings
    assert (finding.kind, finding.first, finding.last) == ("deleted", 21, 40)
    copy.files()[1].unlink()
    (finding,) = copy.report().findings
    assert (finding.kind, finding.first, finding.last) == ("cut off", 21, 60)


def test_a_new_day_and_a_full_file_begin_a_new_one(desk):
    """Else a log would grow into one file that nobody can archive."""
    desk.fill(3, most=1500)
    desk.fill(1, now=NOON + DAY)
    first, second, third = desk.files()
    assert 1500 <= first.stat().st_size < 2000
    count = len(first.read_bytes().splitlines())
    assert [path.name for path in (first, second, third)] == [
        "audit-20260202-000000000001.jsonl",
        f"audit-20260202-{count + 1:012d}.jsonl",
        "audit-20260203-000000000007.jsonl",
    ]
    assert desk.report().whole


def test_an_old_head_put_back_is_found_by_an_exported_one(desk):
    """Else who reaches log and head could cut both, and nothing on the machine would know."""
    desk.fill(3)
    old = desk.head.read_bytes()
    (path,) = desk.files()
    size = path.stat().st_size
    desk.fill(2)
    exported = desk.report().head
    assert desk.report(exported).whole
    path.write_bytes(path.read_bytes()[:size])
    desk.head.write_bytes(old)
    assert desk.report().whole  # what is not promised without an exported head
    (finding,) = desk.report(exported).findings
    assert finding.kind == "anchor"


def test_a_head_older_than_the_log_is_found(desk):
    """Else a head put back would prepare the cut that comes next."""
    desk.fill(2)
    old = desk.head.read_bytes()
    desk.fill(1)
    desk.head.write_bytes(old)
    (finding,) = desk.report().findings
    assert finding.kind == "head"


@pytest.mark.parametrize("bad", [b"", b"x" * 1024])
def test_a_head_that_is_gone_or_changed_is_found_and_nothing_is_written_over_it(desk, bad):
    """Else a deleted head would be made anew, and the cut log called whole."""
    from esra.ports import AuditUnavailable

    desk.fill(2)
    desk.head.write_bytes(bad)
    (finding,) = desk.report().findings
    assert finding.kind == "head"
    with pytest.raises(AuditUnavailable, match="head"):
        desk.fill(1)
    assert desk.head.read_bytes() == bad


def test_another_key_is_told_apart_from_tampering(desk):
    """Else a mislaid key would look like a burglary."""
    desk.fill(2)
    (finding,) = desk.report(secret=b"another key of 32 bytes and more").findings
    assert finding.kind == "key"
