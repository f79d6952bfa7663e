"""Whatever is done to a log is found, and named for what it is."""

import pytest

from esra.governance.audit.findings import Kind


def lines(desk):
    (path,) = desk.files()
    return path.read_bytes().splitlines(keepends=True)


def rewrite(desk, changed):
    (path,) = desk.files()
    path.write_bytes(b"".join(changed))


def edit(desk, found):
    found[4] = found[4].replace(b'"tenant":"t"', b'"tenant":"u"')


def edit_seal(desk, found):
    found[4] = found[4].replace(b'"chain":"', b'"chain":"0')[:-4] + b'"}\n'


def unreadable(desk, found):
    found[4] = b"\xff\n"


def delete(desk, found):
    del found[4:6]


def delete_first(desk, found):
    del found[0]


def swap(desk, found):
    found[4], found[5] = found[5], found[4]


def duplicate(desk, found):
    found.insert(7, found[4])


def insert(desk, found):
    found.insert(4, found[4].replace(b'"tenant":"t"', b'"tenant":"u"'))


def insert_at_the_end(desk, found):
    found.append(found[4].replace(b'"sequence":5', b'"sequence":21'))


def blank(desk, found):
    found.insert(4, b"\n")


def cut_tail(desk, found):
    del found[-3:]


def cut_last(desk, found):
    del found[-1]


def cut_all(desk, found):
    del found[:]


def cut_in_a_line(desk, found):
    found[-1] = found[-1][:50]


def cut_line_break(desk, found):
    found[-1] = found[-1][:-1]


TABLE = [
    (edit, Kind.EDITED, (5, 5), 5),
    (edit_seal, Kind.EDITED, (5, 5), 5),
    (unreadable, Kind.EDITED, (5, 5), 5),
    (delete, Kind.DELETED, (5, 6), 0),
    (delete_first, Kind.DELETED, (1, 1), 0),
    (swap, Kind.MOVED, (5, 5), 6),
    (duplicate, Kind.DUPLICATED, (5, 5), 8),
    (insert, Kind.INSERTED, (0, 0), 5),
    (insert_at_the_end, Kind.INSERTED, (0, 0), 21),
    (blank, Kind.INSERTED, (0, 0), 5),
    (cut_tail, Kind.CUT_OFF, (18, 20), 0),
    (cut_last, Kind.CUT_OFF, (20, 20), 0),
    (cut_all, Kind.CUT_OFF, (1, 20), 0),
    (cut_in_a_line, Kind.EDITED, (20, 20), 20),
    (cut_line_break, Kind.EDITED, (0, 0), 0),
]


@pytest.mark.parametrize(
    ("change", "kind", "records", "line"), TABLE, ids=lambda v: getattr(v, "__name__", None)
)
def test_each_kind_of_tampering_is_found_where_it_is(desk, change, kind, records, line):
    """Else somebody could take back what was recorded of him."""
    desk.fill(10)
    assert desk.report().whole
    found = lines(desk)
    change(desk, found)
    rewrite(desk, found)
    (finding,) = desk.report().findings
    assert (finding.kind, (finding.first, finding.last), finding.line) == (kind, records, line)
