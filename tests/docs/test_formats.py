"""The page of formats says what the formats do."""

import re
from pathlib import Path

from eval.exchange.formats import FORMATS, carries
from eval.exchange.losses import Aspect
from eval.exchange.names import Name

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "formats.md").read_text("utf-8")
ROWS = re.findall(r"^\| `([\w-]+)` \|[^|]*\| ?([^|]*) \|$", PAGE, flags=re.MULTILINE)


def test_the_table_is_what_each_format_carries():
    """Somebody would rely on a copy that lacks half of the labels."""
    table = {name: {part for part in cell.split("; ") if part} for name, cell in ROWS}
    assert table.keys() == {*FORMATS, Name.BEIR}
    for name, told in table.items():
        assert told == {aspect.value for aspect in carries(Name(name))}, name


def test_what_stays_in_the_folder_is_carried_by_none():
    """The page would deny what a format can do, or promise what none does."""
    stays = {Aspect.SOURCES, Aspect.PLANS, Aspect.GUIDELINES, Aspect.CARRIED, Aspect.RULE}
    carried = set().union(*(carries(name) for name in (*FORMATS, Name.BEIR)))
    assert set(Aspect) - carried == stays
