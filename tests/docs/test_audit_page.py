"""docs/audit.md is true: it names every member of a record and every event."""

import re
from dataclasses import fields
from pathlib import Path

from esra.domain.codes import AuditEvent
from esra.governance.audit.record import Record

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "audit.md").read_text("utf-8")


def rows(heading):
    """The first cells of the table under a heading."""
    table = PAGE.partition(f"\n| {heading} |")[2].partition("\n\n")[0]
    return [
        name
        for row in table.splitlines()[2:]
        for name in re.findall("`([^`]+)`", row.split("|")[1])
    ]


def test_the_page_names_the_members_of_a_record_in_their_order():
    """Whoever reads the log by this page would look for what is not there."""
    assert rows("member") == [*(field.name for field in fields(Record)), "chain"]


def test_the_page_names_every_event():
    """A reader of the log would meet a record that nobody explains."""
    assert sorted(rows("event")) == sorted(event.value for event in AuditEvent)
