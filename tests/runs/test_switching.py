"""`runs switch-off` and `runs margin`: may the model be switched off, and by what was it held?"""

import csv
import json
from math import log2

import pytest

from tests.runs import made
from tests.runs.asked import plain, runs

SECOND, THIRD = 1 / log2(3), 1 / log2(4)


def switch_off(*words: object, code: int = 0):
    return runs("switch-off", *words, code=code)


@pytest.mark.req("W43")
def test_switching_off_is_answered_from_three_recordings(home, tmp_path):
    """Else the analysts' real question would be answered by one lucky recording."""
    queries = [f"q{number:02}" for number in range(40)]
    for number in range(3):
        made.run(home, f"r{number}", dict.fromkeys(queries, 1))
    three = [f"desk/r{number}" for number in range(3)]
    found = plain("switch-off", *three)
    # By words the right document is third in every query: a loss of 1 - 1/2 everywhere.
    assert (found["answer"], found["difference"]) == ("no", pytest.approx(THIRD - 1))
    kept = json.loads((home / "runs" / "desk" / "r0" / "switch-off.json").read_text())
    assert kept["margin"] == {"value": 0.02, "measure": "nDCG@10", "date": ""}
    made.run(home, "words", {query: 2 if query == "q00" else 1 for query in queries})
    found = plain("switch-off", *three, "--without", "desk/words")
    assert found["answer"] in ("yes", "cannot tell")
    assert found["difference"] == pytest.approx((SECOND - 1) / 40)
    assert "recorded 2 times" in switch_off(*three[:2], code=3)[1]
    for number in (1, 2):  # as `record --repeat 3` leaves them
        again = home / "runs" / "desk" / "r0" / "repeats" / str(number)
        again.mkdir(parents=True)
        traces = (home / "runs" / "desk" / f"r{number}" / "traces.jsonl").read_bytes()
        (again / "traces.jsonl").write_bytes(traces)
    assert plain("switch-off", "desk/r0")["recordings"] == 3
    assert "named twice" in switch_off(three[0], *three[:2], code=3)[1]


@pytest.mark.req("W43")
def test_arms_that_are_not_judged_alike_leave_a_judging_file(home, tmp_path):
    """Else nobody would know which labels would settle it."""
    queries = [f"q{number:02}" for number in range(40)]
    for number in range(3):
        made.run(home, f"r{number}", dict.fromkeys(queries, 1))
    traces = {query: made.trace(query, 1) for query in queries}
    for trace in traces.values():
        trace["ranking"] = trace["ranking"][:2]  # one unjudged result less: judged@10 rises
        trace["shown"] = 2
    made.write_traces(home / "runs" / "desk" / "words", traces)
    three = [f"desk/r{number}" for number in range(3)]
    judging = tmp_path / "judge.csv"
    out, _ = switch_off(*three, "--without", "desk/words", "--judging", judging)
    assert "cannot tell" in out
    rows = list(csv.DictReader(judging.open()))
    assert len(rows) == 40
    assert (rows[0]["query_id"], rows[0]["document_id"]) == ("q00", "q00/b")


@pytest.mark.req("W43")
def test_the_margin_of_a_capability_is_set_on_the_command_line_before_it_is_recorded(home):
    """Else the margin could be chosen once the loss is known."""
    assert "0.02 nDCG@10, the one that stands" in runs("margin", "desk")[0]
    assert plain("margin", "desk", "0.05")["value"] == 0.05
    made.run(home, "one", {"q": 1})
    assert "is recorded" in runs("margin", "desk", "0.1", code=3)[1]
    assert "names no capability" in runs("margin", "../desk", "0.1", code=3)[1]
