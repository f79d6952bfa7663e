"""`gate` as a build runs it: its exit code, what it says, and what it refuses to compare."""

import json
from math import log2

import pytest

from eval.evidence import sealed
from eval.gate import cli
from eval.gate.check import Status
from eval.gate.quality import drop, floors
from eval.recording import about
from eval.runfolder import read
from eval.runs.arm import Ordering, arm_of
from eval.runs.pairs import CannotCompare, pair
from tests.runs import made
from tests.said import said

SECOND = 1 / log2(3)  # nDCG of a single right document at rank 2
QUERIES = [f"q{number:03}" for number in range(40)]


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("ESRA_HOME", str(tmp_path))
    return tmp_path


def gate(*words: object, code: int = 0) -> tuple[str, str]:
    return said(cli.main, *words, code=code)


def places(worse: int = 0, queries=QUERIES) -> dict[str, int]:
    """The right document first, and second in the first ``worse`` queries."""
    return {query: 2 if number < worse else 1 for number, query in enumerate(queries)}


@pytest.mark.req("W62", "W63", "W68")
def test_an_unchanged_run_passes_and_a_worse_one_shuts_the_gate(home):
    """Else a build would stay green while search gets worse, or turn red for nothing."""
    made.run(home, "one", places())
    made.run(home, "two", places())
    made.run(home, "three", places(worse=20))
    gate("--save", "main", "desk/one")
    assert "gate open" in gate("--baseline", "main", "desk/two")[0]
    out, _ = gate("--baseline", "main", "desk/three", "--json", code=1)
    told = json.loads(out)
    assert told["open"] is False
    (shut,) = [check for check in told["checks"] if check["status"] == "failed"]
    # Half of the queries fell from rank 1 to rank 2: 1 to (1 + 1/log2(3)) / 2.
    after = (1 + SECOND) / 2
    assert f"1.0000 to {after:.4f}, {after - 1:+.4f}" in shut["said"]
    assert "0 won, 20 tied, 20 lost" in " ".join(shut["details"])
    assert f"query q000: 1.0000 to {SECOND:.4f}, first right document #1 to #2" in shut["details"]


@pytest.mark.req("W63")
def test_a_loss_that_is_not_sure_passes_unless_strict(home):
    """Else one query of forty would stop every build, or nobody could ask for the stricter rule."""
    made.run(home, "one", places())
    made.run(home, "two", places(worse=2))
    gate("--save", "main", "desk/one")
    words = ("--baseline", "main", "desk/two", "--max-drop", ".005")
    out, _ = gate(*words)
    assert "may have lost" in out
    gate(*words, "--strict", code=1)


@pytest.mark.parametrize(("floor", "code"), [("nDCG@10=.8", 0), ("nDCG@10=.99", 1), ("RR=.7", 0)])
@pytest.mark.req("W63")
def test_a_floor_is_the_least_mean(home, floor, code):
    """Else a capability could be released below what was promised."""
    made.run(home, "one", places(worse=20))
    gate("desk", "--floor", floor, code=code)


@pytest.mark.req("W63", "W58")
def test_a_segment_that_loses_shuts_the_gate_only_where_segments_are_asked(home):
    """Else a small group of users could lose what everybody else gains."""
    strata = {query: "a" if number < 30 else "b" for number, query in enumerate(QUERIES)}
    more = {f"r{number:03}": 1 for number in range(200)}
    before = {**places(), **dict.fromkeys(more, 2)}
    after = {**places(worse=30), **more}
    strata |= dict.fromkeys(more, "c")
    made.run(home, "one", before, strata=strata)
    made.run(home, "two", after, strata=strata)
    gate("--save", "main", "desk/one")
    words = ("--baseline", "main", "desk/two")
    assert "gate open" in gate(*words)[0]
    out, _ = gate(*words, "--segments", "--json", code=1)
    status = {check["name"]: check for check in json.loads(out)["checks"]}
    assert status["source:a"]["status"] == "failed"
    assert status["source:b"]["status"] == "skipped"  # ten queries judge nothing
    assert status["source:c"]["status"] == "passed"
    assert "0 won, 0 tied, 30 lost" in status["source:a"]["details"][0]


def _other_data(home):
    made.run(home, "two", places(), data="data-2")


def _missing(home):
    folder = made.run(home, "two", places(queries=QUERIES[:30]))
    assert folder.exists()


def _other_k(home):
    made.run(home, "two", places(), k=5)


def _never_ran(home):
    empty = {"answers": [], "asked": [], "ranking": [], "shown": 0}
    folder = home / "runs" / "desk" / "two"
    made.write_traces(folder, {query: made.trace(query, 1, **empty) for query in QUERIES})


def _unfinished(home):
    folder = made.run(home, "two", places())
    lines = (folder / "traces.jsonl").read_text().splitlines(keepends=True)
    (folder / "traces.jsonl").write_text("".join(lines[:-1]))


def _degraded(home):
    failed = {"code": "ESRA_SOURCE_FAILED", "source": "news", "detail": "TIMEOUT", "count": None}
    folder = home / "runs" / "desk" / "two"
    traces = {query: made.trace(query, 1) for query in QUERIES}
    traces[QUERIES[0]]["warnings"] = [failed]
    made.write_traces(folder, traces)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (_other_data, "the data is another"),
        (_missing, "10 queries are missing: 'q030'"),
        (_other_k, "measured at 5, not at 10"),
        (_never_ran, "it never ran"),
        (_unfinished, "1 queries were never recorded ('q039')"),
        (_degraded, "failed in 1 queries"),
    ],
)
@pytest.mark.req("W42", "W64")
def test_what_cannot_be_compared_is_refused_and_not_scored(home, make, says):
    """Else a run that never ran would read as a run that found nothing."""
    made.run(home, "one", places())
    make(home)
    gate("--save", "main", "desk/one")
    out, err = gate("--baseline", "main", "desk/two", code=3)
    assert (out, says in err) == ("", True), err
    assert err.count("\n") == 1


def test_numbers_chosen_on_these_queries_are_held_on_the_sealed_ones_only(home):
    """Else a tuned file would be its own witness."""
    many = [f"q{number:03}" for number in range(150)]
    case = read(made.run(home, "one", places(queries=many)))
    tuned = Ordering(said="t", change=lambda numbers: numbers, tuned_on=made.DATA)
    plain, own = arm_of(case, "desk/one"), arm_of(case, "desk/one", tuned)
    kept = int(sealed([f"need {query}" for query in many]).sum())
    assert 0 < kept < 150
    found = pair(plain, own)
    assert (found.queries, found.only_sealed) == (kept, True)
    few = read(made.run(home, "few", places()))
    with pytest.raises(CannotCompare, match="chosen on these very queries"):
        pair(arm_of(few, "desk/few"), arm_of(few, "desk/few", tuned))


def test_labels_that_changed_since_the_choice_still_seal_what_was_sealed(home):
    """Else one more judged query would make the queries that chose a number its witnesses."""
    many = [f"q{number:03}" for number in range(150)]
    case = read(made.run(home, "one", places(queries=many)))
    older = Ordering(said="t", change=lambda numbers: numbers, tuned_on="data-0")
    plain, own = arm_of(case, "desk/one"), arm_of(case, "desk/one", older)
    found = pair(plain, own)
    assert found.queries == int(sealed([f"need {query}" for query in many]).sum())
    assert found.only_sealed
    few = read(made.run(home, "few", places()))
    perhaps = pair(arm_of(few, "desk/few"), arm_of(few, "desk/few", older))
    assert (perhaps.queries, perhaps.only_sealed) == (len(QUERIES), False)
    assert "may be among these" in " ".join(drop(perhaps).details)


@pytest.mark.req("W63")
def test_a_floor_is_held_against_queries_that_did_not_choose_the_numbers(home):
    """Else a tuned file would pass a promised least by the figure that it was chosen for."""
    many = [f"q{number:03}" for number in range(150)]
    kept = sealed([f"need {query}" for query in many])
    # The sealed ones have the right document second, the others first.
    order = {query: 2 if shut else 1 for query, shut in zip(many, kept, strict=True)}
    case = read(made.run(home, "one", order))
    tuned = Ordering(said="t", change=lambda numbers: numbers, tuned_on=made.DATA)
    (check,) = floors(arm_of(case, "desk/one", tuned), {"nDCG@10": 0.7})
    assert check.status is Status.FAILED
    assert f"is {SECOND:.4f} on the {kept.sum()} sealed queries" in check.said
    (check,) = floors(arm_of(case, "desk/one"), {"nDCG@10": 0.7})
    assert check.status is Status.PASSED
    few = read(made.run(home, "few", places()))
    with pytest.raises(CannotCompare, match="chosen on these very queries"):
        floors(arm_of(few, "desk/few", tuned), {"nDCG@10": 0.7})


@pytest.mark.req("W63")
def test_what_was_held_is_named_with_the_numbers_that_ordered_it(home, tmp_path):
    """Else whoever promoted a number would take a gate over the recorded ones for one over it."""
    made.run(home, "one", places())
    gate("--save", "main", "desk/one")
    page = tmp_path / "gate.md"
    out, _ = gate("--baseline", "main", "desk/one", "--markdown", page)
    assert "gate open: desk/one as recorded, against main" in out
    assert "as recorded" in page.read_text("utf-8")


@pytest.mark.req("W62")
def test_a_baseline_is_a_plain_file_without_texts_that_a_repository_can_hold(home, tmp_path):
    """Else a baseline could not be reviewed, or would carry what people asked."""
    made.run(home, "one", places())
    folder = tmp_path / "repo"
    gate("--save", "main", "desk/one", "--baselines", folder)
    text = (folder / "desk" / "main.json").read_text()
    assert "need q" not in text
    assert "what is" not in text
    assert str(tmp_path) not in text
    first = (folder / "desk" / "main.json").read_bytes()
    gate("--save", "main", "desk/one", "--baselines", folder)
    assert (folder / "desk" / "main.json").read_bytes() == first
    assert "gate open" in gate("--baseline", "main", "--baselines", folder)[0]


def test_the_gate_opens_no_sealed_part(home):
    """Else every build would use up the evidence of the next promotion."""
    made.run(home, "one", places())
    gate("--save", "main", "desk/one")
    gate("--baseline", "main", "desk/one", "--segments")
    assert not (home / "runs" / "openings.jsonl").exists()


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["--save", "a", "--baseline", "b", "desk"], 2, "one at a time"),
        (["desk"], 2, "nothing to hold"),
        (["--floor", "nDCG@10"], 2, "is not MEASURE=NUMBER"),
        (["desk", "--max-drop", "nan", "--baseline", "x"], 2, "no number from 0 to 1"),
        (["--baseline", "../x", "desk"], 3, "cannot name a baseline"),
        (["--baseline", "none", "desk"], 3, "no baseline 'none' of desk"),
        (["--floor", "nDCGG=1", "desk"], 3, "no measure"),
        (["--floor", "RR=1", "../../etc"], 3, "is no run's id"),
    ],
)
def test_misuse_is_one_line_that_says_what_to_do(home, words, code, says):
    """Else a typo in a build file would end in a traceback."""
    made.run(home, "one", places())
    _, err = gate(*words, code=code)
    assert says in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    "damage", ["{", "[]", '{"schema": 1}', '{"schema": 1, "queries": {"q": 3}}']
)
def test_a_damaged_baseline_is_refused(home, damage):
    """Else a merge conflict in the file would pass as a baseline."""
    made.run(home, "one", places())
    gate("--save", "main", "desk/one")
    (home / "runs" / "baselines" / "desk" / "main.json").write_text(damage)
    _, err = gate("--baseline", "main", "desk/one", code=3)
    assert "baseline" in err or "JSON" in err


@pytest.mark.req("W41")
def test_a_loss_that_recording_again_could_make_does_not_shut_the_gate(home):
    """Else a build would fail whenever a model is in another mood."""
    made.run(home, "one", places())
    folder = made.run(home, "two", places(worse=8))
    gate("--save", "main", "desk/one")
    gate("--baseline", "main", "desk/two", code=1)
    for number in (1, 2):
        again = {query: 1 + (number + place) % 3 for place, query in enumerate(QUERIES)}
        (folder / "repeats" / str(number)).mkdir(parents=True)
        made.write(home / "again", again)
        traces = (home / "again" / "traces.jsonl").read_bytes()
        (folder / "repeats" / str(number) / "traces.jsonl").write_bytes(traces)
    out, _ = gate("--baseline", "main", "desk/two", "--max-drop", ".01")
    assert "noise floor of nDCG@10" in out
    assert "lies under it: recording again could do that" in out
    assert "may have lost" in out


@pytest.mark.req("W63", "W58")
def test_segments_are_also_the_tags_that_queries_carry_and_their_traffic(home):
    """Else only a whole source could be guarded, and no language, intent or rare question."""
    for name, worse in (("one", 0), ("two", 40)):
        folder = made.run(home, name, places(worse, [*QUERIES, *(f"r{n:03}" for n in range(400))]))
        labelled = {
            query: about.Labelled(
                group="", tags=("language:de",) if query < "r" else (), traffic=10 * (query < "r")
            )
            for query in [*QUERIES, *(f"r{n:03}" for n in range(400))]
        }
        about.write(folder, about.About(arm=name, queries=labelled))
    gate("--save", "main", "desk/one")
    out, _ = gate("--baseline", "main", "desk/two", "--max-drop", ".1", "--segments", code=1)
    shut = {line.split()[3].rstrip(":") for line in out.splitlines() if line.startswith("failed")}
    assert "language:de" in shut
    assert "language:(none)" not in shut
    (folder / "about.json").write_text('{"schema": 9}')
    assert "record it again" in gate("--baseline", "main", "desk/two", code=3)[1]
