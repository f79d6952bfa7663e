"""What weakens a claim is said with it."""

import json
from dataclasses import replace

from eval.dataset import Query
from eval.evidence import Ledger
from eval.tune.order import doubts_of
from eval.tune.runs import case_of_runs
from eval.tune.verdict import reach
from tests.tune.test_runs import write


def query(id: str, text: str, group: str) -> Query:
    return Query(id=id, text=text, group=group)


def test_equal_questions_in_several_groups_are_told():
    """One question under ten names would be ten witnesses, some looked at and some sealed, and
    what one of them shows would be "confirmed" by the next.
    """
    queries = [
        query("1", "How to join", "a"), query("2", "how to  JOIN", "b"),
        query("3", "How to part", "c"), query("4", "How to part", "c"),
    ]  # fmt: skip
    (said,) = doubts_of(queries)
    assert said.startswith("1 question stands in several groups")
    (said,) = doubts_of([*queries, query("5", "how to part", "d")])
    assert said.startswith("2 questions stand in several groups")
    assert doubts_of(queries[1:]) == ()


def test_a_doubt_goes_with_the_numbers_into_the_file(tmp_path):
    """It would stand in a report that nobody kept, and the file would look like any other."""
    case = case_of_runs("x", *write(tmp_path), k=10, explore=True)
    case = replace(case, doubts=("a doubt",))
    verdict = reach(case, Ledger(tmp_path / "ledger"), tmp_path / "tuned", tmp_path / "c.json")
    assert "a doubt" in json.loads(verdict.config.read_text())["evidence"]["notes"]
