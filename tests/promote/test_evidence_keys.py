"""The page about tuned configurations names every key of the evidence, and no other."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from esra.domain.capability import Scoring
from eval.evidence import Ledger
from eval.evidence.agree import Agreement
from eval.evidence.decision import Beside
from eval.tune.numbers import turn
from eval.tune.runs import case_of_runs
from eval.tune.verdict import reach
from tests.evidence.tables import gained, verdict
from tests.tune.planted_runs import write

PAGE = Path(__file__).resolve().parents[2] / "docs" / "tuned-configuration.md"
ROLLBACK = {"restores", "replaces"}  # what `esra config rollback` writes, see tests/config
HEARD = Agreement(
    queries=1, predicted=0.5, live=0.5, floor=0.0, p=1.0, recordings=1, answers=1, reached=1.0,
    claimed=0.1,
)  # fmt: skip


def section() -> str:
    return PAGE.read_text("utf-8").split("## Evidence", 1)[1].split("\n## ", 1)[0]


def named(text: str) -> set[str]:
    return set(re.findall(r"`([a-z_0-9]+)`", text))


def told_of(part: str) -> set[str]:
    """The keys that the paragraph beginning "Of ``part``" names before what explains them."""
    (paragraph,) = [p for p in section().split("\n\n") if p.startswith(f"Of {part}: ")]
    words = re.sub(r"\([^()]*\)", "", paragraph.split(": ", 1)[1]).split(". ")[0]
    return named(words)


@pytest.fixture(scope="module")
def written(tmp_path_factory) -> list[dict]:
    """The evidence of a promoted share, of a named number that was explored, and of a rollback."""
    folder = tmp_path_factory.mktemp("runs")
    words = write(folder, signal=1.5, seed=1)
    case = case_of_runs("cap", *(Path(words[at]) for at in (1, 2, 4)), k=10, explore=False)
    ledger = Ledger(folder / "openings.jsonl")
    promoted = reach(case, ledger, folder / "promoted", folder / "candidate.json").config
    own = replace(Scoring(), shortlist=200)
    cut = [replace(one, numbers=own) for one in case.recordings[:30]]
    looking = replace(case, recordings=cut, explore=True, numbers=own, own=own)
    asked = turn(looking, ["share"], ledger, folder / "promoted", folder / "c.json").config
    return [json.loads(path.read_text())["evidence"] for path in (promoted, asked)]


def test_every_key_that_is_written_stands_on_the_page(written):
    """Whoever reads a file would meet a figure that nobody explains, or look for one in vain."""
    rows = re.findall(r"^\| (`.*?) \|", section(), re.MULTILINE)
    assert named(" ".join(rows)) == set(written[0]) | set(written[1]) | ROLLBACK


def test_so_does_every_key_inside_them(written, tmp_path):
    """The interval's level, or what a segment lost, would be guessed at."""
    tags = tuple((f"half:{place % 2}",) for place in range(100))
    scores = replace(gained(100, 0.1), tags=tags)
    decision = verdict(scores, Ledger(tmp_path / "l.jsonl"), as_predicted=lambda setting: HEARD)
    plain = replace(decision, beside=Beside(claims=2, p=0.01)).as_json()
    assert told_of("`estimate`") == set(written[0]["estimate"]) == set(plain["estimate"])
    assert told_of("`sealed`") == set(written[0]["sealed"]) == set(plain["sealed"])
    assert told_of("one of `segments`") == set(plain["sealed"]["segments"][0])
    assert told_of("`live`") == set(plain["live"])
    (row,) = re.findall(r"^\| `beside` \|.*$", section(), re.MULTILINE)
    assert set(plain["beside"]) <= named(row)
    (row,) = re.findall(r"^\| `measure`, .*$", section(), re.MULTILINE)
    assert set(plain["groups"]) <= named(row)
