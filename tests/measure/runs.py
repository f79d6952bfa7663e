"""Run folders written by hand, every number of them chosen, so that figures can be worked out."""

import json
from pathlib import Path

from eval.measure import cli
from eval.misses import Known, known
from eval.recording import about
from eval.recording.about import About, Held, Labelled

DAY = 86_400.0
NOW = 1_000 * DAY


def row(source, key, final=0.5, *, semantic=None, age=None, length=400, native=1.0, stale=False):
    """One result: ``age`` in days, ``length`` in characters, ``semantic`` as a trace has it."""
    return {
        "source": source,
        "key": key,
        "final": final,
        "semantic": "not asked" if semantic is None else semantic,
        "timestamp": None if age is None else NOW - age * DAY,
        "length": length,
        "native": native,
        "stale": stale,
    }


def call(step, **usage):
    told = {"calls": 1, "tokens_in": 0, "tokens_out": 0, "seconds": 0.0, "cost": None, **usage}
    return {"step": step, "identity": "m", "source": None, "usage": told}


def trace(*rows, chosen=("a", "b"), shown=10, failed=(), seconds=0.0, **more):
    """A trace whose answers are one query a source, in the order of the rows."""
    answers = []
    for source in chosen:
        head = {"source": source, "query": 0, "strategy": "keyword", "capped": False}
        head["seconds"] = seconds
        if source in failed:
            answers.append({**head, "failed": "TIMEOUT"})
            continue
        own = [one for one in rows if one["source"] == source]
        answers.append(
            {
                **head,
                "rows": [
                    ["docs", one["key"], one["native"], one["timestamp"], one["stale"], []]
                    for one in own
                ],
            }
        )
    return {
        "schema": 1,
        "pipeline": 1,
        "invocation": "i",
        "exposure": "ask",
        "capability": "cap",
        "now": NOW,
        "prompt": more.pop("prompt", None),
        "forms": {"select": "model", "plan": "template", "rerank": "none"},
        "scoring": {
            "semantic_weight": 0.7, "lexical_weight": 0.3, "match_bonus": 0.02, "bonus_cap": 0.1,
            "freshness_floor": 0.0, "stale_weight": 0.5, "evidence_floor": 1.0, "shortlist": 30,
            "sources": {},
        },
        "scope": ["a", "b"],
        "chosen": list(chosen),
        "plans": [{"source": s, "origin": "template", "strategies": ["keyword"]} for s in chosen],
        "answers": answers,
        "evidence": {},
        "asked": [],
        "ordered_by": more.pop("ordered_by", "weighted"),
        "ranking": [
            [one["source"], "docs", one["key"], one["semantic"], one["final"]] for one in rows
        ],
        "lengths": [one["length"] for one in rows],
        "shown": min(shown, len(rows)),
        "calls": more.pop("calls", []),
        "warnings": more.pop("warnings", []),
        "notices": more.pop("notices", []),
        **more,
    }  # fmt: skip


def write(folder: Path, traces, judgements, *, labels=None, k=10, **more) -> Path:
    """The folder; ``judgements[query][(source, key)]`` is a grade. Without ``labels`` each query
    is a group of its own and no ``about.json`` is written, as ``tune`` leaves a folder.
    """
    folder.mkdir(parents=True, exist_ok=True)
    queries = dict.fromkeys([*judgements, *traces, *(labels or {})])
    plain = {
        "schema": 1,
        "capability": "cap",
        "k": k,
        "today": 700,
        "judgements": {
            query: [[source, key, grade] for (source, key), grade in own.items()]
            for query, own in judgements.items()
        },
        "groups": {q: labels[q].group if labels and q in labels else q for q in queries},
        "strata": {},
    }
    (folder / "labels.json").write_text(json.dumps(plain), "utf-8")
    lines = [json.dumps({"query": query, "trace": one}) for query, one in traces.items()]
    (folder / "traces.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    known.write(folder, Known(sought=frozenset(one for own in judgements.values() for one in own)))
    if labels is not None or more:
        sources = {"a": Held(family="relation", documents=95)}
        sources["b"] = Held(family="topics", documents=5)
        told = About(
            arm=more.pop("arm", folder.name), sources=sources, queries=labels or {}, **more
        )
        about.write(folder, told)
    return folder


def measured(capsys, *words, code=0):
    """The document of ``measure --json``; the exit code has to be ``code``."""
    assert cli.main([*map(str, words), "--json"]) == code
    out, err = capsys.readouterr()
    assert not err
    return json.loads(out)


def refused(capsys, *words, code=3):
    """The one line on stderr of a command that prints nothing else."""
    assert cli.main(list(map(str, words))) == code
    out, err = capsys.readouterr()
    assert not out
    assert err.count("\n") == 1
    return err


def sample(folder: Path, **more) -> Path:
    """Six queries over two sources, with everything a report can show."""
    labels = {
        "q1": Labelled(group="g1", tags=("language:de", "intent:known"), right=("a",), traffic=60),
        "q2": Labelled(group="g1", tags=("language:en",), right=("a", "b"), traffic=25),
        "q3": Labelled(group="g2", tags=("language:en",), traffic=10),
        "q4": Labelled(group="g3", nothing=True, right=(), traffic=3),
        "q5": Labelled(group="g4", nothing=True, right=(), traffic=1),
        "q6": Labelled(group="g5", tags=("<script>",), traffic=1),
    }
    judgements = {
        "q1": {("a", "k1"): 2, ("a", "k2"): 1, ("b", "k3"): 0},
        "q2": {("a", "k1"): 1, ("b", "k2"): 1},
        "q3": {("a", "k9"): 1, ("a", "k1"): 0},
        "q4": {("a", "k1"): 0},
        "q6": {("b", "k1"): 3},
    }
    model = [call("select", tokens_in=100, tokens_out=10, seconds=0.5, cost=0.001)]
    traces = {
        "q1": trace(
            row("a", "k2", 0.9, age=10, length=4000),
            row("b", "k7", 0.8, age=500),
            row("a", "k1", 0.7, age=400, length=4000),
            calls=model,
            seconds=0.25,
            prompt="wing flutter",
        ),
        "q2": trace(row("a", "k1", 0.6, age=20), row("b", "k8", 0.5), calls=model),
        "q3": trace(
            chosen=("a",),
            failed=("a",),
            warnings=[{"code": "SOURCE_FAILED", "source": "a", "detail": "TIMEOUT", "count": 0}],
        ),
        "q4": trace(row("a", "k1", 0.2), chosen=("a",)),
        "q5": trace(chosen=()),
        "q6": trace(row("a", "k5", 0.4), row("b", "k1", 0.3), shown=1),
    }
    return write(folder, traces, judgements, labels=labels, **more)
