"""Run folders made by hand: one source, three documents a query, the right one where it is put."""

import json
from collections.abc import Mapping
from pathlib import Path

from esra.domain.capability import Scoring
from esra.trace import PIPELINE, SCHEMA, scoring_json
from eval import runfolder
from eval.tune.verdict import Case

SOURCE = "news"
DATA = "data-1"


def trace(query: str, place: int, **more: object) -> dict[str, object]:
    """One invocation whose right document, ``query``/right, stands at ``place`` of 1 to 3.

    Semantic scores alone made the order: without a model the right document is the last.
    """
    others = [f"{query}/a", f"{query}/b"]
    keys = [*others[: place - 1], f"{query}/right", *others[place - 1 :]]
    numbers = Scoring(semantic_weight=1.0, lexical_weight=0.0)
    native = {f"{query}/a": 3.0, f"{query}/b": 2.0, f"{query}/right": 1.0}
    return {
        "schema": SCHEMA,
        "pipeline": PIPELINE,
        "invocation": f"i-{query}",
        "exposure": "desk",
        "capability": "desk",
        "configuration": "c",
        "revision": {"tuned": False, "revision": 0, "hash": "", "signed": False, "notices": []},
        "now": 0.0,
        "prompt": f"what is {query}",
        "forms": {"select": "all", "plan": "template", "rerank": "local"},
        "scoring": scoring_json(numbers),
        "scope": [SOURCE],
        "chosen": [SOURCE],
        "plans": [{"source": SOURCE, "origin": "template", "strategies": ["keyword"]}],
        "answers": [
            {
                "source": SOURCE,
                "query": 0,
                "strategy": "keyword",
                "capped": False,
                "seconds": 0.25,
                "rows": [["docs", key, native[key], None, False, []] for key in sorted(native)],
            }
        ],
        "evidence": {},
        "asked": [[SOURCE, "docs", key] for key in sorted(native)],
        "ordered_by": "final",
        "ranking": [
            [SOURCE, "docs", key, 1.0 - rank / 4, 1.0 - rank / 4] for rank, key in enumerate(keys)
        ],
        "shown": 3,
        "calls": [],
        "warnings": [],
        "notices": [],
        **more,
    }


def write(folder: Path, places: Mapping[str, int], **more: object) -> Path:
    """The run's folder: every query with its right document at its place."""
    return write_traces(folder, {query: trace(query, place) for query, place in places.items()},
                        **more)  # fmt: skip


def write_traces(folder: Path, traces: Mapping[str, dict[str, object]], **more: object) -> Path:
    """The run's folder over traces that are given; ``more`` goes to the case."""
    case = {
        "capability": "desk",
        "recordings": [],
        "judgements": {query: {(SOURCE, f"{query}/right"): 1} for query in traces},
        "groups": {query: f"need {query}" for query in traces},
        "strata": dict.fromkeys(traces, SOURCE),
        "today": 700,
        "models": {"select": "", "plan": "", "rerank": "m"},
        "data": DATA,
        "recording": folder.name,
        "k": 10,
        **more,
    }
    runfolder.write(folder, Case(**case))
    lines = (json.dumps({"query": query, "trace": one}) + "\n" for query, one in traces.items())
    (folder / runfolder.TRACES).write_text("".join(lines), "utf-8")
    return folder


def run(home: Path, name: str, places: Mapping[str, int], **more: object) -> Path:
    """A run of ``home`` called desk/``name``."""
    return write(home / "runs" / "desk" / name, places, **more)
