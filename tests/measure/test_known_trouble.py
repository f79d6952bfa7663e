"""Mistakes that other evaluation tools made, each asked of our own command: one row a test."""

import json

import ir_measures
import pytest
from ir_measures import AP, RR, nDCG

from eval.measure import cli
from eval.measure.arm import of_folder
from eval.measure.report import Asked, gather
from eval.measures import measure
from eval.recording import about
from eval.recording.about import About, Held, Labelled
from eval.table import GRID
from tests.measure.runs import measured, refused, row, trace, write

NAMES = "nDCG@10 AP RR"


def of_files(tmp_path, capsys, run, qrels, *more, code=0):
    """The one arm of a TREC run, given as lines, and its judgements."""
    for name, lines in (("run", run), ("qrels", qrels)):
        (tmp_path / name).write_text("\n".join(lines) + "\n", "utf-8")
    files = ("--run", tmp_path / "run", "--qrels", tmp_path / "qrels")
    (arm,) = measured(capsys, *files, "--measures", NAMES, *more, code=code)["arms"]
    return arm


def means(arm):
    return {one["measure"]: one["mean"] for one in arm["measures"]}


def folder_of(tmp_path, traces, judgements, **more):
    return write(tmp_path / "own", traces, judgements, **more)


def test_renaming_a_document_moves_no_figure_of_a_recording(tmp_path, capsys):
    """B01: with ties broken by id, a document's name would be worth .37 of nDCG."""
    figures = []
    for name in ("aa", "zz"):
        rows = [row("a", name, 0.5), row("a", "mm", 0.5)]
        folder = write(tmp_path / name, {"q": trace(*rows)}, {"q": {("a", name): 1}})
        figures.append(means(measured(capsys, folder)["arms"][0]))
    assert figures[0] == figures[1]
    assert figures[0]["nDCG@10"] == 1.0


@pytest.mark.parametrize("empty", ["q1", "q2", "q3", "q4"])
def test_an_empty_query_costs_its_share_wherever_it_stands(tmp_path, capsys, empty):
    """B03: the mean fell to .5 or .25 instead of .75."""
    queries = ("q1", "q2", "q3", "q4")
    traces = {q: trace() if q == empty else trace(row("a", "x")) for q in queries}
    folder = folder_of(tmp_path, traces, {q: {("a", "x"): 1} for q in queries})
    (arm,) = measured(capsys, folder, "--measures", NAMES)["arms"]
    assert set(means(arm).values()) == {0.75}
    assert arm["queries"]["empty"] == [empty]


def test_a_query_without_judgements_changes_no_other(tmp_path, capsys):
    """B04: it corrupted itself and every query after it."""
    traces = {q: trace(row("a", "x")) for q in ("q1", "q2", "q3")}
    folder = folder_of(tmp_path, traces, {q: {("a", "x"): 1} for q in ("q1", "q3")})
    (arm,) = measured(capsys, folder, "--measures", NAMES)["arms"]
    assert arm["queries"]["no_judgements"] == ["q2"]
    assert arm["measures"][0]["values"] == {"q1": 1.0, "q3": 1.0}


def test_a_query_without_results_is_not_left_out(tmp_path, capsys):
    """B05: leaving out the hard queries raised the mean."""
    arm = of_files(tmp_path, capsys, ["q1 Q0 x 1 1 t"], ["q1 0 x 1", "q2 0 x 1"])
    assert set(means(arm).values()) == {0.5}
    assert arm["queries"]["empty"] == ["q2"]
    folder = folder_of(tmp_path, {"q": trace()}, {"q": {("a", "x"): 1}})
    (own,) = measured(capsys, folder)["arms"]
    assert own["rates"]["zero_result"] == 1.0


def test_no_figure_is_above_one_nor_perfect_without_everything_right(tmp_path, capsys):
    """B07: an ideal list of what was retrieved gave 1 to half an answer, and 1.31 to another."""
    qrels = [f"q 0 d{n} {grade}" for n, grade in enumerate((3, 2, 1, 3))]
    arm = of_files(tmp_path, capsys, ["q Q0 d0 1 9 t", "q Q0 d1 2 8 t"], qrels)
    assert 0 < means(arm)["nDCG@10"] < 1


def test_judgements_given_twice_count_once(tmp_path, capsys):
    """B08: a file that was concatenated with itself turned .18 into .007."""
    run, qrels = ["q Q0 x 1 9 t", "q Q0 y 2 8 t"], ["q 0 y 1", "q 0 z 1"]
    once = means(of_files(tmp_path, capsys, run, qrels))
    twice = of_files(tmp_path, capsys, run, qrels * 2)
    assert means(twice) == once
    assert ["kept once: 2" in note for note in twice["notes"]] == [True]
    (tmp_path / "qrels").write_text("q 0 y 1\nq 0 y 0\n", "utf-8")
    said = refused(capsys, "--run", tmp_path / "run", "--qrels", tmp_path / "qrels")
    assert "line 1" in said


def test_what_is_odd_about_a_run_stands_under_its_figures(tmp_path, capsys):
    """Two systems in one file, or ranks nobody looks at, would be measured as if all were well."""
    run = ["q Q0 x 1 1 t", "q Q0 y 2 8 u"]
    first, second = of_files(tmp_path, capsys, run, ["q 0 y 1"])["notes"]
    assert "more than one tag" in first
    assert "ranks say otherwise than its scores, ordered by the scores: 1, namely 'q'" in second
    assert cli.main(["--run", str(tmp_path / "run"), "--qrels", str(tmp_path / "qrels")]) == 0
    printed = capsys.readouterr().out
    assert all(note in printed for note in (first, second))


def test_one_bad_line_is_one_clear_line(tmp_path, capsys):
    """B10: a duplicate line failed a whole job with a trace of the stack."""
    (tmp_path / "run").write_text("q Q0 x 1 9 t\nq Q0 x 2 8 t\n", "utf-8")
    (tmp_path / "qrels").write_text("q 0 x 1\n", "utf-8")
    said = refused(capsys, "--run", tmp_path / "run", "--qrels", tmp_path / "qrels")
    assert "stands in line 1 already: keep one" in said


def test_a_measure_that_no_judgement_can_feed_is_named(tmp_path, capsys):
    """Judgements of 0 and 1 fed to a measure of grade 2 would look like a broken file."""
    (tmp_path / "run").write_text("q Q0 x 1 9 t\n", "utf-8")
    (tmp_path / "qrels").write_text("q 0 x 1\n", "utf-8")
    files = ("--run", tmp_path / "run", "--qrels", tmp_path / "qrels")
    said = refused(capsys, *files, "--measures", "nDCG@10 P(rel=2)@5")
    assert "grade 2 or more, which P(rel=2)@5 counts" in said


def test_a_run_is_named_as_the_list_of_runs_names_it(tmp_path, capsys, monkeypatch):
    """Else every other command would take a name that this one takes for a missing folder."""
    monkeypatch.setenv("ESRA_HOME", str(tmp_path))
    traces = {"q": trace(row("a", "x"))}
    folder = write(tmp_path / "runs" / "desk" / "abc1", traces, {"q": {("a", "x"): 1}})
    assert measured(capsys, "desk") == measured(capsys, folder)
    assert "`runs list` shows those there are" in refused(capsys, "shop")


def test_a_query_that_finds_itself_is_said(tmp_path, capsys):
    """B11: a set whose queries stand in its corpus scored 31.5 or 41.4, and no report said why."""
    folder = folder_of(
        tmp_path, {"d1": trace(row("a", "d1"), row("a", "d2"))}, {"d1": {("a", "d2"): 1}}
    )
    kept = measured(capsys, folder, "--measures", "RR")
    gone = measured(capsys, folder, "--measures", "RR", "--drop-self")
    assert any("kept (1 lists hold one)" in line for line in kept["conventions"])
    assert any("taken out" in line for line in gone["conventions"])
    assert (means(kept["arms"][0])["RR"], means(gone["arms"][0])["RR"]) == (0.5, 1.0)


def test_ids_that_look_like_numbers_meet(tmp_path, capsys):
    """B13: whole numbers on one side and text on the other made every figure 0."""
    arm = of_files(tmp_path, capsys, ["7 Q0 0042 1 9 t"], ["7 0 0042 1"])
    assert set(means(arm).values()) == {1.0}
    other = of_files(tmp_path, capsys, ["7 Q0 42 1 9 t"], ["7 0 0042 1"])
    assert set(means(other).values()) == {0.0}


def test_a_run_that_misses_a_query_is_not_complete(tmp_path, capsys):
    """B15: a query that could not be asked left its run "completed", after 0 s."""
    judged = {q: {("a", "x"): 1} for q in ("q1", "iphone x 64 gb")}
    folder = folder_of(tmp_path, {"q1": trace(row("a", "x"))}, judged)
    document = measured(capsys, folder, code=5)
    assert document["status"] == "partial"
    assert document["arms"][0]["queries"]["missing"] == ["iphone x 64 gb"]
    assert means(document["arms"][0])["nDCG@10"] == 1.0


def test_every_setting_of_a_sweep_is_run():
    """B20: floats that should add up to 1 did not, and 60 of 66 settings ran."""
    assert len(GRID) == 101
    assert all(share + (1000 - share) == 1000 for share in GRID)
    assert all(isinstance(share, int) for share in GRID)


def test_equal_scores_are_one_and_no_division_by_nothing(tmp_path, capsys):
    """B21: a source whose scores are all the same divided 0 by 0."""
    rows = [row("a", key, 1.0, native=7.0) for key in "xyz"]
    folder = folder_of(tmp_path, {"q": trace(*rows)}, {"q": {("a", "x"): 1}})
    (arm,) = measured(capsys, folder, "--explain", "q")["arms"]
    normalised = [m["normalised"] for one in arm["explained"]["rows"] for m in one["matches"]]
    assert normalised == [1.0, 1.0, 1.0]


def test_measuring_again_gives_the_same(tmp_path):
    """B32: the second evaluation with one evaluator returned zeros."""
    arm = of_folder(folder_of(tmp_path, {"q": trace(row("a", "x"))}, {"q": {("a", "x"): 1}}))
    asked = Asked(measures=[measure("nDCG@10")], k=10, scale=4)
    first, second = (gather([arm], asked).arms[0].quality.figures[0].mean for _ in range(2))
    assert first == second == 1.0


@pytest.mark.parametrize("count", range(10))
def test_short_lists_are_measured_right(tmp_path, capsys, count):
    """C14: nDCG was wrong with fewer than ten results."""
    run = [f"q Q0 d{n} {n + 1} {9 - n} t" for n in range(count)]
    qrels = [f"q 0 d{n} {n % 3}" for n in range(0, 12, 2)]
    arm = of_files(tmp_path, capsys, [*run, "r Q0 z 1 1 t"], [*qrels, "r 0 z 1"])
    assert means(arm) == pytest.approx(_reference(tmp_path), abs=1e-12)


def _reference(tmp_path):
    found = ir_measures.calc_aggregate(
        [nDCG @ 10, AP, RR],
        list(ir_measures.read_trec_qrels(str(tmp_path / "qrels"))),
        list(ir_measures.read_trec_run(str(tmp_path / "run"))),
    )
    return {str(name): value for name, value in found.items()}


@pytest.mark.req("W30")
def test_a_constant_score_is_ordered_as_trec_eval_does_and_said(tmp_path, capsys):
    """C17: a scorer that gives everything the same got a mean reciprocal rank of 1."""
    run = [f"q{q} Q0 d{n} {n + 1} 0.5 t" for q in range(3) for n in range(20)]
    qrels = [f"q{q} 0 d{n} 1" for q in range(3) for n in (0, 7, 13 + q)]
    arm = of_files(tmp_path, capsys, run, qrels)
    assert means(arm) == pytest.approx(_reference(tmp_path), abs=1e-12)
    assert means(arm)["RR"] < 1
    assert arm["tied"] == 1.0


def test_nothing_relevant_is_neither_zero_nor_one(tmp_path, capsys):
    """C18: a query of which nothing is right was NaN in one tool, 0 in another and 1 in a third."""
    traces = {q: trace(row("a", "x"), row("a", "y")) for q in ("none", "some")}
    traces["silent"] = trace()
    folder = folder_of(
        tmp_path,
        traces,
        {"none": {("a", "x"): 0}, "some": {("a", "x"): 1}, "silent": {("a", "x"): 0}},
    )
    document = measured(capsys, folder, "--measures", NAMES)
    (arm,) = document["arms"]
    assert arm["queries"]["no_relevant"] == ["none", "silent"]
    assert arm["queries"]["nothing_shown"] == ["silent"]
    assert arm["measures"][0]["values"] == {"some": 1.0}
    assert "NaN" not in json.dumps(document)


def test_the_ideal_list_is_of_all_that_was_judged(tmp_path, capsys):
    """C18: an ideal of the retrieved alone made finding one of two right documents perfect."""
    folder = folder_of(
        tmp_path, {"q": trace(row("a", "x"))}, {"q": {("a", "x"): 1, ("b", "far"): 1}}
    )
    (arm,) = measured(capsys, folder, "--measures", NAMES)["arms"]
    assert means(arm)["nDCG@10"] == pytest.approx(1 / (1 + 0.6309297535714575), abs=1e-12)
    assert means(arm)["AP"] == 0.5


def test_a_query_of_a_run_that_nobody_judged_is_listed(tmp_path, capsys):
    """Half of a run would go unmeasured, and no line of the report would say so."""
    run = ["q1 Q0 d1 1 2 t", "q2 Q0 d1 1 2 t"]
    arm = of_files(tmp_path, capsys, run, ["q1 0 d1 1"])
    assert arm["queries"]["no_judgements"] == ["q2"]
    assert (arm["queries"]["measured"], arm["status"]) == (1, "complete")


def test_arms_without_a_query_in_common_still_have_their_figures(tmp_path, capsys):
    """A report on two sets of questions would end in a stack trace."""
    folders = []
    for query in ("q1", "q2"):
        labels = {query: Labelled(group=query, tags=("language:de",))}
        traces, judged = {query: trace(row("a", "k"))}, {query: {("a", "k"): 1}}
        folders.append(write(tmp_path / query, traces, judged, labels=labels))
    document = measured(capsys, *folders)
    assert document["segments"] == document["overlap"] == []
    assert [means(arm)["nDCG@10"] for arm in document["arms"]] == [1.0, 1.0]


def test_head_torso_and_tail_are_what_the_traffic_said(tmp_path, capsys):
    """Of a sample of head queries the rarer ones would be reported as the tail."""
    sampled = {"q1": ("head", 60), "q2": ("head", 50), "q3": ("torso", 4)}
    labels = {q: Labelled(group=q, tags=(tag,), traffic=n) for q, (tag, n) in sampled.items()}
    traces = {query: trace(row("a", "k")) for query in labels}
    folder = folder_of(tmp_path, traces, {q: {("a", "k"): 1} for q in labels}, labels=labels)
    rows = measured(capsys, folder)["segments"]
    assert [(one["kind"], one["value"], one["queries"]) for one in rows] == [
        ("part", "head", 2),
        ("part", "torso", 1),
    ]


@pytest.mark.parametrize(
    ("name", "content"), [("about.json", b"{nope"), ("hidden.tsv", b"a\t\xff\n")]
)
def test_a_damaged_file_of_a_run_folder_is_named(tmp_path, capsys, name, content):
    """Somebody would look for a fault in a file that the message does not name."""
    folder = folder_of(tmp_path, {"q": trace(row("a", "k"))}, {"q": {("a", "k"): 1}})
    (folder / name).write_bytes(content)
    assert str(folder / name) in refused(capsys, folder)


@pytest.mark.parametrize(
    ("name", "path", "value"),
    [
        ("labels.json", ("groups",), None),
        ("labels.json", ("k",), 2.5),
        ("labels.json", ("judgements", "q"), [["a", "k"]]),
        ("labels.json", ("judgements", "q"), [["a", "k", "1"]]),
        ("labels.json", ("judgements", "q"), {"a": 1}),
        ("about.json", ("arm",), 7),
        ("about.json", ("as_of",), True),
        ("about.json", ("noise",), {"measure": "nDCG@10"}),
        ("about.json", ("queries", "q", "group"), None),
        ("about.json", ("queries", "q", "tags"), [1]),
        ("about.json", ("queries", "q", "traffic"), "9"),
        ("about.json", ("sources", "a", "documents"), []),
    ],
)
def test_a_value_of_another_kind_in_a_run_folder_is_named(tmp_path, capsys, name, path, value):
    """A file that was edited, or damaged on its way, would end the report in a traceback."""
    folder = folder_of(tmp_path, {"q": trace(row("a", "k"))}, {"q": {("a", "k"): 1}})
    asked, held = {"q": Labelled(group="q")}, {"a": Held(family="relation", documents=3)}
    about.write(folder, About(arm="own", queries=asked, sources=held))
    plain = json.loads((folder / name).read_text("utf-8"))
    *above, last = path
    inner = plain
    for step in above:
        inner = inner[step]
    inner[last] = value
    (folder / name).write_text(json.dumps(plain), "utf-8")
    assert str(folder / name) in refused(capsys, folder)


def test_a_stricter_measure_says_which_queries_it_leaves_out(tmp_path, capsys):
    """nDCG would differ from report to report, and the reason given would be false."""
    folder = folder_of(
        tmp_path,
        {"q1": trace(row("a", "k")), "q2": trace(chosen=())},
        {"q1": {("a", "k"): 2}, "q2": {("a", "k"): 1}},
    )
    names = ("--measures", "nDCG@10 P(rel=2)@5")
    (arm,) = measured(capsys, folder, *names)["arms"]
    assert (arm["queries"]["no_relevant"], arm["queries"]["nothing_shown"]) == (["q2"], [])
    assert cli.main([str(folder), *names]) == 0
    said = "1 queries: no document of grade 2 or more, left out of every column (q2)"
    assert said in capsys.readouterr().out
